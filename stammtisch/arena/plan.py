"""What a match is: who plays what, where, from which seeds; the same plan gives the same games on any engine.

Games are numbered from 0. Consecutive games form a *group*: the same start, opening, dice and deals, with the agents in
other seats. Every random stream of a game follows from the seed, the group, the game and the seat alone.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.streams import checked_seed, seed_streams

_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class MatchPlan:
    """A match to be played.

    Attributes:
        game: id of the game.
        agents: agent specs; two play team against team, as many as seats play each for itself.
        games: number of games; a multiple of the group size keeps all groups complete.
        seed: decides everything.
        opening: first moves of a group that are drawn at random, so that deterministic agents do not repeat games.
        options: options of the game.
    """

    game: str
    agents: tuple[str, ...]
    games: int
    seed: int = 0
    opening: int = 0
    options: dict[str, Any] = field(default_factory=dict)

    def checked_numbers(self) -> None:
        """Refuse a seed, a number of games or an opening that makes no sense."""
        checked_seed(self.seed)
        if self.games < 1:
            raise ValueError(f"a match needs at least one game, not {self.games}")
        if self.opening < 0:
            raise ValueError(f"opening must not be negative, not {self.opening}")

    def checked(self) -> "MatchPlan":
        """Return the plan if everything in it exists and fits; nothing is compiled."""
        self.checked_numbers()
        game = load_game(self.game, **self.options)
        seatings(game, len(self.agents))
        for agent in self.agents:
            load_agent(agent, game)
        return self


@dataclass(slots=True)
class GameRecord:
    """One finished game of a match.

    Attributes:
        number: number of the game in its match.
        group: number of the group of games that share their chance events.
        seating: index of the agent in each seat.
        returns: utility of each seat.
        events: every action and chance outcome, in order; ``forfeit(team)`` at the end of a game that was given up.
        moves: player actions among them.
        seconds: thinking time of each agent, in the order of the plan; empty for games played inside a kernel.
    """

    number: int
    group: int
    seating: tuple[int, ...]
    returns: tuple[float, ...]
    events: tuple[int, ...]
    moves: int
    seconds: tuple[float, ...] = field(default=(), compare=False)


def forfeit(team: int) -> int:
    """Return the event that ends a game which a team lost by its own fault, whatever the position."""
    return -1 - team


def seatings(game: Game, agents: int) -> list[tuple[int, ...]]:
    """Return who sits where in each game of a group: index of the agent per seat."""
    teams = game.info.teams
    if agents == len(set(teams)):
        return [tuple((team + shift) % agents for team in teams) for shift in range(agents)]
    if agents == len(teams):
        return [tuple((seat + shift) % agents for seat in range(agents)) for shift in range(agents)]
    raise ValueError(f"{game.id} is played by {len(set(teams))} teams in {len(teams)} seats, not by {agents} agents")


def lineup(game: Game, agent: str | Agent, opponent: str | Agent) -> list[str | Agent]:
    """Return the agents of a match in which one opponent plays all other teams."""
    return [agent, *[opponent] * (len(set(game.info.teams)) - 1)]


def game_streams(
    seed: int, group_size: int, players: int, numbers: Sequence[int] | NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return the streams of games, ``uint64[n, 2 + players]``: chance, one per seat's agent, opening.

    Chance and opening follow from the group, so that the games of a group share them; the agents' streams follow from
    the game.
    """
    base = _base(seed)
    columns = 2 + players
    number = np.asarray(numbers, np.uint64)
    streams = np.empty((len(number), columns), np.uint64)
    streams[:] = number[:, None]
    streams[:, :: 1 + players] = number[:, None] // np.uint64(group_size)
    streams *= np.uint64(columns)
    streams += np.arange(1, 1 + columns, dtype=np.uint64)
    streams *= _GAMMA
    for word in (base[1], base[0]):
        streams += word
        _mix(streams)
    return streams


@functools.lru_cache(maxsize=16)
def _base(seed: int) -> NDArray[np.uint64]:
    return seed_streams(seed, 2)


def draw_below(stream: NDArray[np.uint64], n: int) -> int:
    """Draw an integer in ``0..n-1`` from a stream ``uint64[1]``, as ``below`` does inside kernels."""
    stream += _GAMMA
    drawn = stream.copy()
    _mix(drawn)
    return int((drawn[0] >> np.uint64(32)) * np.uint64(n) >> np.uint64(32))


def _mix(z: NDArray[np.uint64]) -> None:
    """Apply splitmix64's output function elementwise, in place."""
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
