"""Playing the games of a plan: whole games inside a kernel where all agents are kernel policies, else move by move."""

import logging
import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.plan import GameRecord, MatchPlan, draw_below, forfeit, game_streams, seatings
from stammtisch.arena.records import Records
from stammtisch.arena.stepping import SLACK_EVENTS, Stepping
from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent, answer
from stammtisch.envs.core.constants import CHANCE, COMPILED_POLICIES, RANDOM_POLICY, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State
from stammtisch.errors import Forfeit

_log = logging.getLogger(__name__)
_WARM_UP_MOVES = 2  # the second one may look into what the first one left behind
_WARM_UP_PLIES = 200


class MatchPlayer:
    """Plays games of one match; built once per process, then asked for games by number.

    Args:
        plan: the match.
        agents: agent objects instead of the plan's specs, for matches inside this process.
    """

    def __init__(self, plan: MatchPlan, agents: Sequence[str | Agent] | None = None):
        self.plan = plan
        self.game = load_game(plan.game, **plan.options)
        self._specs = agents or plan.agents
        self._seatings = seatings(self.game, len(self._specs))
        players = self.game.info.num_players
        # One agent object per agent and seat: partners never share what an agent remembers.
        self._agents = [[load_agent(spec, self.game) for _ in range(players)] for spec in self._specs]
        policies = [row[0].policy for row in self._agents]
        named = sorted({policy for policy in policies if policy is not None and policy != "random"})
        self._is_warm = False
        self._kinds: list[int] | None = None
        if None not in policies and len(named) <= COMPILED_POLICIES:
            self._kinds = [1 + named.index(policy) if policy in named else RANDOM_POLICY for policy in policies]
            self._lanes = self.game.lane_kernels(named)

    @property
    def in_kernel(self) -> bool:
        """Whether all agents are policies of a kernel, which then plays whole games."""
        return self._kinds is not None

    def play(self, numbers: Sequence[int]) -> Records:
        """Play the games with these numbers."""
        if not numbers:
            return Records.of([])
        players = self.game.info.num_players
        listed = np.asarray(numbers, np.int64)
        streams = game_streams(self.plan.seed, len(self._seatings), players, listed)
        if self._kinds is not None:
            return self._play_in_kernel(listed, streams)
        return Records.of([self._play_by_moves(number, streams[i]) for i, number in enumerate(numbers)])

    def _seating(self, number: int) -> tuple[int, tuple[int, ...]]:
        group, turn = divmod(number, len(self._seatings))
        return group, self._seatings[turn]

    def _play_in_kernel(self, numbers: NDArray[np.int64], streams: NDArray[np.uint64]) -> Records:
        assert self._kinds is not None
        rules = self.game.rules
        n, players = len(numbers), rules.N_PLAYERS
        groups, turns = np.divmod(numbers, len(self._seatings))
        seats = np.array(self._seatings, np.int64)[turns]
        kinds = np.array(self._kinds, np.int64)[seats]
        events = np.empty(n * (2 * rules.MAX_MOVES + SLACK_EVENTS), np.int64)
        ends, moves = np.empty(n, np.int64), np.empty(n, np.int64)
        results = np.empty((n, players), np.float64)
        self._lanes.play_games(kinds, streams, self.plan.opening, events, ends, moves, results)
        played = events[: ends[-1]].copy()
        return Records(numbers, groups, seats, results, moves, played, ends, np.empty((n, 0)))

    def _play_by_moves(self, number: int, streams: NDArray[np.uint64]) -> GameRecord:
        if not self._is_warm:
            self._is_warm = True
            self._warm_up(number, streams)
        group, seating = self._seating(number)
        agents = [self._agents[agent][seat] for seat, agent in enumerate(seating)]
        for seat, agent in enumerate(agents):
            agent.take_stream(streams, seat)
        opening = streams[-1:].copy()
        seconds = [0.0] * len(self._specs)
        game = Stepping(self.game, streams[:1])
        events = game.outcomes
        watching = _watching(agents)
        _tell(watching, events)
        while game.player != TERMINAL:
            state, player = game.state(), game.player
            if game.moves < self.plan.opening:
                action = _drawn(state, opening)
            else:
                begun = time.perf_counter()
                try:
                    action = answer(agents[player], state)
                except Forfeit as fault:
                    _log.warning("game %d is lost by %s: %s", number, self.plan.agents[seating[player]], fault)
                    return self._forfeited(number, player, events, game.moves, seconds)
                finally:
                    seconds[seating[player]] += time.perf_counter() - begun
                if not state.is_legal(action):
                    raise state._illegal(action)
            game.take(action)
            events += [action, *game.outcomes]
            _tell(watching, [action, *game.outcomes])
        final = game.state().returns()
        return GameRecord(number, group, seating, tuple(final.tolist()), tuple(events), game.moves, tuple(seconds))

    def _forfeited(
        self, number: int, player: int, events: list[int], moves: int, seconds: Sequence[float]
    ) -> GameRecord:
        """Return the record of a game that the team of ``player`` gave up."""
        group, seating = self._seating(number)
        teams = self.game.info.teams
        returns = tuple(-1.0 if team == teams[player] else 1.0 for team in teams)
        return GameRecord(number, group, seating, returns, (*events, forfeit(teams[player])), moves, tuple(seconds))

    def _warm_up(self, number: int, streams: NDArray[np.uint64]) -> None:
        """Let the agents begin a game that nobody counts: what they compile or load then is no thinking time.

        Agent objects that were handed in are left alone, since only they know what one more question does to them.
        """
        _, seating = self._seating(number)
        agents = [self._agents[agent][seat] for seat, agent in enumerate(seating)]
        for seat, agent in enumerate(agents):
            if isinstance(self._specs[seating[seat]], str):
                agent.take_stream(streams, seat)
        opening = streams[-1:].copy()
        asked = [0 if isinstance(spec, str) else _WARM_UP_MOVES for spec in self._specs]
        game = Stepping(self.game, streams[:1])
        watching = _watching(agents)
        _tell(watching, game.outcomes)
        while game.player != TERMINAL and min(asked) < _WARM_UP_MOVES and game.moves < _WARM_UP_PLIES:
            state, who = game.state(), seating[game.player]
            if game.moves < self.plan.opening or asked[who] >= _WARM_UP_MOVES:
                action = _drawn(state, opening)
            else:
                try:
                    action = answer(agents[game.player], state)
                except Forfeit:
                    return  # the game itself will tell
                asked[who] += 1
            if not state.is_legal(action):
                return
            game.take(action)
            _tell(watching, [action, *game.outcomes])


