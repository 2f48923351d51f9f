"""``NTupleSettings``: every parameter of an n-tuple training with a sentence."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels import ntuple_net
from stammtisch.baselines.kernels.ntuple_replay import INSERTIONS, SELECTIONS
from stammtisch.baselines.learned.ntuple.agent import MOST_PLIES
from stammtisch.baselines.learned.ntuple.network import Layout
from stammtisch.envs import game_class
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import BaseSettings, option, read_pairs, read_series, read_values
from stammtisch.training.settings import LearnerSettings

_SHORTEST_SHARE = 0.01  # a trace ends where less than this is left of a step
_TARGETS = ("next", "own")
_GOALS = ("quick", "strength")


@dataclass(frozen=True)
class NTupleSettings(BaseSettings):
    """Parameters of a training. Step sizes and exploration go from their first to their final value over the episodes.

    The target of an afterstate is the best move of the next player, negated for an opponent (``next``), or of the same
    player's next turn, with a final adaptation of all players at the end (``own``, the TD-FARL of the GBG framework).
    """

    OWNER = "train ntuple"

    goal: str = option("quick", "quick: learn at every move; strength: backwards from the end of a game", _GOALS)
    episodes: int = option(100_000, "games of self-play", minimum=1, maximum=1e12)
    alpha: float = option(
        0.5, "first step size, divided by the number of weights that make up a value", minimum=0, maximum=1e3
    )
    alpha_final: float = option(0.1, "final step size", minimum=0, maximum=1e3)
    epsilon: float = option(0.1, "first share of moves drawn at random", minimum=0, maximum=1)
    epsilon_final: float = option(0.1, "final share of moves drawn at random", minimum=0, maximum=1)
    gamma: float = option(1.0, "what a value counts one step later", minimum=0, maximum=1)
    lam: float = option(0.0, "lambda: how far errors reach back", minimum=0, maximum=1)
    noise: float = option(
        0.0, "share of future decisions that a value takes to be made at random", minimum=0, maximum=1
    )
    target: str = option("next", "whose next decision is the target", _TARGETS)
    init: float = option(0.0, "weights begin at random between minus and plus this", minimum=0, maximum=1e3)
    coherence: int = option(0, "1: step sizes by temporal coherence", minimum=0, maximum=1)
    opening: int = option(0, "up to so many first moves of a game are drawn at random", minimum=0, maximum=1000)
    online: bool = option(True, "learn from moves as they are played; false: only from replay")
    replay: str = option("none", "how remembered transitions are selected", SELECTIONS)
    insertion: str = option("oldest", "which one a new transition replaces in a full buffer", INSERTIONS)
    buffer: int = option(8192, "transitions remembered", minimum=2, maximum=1 << 24)
    batch: int = option(8, "transitions learned from again at a time", minimum=1, maximum=1 << 16)
    every: int = option(4, "moves between two such times; 0: once after every game", minimum=0, maximum=1 << 30)
    priority: float = option(0.6, "power of the error in a priority", minimum=0, maximum=1)
    importance: float = option(
        0.4, "power of the correction for priorities at the start; 1 at the end", minimum=0, maximum=1
    )
    freeze: int = option(
        0, "episodes between two copies of the weights for the targets of replay; 0: none", minimum=0, maximum=1e12
    )
    keep: int = option(
        0,
        "episodes after which the weights play those kept so far, and the better ones are kept; 0: never",
        minimum=0,
        maximum=1e12,
    )
    keep_games: int = option(200, "games of such a match", minimum=2)
    endgame: int = option(
        0, "empty cells from which on the exact solver says what a position is worth (strength)", minimum=0, maximum=16
    )

    search: float = option(
        0.0,
        "share of positions in which every move learns what the best answer to it is worth (strength)",
        minimum=0,
        maximum=1,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.replay != "none" and self.batch > self.buffer:
            raise ValueError(f"batch={self.batch} must not be more than buffer={self.buffer}")
        if self.goal == "strength" and (self.replay != "none" or self.target != "next"):
            raise ValueError("goal=strength learns from whole games; it has neither replay nor target=own")
        if not self.online and self.replay == "none":
            raise ValueError("online=false learns nothing without replay; give replay=uniform, say")
        for name in ("endgame", "search"):
            if self.goal != "strength" and getattr(self, name):
                raise ValueError(f"{name}={getattr(self, name)} needs goal=strength")

    def numbers(self) -> NDArray[np.float64]:
        """Return the parameters as the kernel reads them."""
        numbers = np.zeros(ntuple_net.NUMBERS, np.float64)
        for place, value in {
            ntuple_net.ALPHA: self.alpha,
            ntuple_net.ALPHA_FINAL: self.alpha_final,
            ntuple_net.EPSILON: self.epsilon,
            ntuple_net.EPSILON_FINAL: self.epsilon_final,
            ntuple_net.GAMMA: self.gamma,
            ntuple_net.LAMBDA: self.lam,
            ntuple_net.EPISODES: self.episodes,
            ntuple_net.OWN_TARGET: self.target == "own",
            ntuple_net.OPENING: self.opening,
            ntuple_net.BATCH: self.batch,
            ntuple_net.EVERY: self.every,
            ntuple_net.ONLINE: self.online,
            ntuple_net.INSERTION: INSERTIONS.index(self.insertion),
            ntuple_net.SELECTION: SELECTIONS.index(self.replay),
            ntuple_net.PRIORITY_POWER: self.priority,
            ntuple_net.IMPORTANCE: self.importance,
            ntuple_net.NOISE: self.noise,
            ntuple_net.REFRESH: max(1, self.freeze),
            ntuple_net.ENDGAME: self.endgame,
            ntuple_net.SEARCH: self.search,
        }.items():
            numbers[place] = value
        return numbers

    @property
    def capacity(self) -> int:
        """Places of the replay buffer, 0 without replay."""
        return 0 if self.replay == "none" else self.buffer

    def depth(self, max_moves: int) -> int:
        """Afterstates that a trace reaches back."""
        decay = self.gamma * self.lam
        if decay == 0:
            return 1
        return max_moves if decay == 1 else min(max_moves, 1 + int(np.log(_SHORTEST_SHARE) / np.log(decay)))


@dataclass(frozen=True)
class NTupleRunSettings(NTupleSettings, Layout, LearnerSettings):
    """Everything that decides a training from start to end: the network, how it learns, and what is measured."""

    LEARNER = "ntuple"

    minutes: float = option(
        0.0, "above 0, so many episodes as one core plays in that time; the file tells how many", minimum=0
    )
    until: int = option(0, "stop after so many episodes, although rates go on for all; 0: never", minimum=0)
    threads: int = option(1, "games at the same time; only with one does a seed decide all", minimum=1)
    opponents: list[str] = option(["random"], "agents against which the network is measured", names="agent")
    eval_every: int | None = option(
        None, "episodes between two measurements, 0: only at the end; none: ten in all", minimum=0
    )
    eval_games: int = option(200, "games per measurement and opponent", minimum=2)
    eval_opening: int | None = option(
        None, "first moves of these games drawn at random; none: 4 in games without chance", minimum=0
    )
    eval_plies: int = option(0, "turns that the measured player looks ahead", minimum=0, maximum=MOST_PLIES)
    checkpoint_s: float = option(60.0, "seconds between two checkpoints", minimum=0.1)
    probcut: int = option(
        0, "positions on which the file learns how far shallow searches tell of deep ones, at the end", minimum=0
    )
    compact: str = option("", "file for the network alone, rounded and small; none if empty", names="file")
    compact_steps: int = option(
        1024, "steps per unit of weight in that file; few make it smaller", minimum=16, maximum=1 << 15
    )
    tensorboard: str = option("", "folder for TensorBoard's scalars; none if empty", names="folder")

    @classmethod
    def for_game(cls, game: str, *changes: Mapping[str, Any]) -> Self:
        """Return what suits a game and the goal of the training, then changes in turn."""
        goal = [change["goal"] for change in changes if "goal" in change]
        for_goal = game_class(game).training_defaults(f"{cls.LEARNER} {goal[-1]}", game) if goal else {}
        return super().for_game(game, for_goal, *changes)

    @property
    def layout(self) -> Layout:
        """What the network looks at."""
        return Layout(**{name: getattr(self, name) for name in Layout.table()})

    @property
    def learning(self) -> NTupleSettings:
        """How it learns."""
        return NTupleSettings(**{name: getattr(self, name) for name in NTupleSettings.table()})


NETWORK_TABLE = {**Layout.table(), **NTupleSettings.table()}  # what decides a network, apart from its game and seed


def read_network_pairs(texts: Iterable[str]) -> dict[str, Any]:
    """Return the settings of networks that ``key=value`` texts stand for."""
    return read_pairs(NETWORK_TABLE, texts, NTupleRunSettings.NOUN, NTupleRunSettings.OWNER)


def read_vary(text: str) -> tuple[str, list[Any]]:
    """Read a setting and the values to try, ``name=value,value``."""
    return read_series(NETWORK_TABLE, text, NTupleRunSettings.NOUN, NTupleRunSettings.OWNER)


def read_layout(game: Game, changes: Mapping[str, Any]) -> Layout:
    """Return what a network looks at: what suits the game, with changes."""
    return defaults(game, changes)[0]


def defaults(game: Game, changes: Mapping[str, Any]) -> tuple[Layout, NTupleSettings]:
    """Return what a network looks at and how it learns: what suits the game, with changes by the user.

    Raises:
        ValueError: there is no such setting, or it cannot have this value.
    """
    given = read_values(NETWORK_TABLE, changes, "setting", NTupleRunSettings.OWNER)
    found = NTupleRunSettings.for_game(game.id, given)
    return found.layout, found.learning
