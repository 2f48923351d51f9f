"""``Lanes``: a batch of games with a learner in one seat (or in all) and opponents in the others.

The single-agent face is one lane, the vector face many; both are thin readers of the arrays kept here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.agent import Agent, AgentLike, answer, refuse_cheater
from stammtisch.envs.core.agents import load_agent, seated
from stammtisch.envs.core.constants import (
    ALL_SEATS,
    ANY_SEAT,
    COMPILED_POLICIES,
    DEAL,
    FIRST_OUTSIDE,
    LEARNER,
    RANDOM_POLICY,
    SKIP,
    TERMINAL,
)
from stammtisch.envs.core.direct import Direct
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.jit import IS_OFF, address_of
from stammtisch.envs.core.state import State
from stammtisch.envs.core.streams import Seed, checked_seed, seed_streams
from stammtisch.envs.core.threads import Crew, Splitter
from stammtisch.envs.kernels import lane_arrays as at
from stammtisch.errors import IllegalAction

BatchPolicy = Callable[[NDArray[Any], NDArray[np.int8], np.random.Generator], NDArray[np.int64]]
Opponent = str | AgentLike | BatchPolicy
Opponents = Opponent | Sequence[Opponent] | Mapping[Any, float]

_SAVED = ("rows", "streams", "kinds", "seats", "players", "paid", "pay", "masks", "obs")
_AGENT_SEEDS = 1_000_003  # second number of the seed path of outside agents


class Lanes:
    """Rows, random streams and outputs of ``n`` games; see ``kernels/lane_arrays.py`` for the shapes.

    Args:
        game: the game.
        n: number of lanes.
        opponent: who sits opposite: an agent spec, an agent or any object with ``act(view)``, a model of
            Stable-Baselines3, a batched policy ``(obs, mask, rng) -> actions``, a pool of these (a list, or a mapping
            to weights; one is drawn per game), or ``"self"``: the learner plays all seats.
        partner: who sits in the learner's team, in games that have teams; by default the opponent of that game.
        seat: the learner's seat, or ``"random"``, drawn for every game.
        threads: kernels are split among so many threads at most, as many as pay.
        allow_cheaters: let agents sit there that see what is hidden.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        opponent: Opponents = "random",
        partner: Opponent | None = None,
        seat: int | str = "random",
        threads: int = 1,
        allow_cheaters: bool = False,
    ):
        self._allow_cheaters = allow_cheaters
        self.game, self.n, self.threads = game, n, threads
        self._splitter = Splitter(1 if IS_OFF else threads)
        self._crew = Crew()
        rules = game.rules
        self.agents: list[Agent | BatchPolicy] = []
        self._entries: list[Opponent] = []  # what the agents were given as
        self._policies: list[str] = []
        self._seating = np.full(n, _seat_number(game, opponent, seat), np.int64)
        pool, weights = ([], []) if self.plays_all_seats else _as_pool(opponent)
        self._pool = np.array([self._kind(entry) for entry in pool] or [RANDOM_POLICY], np.int64)
        self._weights = np.cumsum(np.array(weights or [1.0], np.float64))
        self._partner = np.array([] if partner is None else [self._kind(partner)], np.int64)
        self._limit = 0
        self._k: Any = Direct(game.lane_kernels(self._policies))
        self._drive_address: int | None = None
        teams = rules.TEAMS
        self._rivals = np.array([next(q for q, t in enumerate(teams) if t != team) for team in teams], np.int64)

        players = rules.N_PLAYERS
        self.rows = np.zeros((n, rules.STATE_LEN), np.int64)
        self.streams = np.zeros((n, 2 + players), np.uint64)
        self.kinds = np.zeros((n, players), np.int64)
        self.seats = np.zeros(n, np.int64)
        self.players = np.zeros(n, np.int64)
        self.actions = np.zeros(n, np.int64)
        self.todo = np.zeros(n, np.int8)
        self.paid = np.zeros((n, players), np.float64)
        self.taken = np.zeros(n, np.int64)
        self.movers = np.zeros(n, np.int64)
        self.done = np.ones(n, np.bool_)
        self.pay = np.zeros((n, players), np.float64)
        self.masks = self._allowed = np.zeros((n, rules.N_ACTIONS), np.int8)
        self.obs = np.zeros((n, rules.OBS_LEN), rules.OBS_DTYPE)
        self._make_room()
        self._collect()
        self.rng = np.random.default_rng()
        self.seed(None)

    def _collect(self) -> None:
        """Enter the arrays in a new book, by which kernels find them."""
        arrays: dict[int, NDArray[Any]] = {
            at.ROWS: self.rows,
            at.STREAMS: self.streams,
            at.KINDS: self.kinds,
            at.SEATS: self.seats,
            at.PLAYERS: self.players,
            at.PAID: self.paid,
            at.TODO: self.todo,
            at.ACTIONS: self.actions,
            at.TAKEN: self.taken,
            at.MOVERS: self.movers,
            at.DONE: self.done,
            at.ASKED: self._seating,
            at.POOL: self._pool,
            at.WEIGHTS: self._weights,
            at.PARTNER: self._partner,
            at.ALLOWED: self._allowed,
        }
        self._book = np.zeros(at.BOOK_SIZE, np.int64)
        self._book_address = self._book.ctypes.data
        self._book[at.LANES], self._book[at.LIMIT] = self.n, self._limit
        self._book[at.OPPONENTS], self._book[at.PARTNERS] = len(self._pool), len(self._partner)
        for place, array in arrays.items():
            self._book[place] = array.ctypes.data
        self._note_outputs()

    def _note_outputs(self) -> None:
        told = self.rewards, self.terminated, self.truncated, self.seats_told, self.players_told
        self._k.note_outputs(self._book, at.Outputs(self.pay, self.masks, self.obs, *told))

    def _make_room(self) -> None:
        n = self.n
        self.rewards, self.terminated, self.truncated = np.empty(n), np.empty(n, np.bool_), np.empty(n, np.bool_)
        self.seats_told, self.players_told = np.empty(n, np.int64), np.empty(n, np.int64)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to this object's place in memory."""
        own = ("_book", "_book_address", "_crew", "_drive_address")
        return {name: value for name, value in self.__dict__.items() if name not in own}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._crew, self._drive_address = Crew(), None
        self._collect()

    def _kind(self, entry: Opponent) -> int:
        """Return the number by which the kernel knows who decides, remembering what it needs."""
        agent = self._player(entry)
        if isinstance(agent, Agent) and not self._allow_cheaters:
            refuse_cheater(agent, f"in an environment of {self.game.id} unless allow_cheaters=True")
        policy = agent.policy if isinstance(agent, Agent) else None
        if policy == "random":
            return RANDOM_POLICY
        if policy is not None and (policy in self._policies or len(self._policies) < COMPILED_POLICIES):
            if policy not in self._policies:
                self._policies.append(policy)
            return 1 + self._policies.index(policy)
        for j, known in enumerate(self._entries):
            if known is entry and not isinstance(entry, str):
                return FIRST_OUTSIDE - j
        self.agents.append(agent)
        self._entries.append(entry)
        return FIRST_OUTSIDE - (len(self.agents) - 1)

    def _player(self, entry: Any) -> Agent | BatchPolicy:
        """Return who decides: an agent, or a batched policy, which is called."""
        if isinstance(entry, str):
            return load_agent(entry, self.game)
        if callable(entry) and not isinstance(entry, type) and not hasattr(entry, "act"):
            policy: BatchPolicy = entry
            return policy
        return seated(entry, self.game)

    def seed(self, seed: Seed | Sequence[Seed]) -> None:
        """Seed all streams; lane ``i`` gets ``seed + i``, as Gymnasium's vector environments do."""
        seeds = list(seed) if isinstance(seed, Sequence) else self._consecutive(seed)
        if len(seeds) != self.n:
            raise ValueError(f"{self.n} environments need {self.n} seeds, not {len(seeds)}")
        for lane, value in enumerate(seeds):
            if value is not None or not self.streams[lane].any():
                self.streams[lane] = seed_streams(value, self.streams.shape[1])
        if seeds[0] is not None:
            self.rng = np.random.default_rng(np.random.SeedSequence([seeds[0], _AGENT_SEEDS]))
            self.seed_agents(seeds[0], _AGENT_SEEDS)

    def seed_agents(self, *path: int) -> None:
        """Seed the outside agents, each from these numbers and its own; batched policies draw from ``rng``."""
        for j, agent in enumerate(self.agents):
            if isinstance(agent, Agent):
                agent.reset(int(seed_streams((*path, j), 1)[0] >> np.uint64(1)))

    def _consecutive(self, seed: Seed) -> list[Seed]:
        first = checked_seed(seed)
        return [None] * self.n if first is None else [first + lane for lane in range(self.n)]

    @property
    def plays_all_seats(self) -> bool:
        """Whether the learner decides for every seat."""
        return bool(self._seating[0] == ALL_SEATS)

    def opponents(self) -> NDArray[np.int64]:
        """Return which of the pool sits opposite the learner in each lane, ``int64[n]``: an index into the pool.

        Entries that are the same to the kernel count as the first of them.
        """
        if len(self._pool) == 1:
            return np.zeros(self.n, np.int64)
        theirs = self.kinds[np.arange(self.n), self._rivals[np.maximum(self.seats, 0)]]
        found: NDArray[np.int64] = (theirs[:, None] == self._pool).argmax(axis=1)
        return found

    def seat_learner(self, seats: NDArray[np.int64]) -> None:
        """Let the learner sit in these seats, one per lane, from the next games on."""
        if self.plays_all_seats:
            raise ValueError('the learner of opponent="self" plays all seats; none can be chosen')
        players = self.game.info.num_players
        if seats.shape != (self.n,) or seats.min() < 0 or seats.max() >= players:
            raise ValueError(f"{self.n} games of {self.game.id} need as many seats in 0..{players - 1}, not {seats}")
        self._seating[:] = seats

    def reweigh(self, weights: Sequence[float]) -> None:
        """Change how often each of the pool is drawn, from the next games on."""
        shares = np.array(weights, np.float64)
        if shares.shape != self._weights.shape or shares.min() < 0 or not shares.sum() > 0:
            raise ValueError(f"{len(self._weights)} opponents need as many weights, none negative, not {weights!r}")
        self._weights[:] = np.cumsum(shares / shares.sum())

    def renew_outputs(self, boards: bool = True, keep: bool = False) -> None:
        """Write into fresh arrays from now on, so that those handed out stay as they are.

        Args:
            boards: also masks, observations and the rewards of every seat.
            keep: the lanes that the next ``advance`` leaves alone keep their masks and observations.
        """
        if boards:
            self.masks = self.masks.copy() if keep else np.empty_like(self.masks)
            self.obs = self.obs.copy() if keep else np.empty_like(self.obs)
            self.pay = np.empty_like(self.pay)
        self._make_room()
        self._note_outputs()

    def limit_games(self, actions: int | None) -> None:
        """Cut games short after so many actions of the learner; None lets them end by themselves."""
        self._limit = actions or 0
        self._book[at.LIMIT] = self._limit

    def step(self) -> None:
        """Take ``actions``, deal anew where a game was done, and tell what came of it.

        Besides masks and observations it fills ``rewards``, ``terminated``, ``truncated``, ``seats_told`` and
        ``players_told``.
        """
        if self.agents:
            self._run(at.PREPARE)
            self._ask_outside()
            self.todo[:] = SKIP
            self._run(at.SETTLE)
        else:
            self._run(at.PREPARE + at.SETTLE)

    def advance(self) -> None:
        """Do what ``todo`` says, and let outside agents answer until a learner has to decide or the game ends."""
        self._run()
        if self.agents:
            self._ask_outside()

    def _run(self, mode: int = 0) -> None:
        book = self._book
        book[at.MODE] = mode
        if self.n == 1 or self.threads == 1:
            self._k.drive(self._book_address, 0, self.n)
        else:
            self._splitter.over(self._run_apart, self.n)
        if self._allowed is not self.masks:
            self._allowed = self.masks
            book[at.ALLOWED] = book[at.MASKS]

    def _run_apart(self, parts: int) -> None:
        """Run with so many threads."""
        if parts == 1 or not self._crew.over(self._entry(), self._book_address, self.n, parts):
            self._k.drive(self._book_address, 0, self.n)

    def _entry(self) -> int:
        """Return where the compiled kernel is, for threads that call it without Python."""
        if self._drive_address is None:
            self._drive_address = address_of(self.game.lane_kernels(self._policies).drive, 3)
        return self._drive_address

    def _ask_outside(self) -> None:
        dealt = np.flatnonzero(self.todo == DEAL)
        for agent in self.agents:
            if len(dealt) and isinstance(agent, Agent):
                agent.reset()
        everyone = np.arange(self.n)
        while True:
            deciding = np.where(self.players >= 0, self.kinds[everyone, np.maximum(self.players, 0)], 0)
            waiting = (deciding <= FIRST_OUTSIDE) & (self.todo != SKIP)
            if not waiting.any():
                return
            for j, agent in enumerate(self.agents):
                lanes = np.flatnonzero(waiting & (deciding == FIRST_OUTSIDE - j))
                if len(lanes):
                    self.actions[lanes] = self._checked(agent, lanes, self._answers(agent, lanes))
            self.todo[:] = waiting
            self._run()

    def _answers(self, agent: Agent | BatchPolicy, lanes: NDArray[np.intp]) -> NDArray[np.int64]:
        if isinstance(agent, Agent):
            acts = [answer(agent, self.state(lane)) for lane in lanes]
            return np.array(acts, np.int64)
        obs = self.obs[lanes].reshape(len(lanes), *self.game.rules.OBS_SHAPE)
        return np.asarray(agent(obs, self.masks[lanes], self.rng), np.int64)

    def _checked(
        self, agent: Agent | BatchPolicy, lanes: NDArray[np.intp], actions: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        if actions.shape != lanes.shape:
            raise ValueError(f"{agent} answered {actions.shape} actions for {len(lanes)} games")
        inside = (actions >= 0) & (actions < self.masks.shape[1])
        legal = inside & (self.masks[lanes, np.where(inside, actions, 0)] == 1)
        if not legal.all():
            lane = lanes[~legal][0]
            raise IllegalAction(f"{agent} chose illegal action {actions[~legal][0]} in\n{self.state(lane)}")
        return actions

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return copies of the arrays that, with the state of ``rng``, decide everything to come."""
        return {name: getattr(self, name).copy() for name in _SAVED}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what ``saved`` returned in lanes of the same game and number, with the same agents.

        Raises:
            ValueError: it was saved elsewhere, or something leads kernels astray; positions are believed.
        """
        given = {name: arrays[name] for name in _SAVED}
        for name, array in given.items():
            mine = getattr(self, name)
            if array.shape != mine.shape or array.dtype != mine.dtype:
                form = f"{mine.dtype}{mine.shape}"
                raise ValueError(
                    f"{name} of {self.n} games of {self.game.id} is {form}, not {array.dtype}{array.shape}"
                )
        self._check_given(given)
        for name, array in given.items():
            setattr(self, name, np.array(array, order="C"))
        self._allowed = self.masks
        self._collect()

    def _check_given(self, given: Mapping[str, NDArray[Any]]) -> None:
        """Refuse seats that there are not, deciders that nobody knows, and masks of other positions."""
        players, seats = given["players"], given["seats"]
        known = [LEARNER, *range(1 + len(self._policies)), *(FIRST_OUTSIDE - j for j in range(len(self.agents)))]
        if not np.isin(given["kinds"], known).all():
            raise ValueError(f"somebody else decides in these games of {self.game.id}")
        for each in (players, seats):
            if each.min() < TERMINAL or each.max() >= self.game.rules.N_PLAYERS:
                raise ValueError(f"these games of {self.game.id} have seats {each.min()}..{each.max()}")
        for lane in np.flatnonzero(players != TERMINAL):
            state = self.game.from_row(given["rows"][lane])
            if state.player != players[lane] or not np.array_equal(state.legal_mask(), given["masks"][lane]):
                raise ValueError(f"game {lane} of {self.game.id} stands elsewhere than is said of it")

    def watching_seat(self, lane: int) -> int:
        """Return whose eyes a picture of a lane is seen with: the learner's, else those of the seat to move."""
        seat, player = int(self.seats[lane]), int(self.players[lane])
        return seat if seat >= 0 else max(player, 0)

    def state(self, lane: int | np.intp) -> State:
        """Return the position of one lane."""
        return self.game.from_row(self.rows[lane])


def _seat_number(game: Game, opponent: Opponents, seat: int | str) -> int:
    players = game.info.num_players
    if isinstance(opponent, str) and opponent == "self":
        return ALL_SEATS
    if seat == "random":
        return ANY_SEAT
    if isinstance(seat, int) and not isinstance(seat, bool) and 0 <= seat < players:
        return seat
    raise ValueError(f'no seat {seat!r} in {game.id}; give 0..{players - 1} or "random"')


def _as_pool(opponent: Opponents) -> tuple[list[Opponent], list[float]]:
    """Return the opponents to draw from and their probabilities."""
    if isinstance(opponent, Mapping):
        entries, weights = list(opponent), [float(w) for w in opponent.values()]
    elif isinstance(opponent, Sequence) and not isinstance(opponent, str):
        entries, weights = list(opponent), [1.0] * len(opponent)
    else:
        entries, weights = [opponent], [1.0]
    if not entries or min(weights) < 0 or not sum(weights) > 0:
        raise ValueError(
            f"a pool of opponents needs at least one entry and weights that are not negative: {opponent!r}"
        )
    if "self" in [e for e in entries if isinstance(e, str)]:
        raise ValueError('"self" cannot be one of several opponents; give opponent="self" alone')
    return entries, [w / sum(weights) for w in weights]