def _watching(agents: Sequence[Agent]) -> list[Agent]:
    """Return the agents that want to hear what happens, unless something is hidden from them."""
    return [agent for agent in agents if type(agent).watch is not Agent.watch and not agent.game.info.hidden]


def _tell(watching: Sequence[Agent], events: Sequence[int]) -> None:
    for agent in watching:
        for event in events:
            agent.watch(event)


def _drawn(state: State, stream: NDArray[np.uint64]) -> int:
    legal = state.legal_actions()
    return legal[draw_below(stream, len(legal))]


def states_of(game: Game, record: GameRecord, seed: int, agents: int) -> Iterator[tuple[State, str]]:
    """Yield every position of a game with a text of what just happened, beginning with the start.

    Args:
        game: the game.
        record: a game of a match.
        seed: the seed of the match.
        agents: number of agents of the match.
    """
    streams = game_streams(seed, len(seatings(game, agents)), game.info.num_players, [record.number])[0]
    row = np.zeros(game.rules.STATE_LEN, np.int64)
    game.kernels("step").start_from(row, streams[:1].copy())
    state = game.from_row(row)
    yield state.clone(), ""
    for event in record.events:
        if event < 0:
            yield state.clone(), f"team {-1 - event} forfeits"
            return
        if state.player == CHANCE:
            text = "the deal" if game.info.chance == "sampled" else state.action_text(event)
        else:
            text = f"player {state.player}: {state.action_text(event)}"
        state.apply(event)
        yield state.clone(), text
