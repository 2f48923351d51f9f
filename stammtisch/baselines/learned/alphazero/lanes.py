"""``SearchLanes``: positions side by side, searched together, with one call of the network for all of them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.deals_arrays import DealTables, new_tables
from stammtisch.baselines.kernels.puct_arrays import (
    BUDGET,
    DONE,
    GUMBEL,
    PUCT,
    Forest,
    NetworkAnswers,
    Search,
    halving_table,
    head_count,
    new_forest,
    team_count,
    utility_scale,
)
from stammtisch.baselines.learned.alphazero.evaluators import NetworkBackend
from stammtisch.baselines.search.endgames import Endgames
from stammtisch.envs.core import loader
from stammtisch.envs.core.game import Game

KEEP_NOTHING, KEEP_ANSWER, KEEP_TREE = 0, 1, 2
_KERNELS = "stammtisch.baselines.kernels"
_TOGETHER = 8  # batches of a multiple of this are asked: few sizes, and nothing is gained by smaller ones


def search_kernels(game: Game, endgames: Endgames | None = None) -> loader.KernelModule:
    """Return the kernels of search by a network for a game: in a tree, or where cards are hidden over sampled deals.

    Args:
        game: the game.
        endgames: tables that end the lines of the tree.

    Raises:
        ValueError: everything is in sight, but chance events are too many to list.
    """
    rules = game.rules
    if rules.HAS_CHANCE and not rules.LISTS_CHANCE and not rules.HAS_HIDDEN:
        raise ValueError(f"tree search lists the outcomes of chance events, and those of {game.id} are too many")
    shared = loader.load(
        f"{_KERNELS}.network_games",
        game.id,
        RULES=rules,
        TEAM_COUNT=team_count(rules),
        HEADS=head_count(rules),
        SCALE=utility_scale(rules),
    )
    if rules.HAS_HIDDEN:
        steps = loader.load(f"{_KERNELS}.deals", game.id, RULES=rules, SHARED=shared)
        return loader.load(f"{_KERNELS}.deals_games", game.id, RULES=rules, SHARED=shared, TREE=steps)
    tables = endgames.source if endgames is not None else loader.load("stammtisch.envs.kernels.no_tables", game.id)
    steps = loader.load(f"{_KERNELS}.puct", game.id, RULES=rules, SHARED=shared, TABLES=tables)
    return loader.load(f"{_KERNELS}.puct_games", game.id, RULES=rules, SHARED=shared, TREE=steps)


def search_arrays(
    game: Game, lanes: int, simulations: int, streams: NDArray[np.uint64], endgames: Endgames | None = None
) -> Forest | DealTables:
    """Return the arrays of these kernels, for searches of so many simulations.

    Args:
        game: the game.
        lanes: decisions side by side.
        simulations: of the largest search.
        streams: uint64[lanes, 1 + players].
        endgames: tables that end the lines of the tree.
    """
    if game.rules.HAS_HIDDEN:
        return new_tables(game.rules, lanes, streams)
    forest = new_forest(game.rules, lanes, simulations, streams)
    return forest if endgames is None else forest._replace(endgames=endgames.opened)


@dataclass(frozen=True)
class Found:
    """What a search found at its root.

    Attributes:
        action: to be played.
        actions: the legal actions.
        policy: how much of each the search recommends.
        values: of each for the seat to move, in units of utility; NaN where it was not tried.
        visits: of each.
        line: the main line, chance outcomes included.
        simulations: how many were run.
        nodes: of the tree.
    """

    action: int
    actions: NDArray[np.int64]
    policy: NDArray[np.float64]
    values: NDArray[np.float64]
    visits: NDArray[np.int64]
    line: tuple[int, ...] = field(repr=False)
    simulations: int
    nodes: int


class SearchLanes:
    """Searches of one game.

    Args:
        game: the game.
        evaluator: answers for the network.
        search: how to search.
        lanes: positions at the same time.
        simulations: of the largest search.
        streams: uint64[lanes, 2 or more], the random streams of the lanes; the second one is drawn from.
        endgames: tables that end the lines of a tree.
    """

    def __init__(
        self,
        game: Game,
        evaluator: NetworkBackend,
        search: Search,
        lanes: int,
        simulations: int,
        streams: NDArray[np.uint64],
        endgames: Endgames | None = None,
    ):
        rules = game.rules
        self._kernels = search_kernels(game, endgames)
        self._evaluator, self._search = evaluator, search
        self._forest = search_arrays(game, lanes, simulations, streams, endgames)
        self._questions = np.zeros((lanes, rules.OBS_LEN), np.float32)
        self._asking = np.zeros(lanes, np.bool_)
        self._scale = utility_scale(rules)
        self._branch = rules.MAX_BRANCH
        self._no_answers, self._scattered = (
            NetworkAnswers(
                np.zeros((lanes, rules.N_ACTIONS), np.float32), np.zeros((lanes, head_count(rules)), np.float32)
            )
            for _ in range(2)
        )
        self._batches: dict[int, NDArray[np.float32]] = {}  # by size
        self.room = simulations
        self.set_plan(simulations)

    @property
    def streams(self) -> NDArray[np.uint64]:
        """Random streams of the lanes, ``uint64[lanes, 2 or more]``; the second one is drawn from."""
        streams: NDArray[np.uint64] = self._forest.streams
        return streams

    def look_up_in(self, endgames: Any) -> None:
        """Look positions up in other tables of the same kind, such as empty ones; trees begun before are forgotten."""
        assert isinstance(self._forest, Forest)
        self._forest = self._forest._replace(endgames=endgames)

    def set_plan(self, simulations: int) -> None:
        """Plan sequential halving for so many simulations."""
        self._table = halving_table(self._search.considered, max(1, simulations))

    def put(self, lane: int, row: NDArray[np.int64], budget: int, keeps: int = KEEP_NOTHING) -> None:
        """Put a decision into a lane, to be searched with so many simulations."""
        kept = self._kernels.put(self._forest, lane, row, budget, keeps, self._questions)
        self._asking[lane] = not kept

    def extend(self, lane: int, budget: int) -> None:
        """Give a lane that is being searched another budget."""
        self._forest.lanes[lane, BUDGET] = budget

    def run(self) -> None:
        """Search until the budgets of all lanes are spent."""
        asked = int(self._asking.sum())
        while True:
            answers = self._ask(asked) if asked else self._no_answers
            asked = self._kernels.think(self._forest, answers, self._search, self._table, self._questions, self._asking)
            if not asked:
                return

    def _ask(self, asked: int) -> NetworkAnswers:
        """Return the network's answers; of lanes that do not ask, only as many as fill up the batch are computed."""
        lanes = len(self._asking)
        size = min(lanes, -(-asked // _TOGETHER) * _TOGETHER)
        if size == lanes:
            return self._evaluator(self._questions)
        asking = np.flatnonzero(self._asking)
        if size not in self._batches:
            self._batches[size] = np.zeros((size, self._questions.shape[1]), np.float32)
        self._batches[size][:asked] = self._questions[asking]
        found = self._evaluator(self._batches[size])
        self._scattered.logits[asking] = found.logits[:asked]
        self._scattered.values[asking] = found.values[:asked]
        return self._scattered

    def done(self, lane: int) -> int:
        """Return how many simulations a lane has run."""
        return int(self._forest.lanes[lane, DONE])

    def found(self, lane: int, temperature: float = 0.0, with_line: bool = True) -> Found:
        """Return what the search of a lane found, ``with_line`` the main line."""
        policy, values = np.empty(self._branch), np.empty(self._branch)
        visits, actions = np.empty(self._branch, np.int64), np.empty(self._branch, np.int64)
        place, n = self._kernels.conclude(
            self._forest, lane, self._search, temperature, policy, values, visits, actions
        )
        line = self._line(lane, int(actions[place])) if with_line else ()
        return Found(
            int(actions[place]),
            actions[:n],
            policy[:n],
            values[:n] * self._scale,
            visits[:n],
            line,
            self.done(lane),
            self._size(lane),
        )

    def _size(self, lane: int) -> int:
        """Return how many positions the tree of a lane holds; sampled deals are no tree."""
        return int(self._forest.lanes[lane, self._kernels.NODES]) if isinstance(self._forest, Forest) else 1

    def _line(self, lane: int, action: int) -> tuple[int, ...]:
        """Follow the most visited edges from the chosen action on."""
        if not isinstance(self._forest, Forest):
            return (action,)
        kernels, edges, nodes = self._kernels, self._forest.edges[lane], self._forest.nodes[lane]
        line = [action]
        node = 0
        while True:
            first, n = nodes[node, kernels.FIRST], nodes[node, kernels.COUNT]
            if first < 0:
                return tuple(line)
            block = edges[first : first + n]
            if node == 0:
                edge = int(np.flatnonzero(block[:, kernels.ACTION] == action)[0])
            else:
                edge = int(block[:, kernels.TRIED].argmax())
                if block[edge, kernels.TRIED] == 0:
                    return tuple(line)
                line.append(int(block[edge, kernels.ACTION]))
            node = int(block[edge, kernels.CHILD])
            if node < 0:
                return tuple(line)


def gumbel_search(considered: int = 16, noise: float = 0.0, c_visit: float = 50.0, c_scale: float = 1.0) -> Search:
    """Return a search by sequential halving; noise 1 explores, 0 always plays what it thinks best."""
    return Search(GUMBEL, considered, c_visit, c_scale, 0.0, 0.0, 0.0, noise)


def puct_search(c: float = 1.5, first_play: float = 0.1, dirichlet: float = 10.0, noise: float = 0.0) -> Search:
    """Return a search by upper confidence bounds; noise is the share of the Dirichlet noise at the root."""
    return Search(PUCT, 1, 50.0, 1.0, c, first_play, dirichlet, noise)


def bare_policy(evaluator: NetworkBackend, questions: NDArray[np.float32], legal: NDArray[Any]) -> NDArray[np.float64]:
    """Return what the network itself recommends, ``float64[n, actions]``, where ``legal`` is not zero."""
    logits = np.where(legal != 0, evaluator(questions).logits, -np.inf).astype(np.float64)
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
    return found
