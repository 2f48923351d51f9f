"""Playing the games of a plan: whole games inside a kernel where all agents are kernel policies, else move by move."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.in_play import GameInPlay, drawn, tell, watching_among
from stammtisch.arena.plan import GameRecord, MatchPlan, game_streams, seatings
from stammtisch.arena.records import Records
from stammtisch.arena.stepping import SLACK_EVENTS, Stepping
from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent, ManyGames, answer
from stammtisch.envs.core.constants import CHANCE, COMPILED_POLICIES, RANDOM_POLICY, TERMINAL
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.state import State
from stammtisch.errors import Forfeit

_WARM_UP_MOVES = 2  # the second one may look into what the first one left behind
_WARM_UP_PLIES = 200
_AT_ONCE = 16  # games side by side where an agent thinks about many at once


class MatchPlayer:
    """Plays games of one match; built once per process, then asked for games by number.

    Args:
        plan: the match.
        agents: agent objects instead of the plan's specs, for matches inside this process.

    Attributes:
        before_each_question: called before an agent is asked for a move; what it raises ends the play.
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
        self.before_each_question: Callable[[], None] = _nothing
        self._is_warm = False
        self._events = np.empty(0, np.int64)
        self._kinds: list[int] | None = None
        if None not in policies and len(named) <= COMPILED_POLICIES:
            self._kinds = [1 + named.index(policy) if policy in named else RANDOM_POLICY for policy in policies]
            self._lanes = self.game.lane_kernels(named)
        self._together = {} if self.in_kernel else self._thinking_together()
        self._places = [self._agents]

    def _thinking_together(self) -> dict[int, ManyGames]:
        """Return the agents that think about many games at once; none where an object of somebody cannot be doubled."""
        found: dict[int, ManyGames] = {}
        for side, (row, spec) in enumerate(zip(self._agents, self._specs, strict=True)):
            many = row[0].in_many_games(_AT_ONCE)
            if many is not None:
                found[side] = many
            elif not isinstance(spec, str):
                return {}
        return found

    @property
    def at_once(self) -> int:
        """How many games are played side by side."""
        return _AT_ONCE if self._together else 1

    @property
    def in_kernel(self) -> bool:
        """Whether all agents are policies of a kernel, which then plays whole games."""
        return self._kinds is not None

    def play(self, numbers: Sequence[int]) -> Records:
        """Play the games with these numbers."""
        if not numbers:
            return Records.of([])
        players = self.game.info.num_players
        if isinstance(numbers, range):  # quickly
            listed = np.arange(numbers.start, numbers.stop, numbers.step, dtype=np.int64)
        else:
            listed = np.asarray(numbers, np.int64)
        streams = game_streams(self.plan.seed, len(self._seatings), players, listed)
        if self._kinds is not None:
            return self._play_in_kernel(listed, streams)
        return Records.of(self._play_by_moves(numbers, streams))

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
        room = n * (2 * rules.MAX_MOVES + SLACK_EVENTS)
        if len(self._events) < room:  # kept: fresh memory is slow to touch
            self._events = np.empty(room, np.int64)
        events = self._events
        ends, moves = np.empty(n, np.int64), np.empty(n, np.int64)
        results = np.empty((n, players), np.float64)
        self._lanes.play_games(kinds, streams, self.plan.opening, events, ends, moves, results)
        played = events[: ends[-1]].copy()
        return Records(numbers, groups, seats, results, moves, played, ends, np.empty((n, 0)))

    def _play_by_moves(self, numbers: Sequence[int], streams: NDArray[np.uint64]) -> list[GameRecord]:
        """Play move by move; where an agent thinks about many games at once, as many side by side."""
        if not self._is_warm:
            self._is_warm = True
            self._warm_up(numbers[0], streams[0])
        waiting = deque(range(len(numbers)))
        running: list[GameInPlay | None] = [None] * (_AT_ONCE if self._together else 1)
        done: list[GameRecord] = []
        while True:
            # Step 1. Every game goes on until somebody is to be asked together with others.
            for place in range(len(running)):
                while waiting or running[place] is not None:
                    game = running[place]
                    if game is None:
                        i = waiting.popleft()
                        game = running[place] = self._begin(place, numbers[i], streams[i])
                    game.go_on(self.before_each_question)
                    if not game.is_over:
                        break
                    done.append(game.record())
                    running[place] = None
            # Step 2. They are asked.
            thinking = [(place, game) for place, game in enumerate(running) if game is not None]
            if not thinking:
                return sorted(done, key=lambda record: record.number)
            for side, together in self._together.items():
                mine = [(place, game) for place, game in thinking if not game.is_over and game.side == side]
                if not mine:
                    continue
                begun = time.perf_counter()
                actions = together.act([place for place, _ in mine], [game.view() for _, game in mine])
                each = (time.perf_counter() - begun) / len(mine)
                for (_, game), action in zip(mine, actions, strict=True):
                    game.take(action, each)

    def _begin(self, place: int, number: int, streams: NDArray[np.uint64]) -> GameInPlay:
        """Seat the agents of a place for a game."""
        group, seating = self._seating(number)
        seats = self._agents_at(place)
        for side, together in self._together.items():
            if side in seating:
                together.begin(place, streams)
        agents = [None if side in self._together else seats[side][seat] for seat, side in enumerate(seating)]
        return GameInPlay(self.plan, self.game, number, group, seating, agents, streams)

    def _agents_at(self, place: int) -> list[list[Agent]]:
        """Return the agents of a place by agent and seat: games side by side never share what an agent remembers."""
        while place >= len(self._places):
            self._places.append(
                [
                    row if side in self._together else [load_agent(spec, self.game) for _ in row]
                    for side, (row, spec) in enumerate(zip(self._agents, self._specs, strict=True))
                ]
            )
        return self._places[place]

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
        watching = watching_among(agents)
        tell(watching, game.outcomes)
        while game.player != TERMINAL and min(asked) < _WARM_UP_MOVES and game.moves < _WARM_UP_PLIES:
            state, who = game.state(), seating[game.player]
            if game.moves < self.plan.opening or asked[who] >= _WARM_UP_MOVES:
                action = drawn(state, opening)
            else:
                try:
                    action = answer(agents[game.player], state)
                except Forfeit:
                    return  # the game itself will tell
                asked[who] += 1
            if not state.is_legal(action):
                return
            game.take(action)
            tell(watching, [action, *game.outcomes])


def _nothing() -> None:
    pass


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
    game.stepping.start_from(row, streams[:1].copy())
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
