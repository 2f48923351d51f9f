"""``alphazero``: plays by a policy and value network with tree search, or by the network alone."""

import pathlib
import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.identity import options_that_matter
from stammtisch.baselines.kernels.puct_arrays import Search, utility_scale
from stammtisch.baselines.learned.alphazero.evaluators import (
    BACKENDS,
    PRECISIONS,
    NetworkBackend,
    make_evaluator,
    sample_questions,
)
from stammtisch.baselines.learned.alphazero.files import load_network
from stammtisch.baselines.learned.alphazero.lanes import (
    KEEP_ANSWER,
    KEEP_TREE,
    Found,
    SearchLanes,
    bare_policy,
    gumbel_search,
    puct_search,
)
from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.baselines.search.endgames import UsesTables
from stammtisch.envs.core.agent import ManyGames
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed, seed_streams
from stammtisch.models import model_file, models_of

SIMULATIONS = {"gumbel": 64, "puct": 64, "alphago-zero": 800, "off": 0}
_ALPHAGO_ZERO_C = 3.5
_FIRST_SIMULATIONS = 32  # that tell how many fit into the time
_CHUNK_S = 0.005
_DRAWN = 1  # the stream of a lane that its search draws from
_ROOM = 1024  # simulations that a tree has room for at first, where they are not counted


def _shipped(game: Game) -> pathlib.Path:
    """Return the file of the network that ships for a game, under the options that it was trained with."""
    for model in models_of(game.id):
        if model.agent.partition(":")[0] == "alphazero" and model.options == options_that_matter(game):
            return model_file(model)
    raise ValueError(f"no network of alphazero ships for {game.id}; give the file of one: alphazero:FILE")


class AlphaZero(UsesTables, SearchAgent):
    """Plays by a policy and value network (Silver and others 2017) of `stammtisch train alphazero`.

    ``search=gumbel`` tries actions by sequential halving (Danihelka and others 2022) and is the best with few
    simulations; ``puct`` is the search of AlphaZero; ``alphago-zero`` the same with c = 3.5 and 800 simulations;
    ``off`` plays what the network recommends without looking ahead. Every team maximises its own value, and dice are
    nodes of the tree. Where cards are hidden, ``gumbel`` compares the actions in sampled deals that agree with what the
    seat knows, and every seat plays on by what it sees itself. With ``tables``, a folder of endgame tables, lines end
    where these know the rest, and such positions are played by them.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "file": Option("", "a network of `stammtisch train alphazero`; empty: the one that ships", names="file"),
        "simulations": Option(0, "per move; 0: 64, with alphago-zero 800", minimum=0),
        "time_s": Option(0.0, "seconds per move instead of simulations; 0 counts simulations", minimum=0.0),
        "search": Option("gumbel", "how it looks ahead", ("gumbel", "puct", "alphago-zero", "off")),
        "considered": Option(16, "gumbel: actions that are tried at all", minimum=1),
        "c_scale": Option(1.0, "gumbel: weight of values against priors", minimum=0.0),
        "c": Option(1.5, "puct: exploration", minimum=0.0),
        "backend": Option("auto", "what computes the network: auto takes the fastest that is installed", BACKENDS),
        "precision": Option("bf16", "of OpenVINO", PRECISIONS),
        **SearchAgent.TABLES,
        **SearchAgent.COMMON,
    }
    MAIN_OPTION = "file"

    def __init__(self, game: Game, seed: Seed = None, spec: str = "alphazero", **options: Any):
        super().__init__(game, seed, spec, **options)
        shape, weights, self.facts = load_network(self.options["file"] or _shipped(game), game)
        precision = self.options["precision"]
        sample = sample_questions(game) if precision == "int8" else None
        self._prepare(make_evaluator(shape, weights, self.options["backend"], precision, sample))

    @classmethod
    def of(cls, game: Game, evaluator: NetworkBackend, seed: Seed = None, **options: Any) -> "AlphaZero":
        """Return a player on a network in memory, such as one in training."""
        agent = cls.__new__(cls)
        SearchAgent.__init__(agent, game, seed, "alphazero", **options)
        agent._prepare(evaluator)
        return agent

    def _prepare(self, evaluator: NetworkBackend) -> None:
        name = self.options["search"]
        if self.game.info.hidden and name in ("puct", "alphago-zero"):
            raise ValueError(f"cards are hidden in {self.game.id}: give search=gumbel or search=off, not {name}")
        _ = self.endgames  # tables that cannot be read are told at once
        self._evaluator = evaluator
        self._simulations = self.options["simulations"] or SIMULATIONS[name]
        self._keeps = KEEP_ANSWER if name == "gumbel" else KEEP_TREE
        self._scale = utility_scale(self.game.rules)
        self._how: Search = (
            gumbel_search(self.options["considered"], c_scale=self.options["c_scale"])
            if name == "gumbel"
            else puct_search(_ALPHAGO_ZERO_C if name == "alphago-zero" else self.options["c"])
        )
        self._lanes: SearchLanes | None = None
        self._looks_up: Any = ()  # the tables of these lanes
        self._goes_on = False

    def reset(self, seed: Seed = None) -> None:
        super().reset(seed)
        self._goes_on = False

    def search(self, view: View) -> Explanation:
        if self.options["search"] == "off":
            return self._without_search(view)
        return self._think(view, ()) if self.endgames is None else self.endgames.guide(view, self._think)

    def _think(self, view: View, endgames: Any) -> Explanation:
        row = view._state._row
        if self.endgames is not None and endgames is not self._looks_up:
            self._looks_up, self._lanes = endgames, None
        limit = self.time_allowed
        found = self._search_for(row, limit) if limit else self._search_counted(row)
        self._goes_on = True
        effort = {"simulations": float(found.simulations), "nodes": float(found.nodes)}
        return Explanation(found.action, found.actions, found.values, found.visits, found.line, effort)

    def _without_search(self, view: View) -> Explanation:
        question = np.ascontiguousarray(view.observation().reshape(1, -1), np.float32)
        mask = view.legal_mask()
        shares = bare_policy(self._evaluator, question, mask)[0]
        return _recommended(shares, mask, float(self._evaluator(question).values[0, 0]) * self._scale)

    def in_many_games(self, games: int) -> ManyGames | None:
        """Return a player of many games at once; one that counts seconds or has tables plays one by one."""
        return None if self.options["time_s"] or self.options["tables"] else AlphaZeroInManyGames(self, games)

    def _ready(self, room: int) -> SearchLanes:
        """Return one lane with room for so many simulations."""
        if self._lanes is None or self._lanes.room < room:
            streams = np.zeros((1, 1 + self.game.info.num_players), np.uint64)
            self._lanes = SearchLanes(self.game, self._evaluator, self._how, 1, room, streams, self.endgames)
            if self.endgames is not None:
                self._lanes.look_up_in(self._looks_up)
            self._goes_on = False
        self._lanes.streams[0, _DRAWN] = self.streams[0]
        return self._lanes

    def _conclude(self, lanes: SearchLanes) -> Found:
        self.streams[0] = lanes.streams[0, _DRAWN]
        return lanes.found(0)

    def _search_counted(self, row: NDArray[np.int64]) -> Found:
        lanes = self._ready(self._simulations)
        lanes.put(0, row, self._simulations, self._keeps if self._goes_on else 0)
        lanes.run()
        return self._conclude(lanes)

    def _search_for(self, row: NDArray[np.int64], time_s: float) -> Found:
        """Search until the time is over; the first simulations tell how many fit into it."""
        begun = time.perf_counter()
        lanes = self._ready(_ROOM)
        lanes.put(0, row, _FIRST_SIMULATIONS, self._keeps if self._goes_on else 0)
        lanes.run()
        fitting = int(lanes.done(0) / max(time.perf_counter() - begun, 1e-9) * time_s)
        if fitting > lanes.room:
            lanes = self._ready(2 * fitting)
            lanes.put(0, row, _FIRST_SIMULATIONS)
            lanes.run()
        lanes.set_plan(max(fitting, _FIRST_SIMULATIONS))
        while (left := begun + time_s - time.perf_counter()) > 0 and lanes.done(0) < lanes.room:
            rate = lanes.done(0) / (time.perf_counter() - begun)
            before = lanes.done(0)
            lanes.extend(0, min(lanes.room, before + max(1, int(rate * min(_CHUNK_S, left)))))
            lanes.run()
            if lanes.done(0) == before:
                break  # the tree is full
        return self._conclude(lanes)


class AlphaZeroInManyGames:
    """Plays several games of a match at once: one call of the network answers for all of them.

    Args:
        player: who plays; only what it was made with is used, and its streams are lent to every game in turn.
        games: how many places there are.
    """

    def __init__(self, player: AlphaZero, games: int):
        self._player = player
        seats = player.game.info.num_players
        self._streams = [[np.zeros(1, np.uint64) for _ in range(seats)] for _ in range(games)]
        self._last_seat = [-1] * games  # who searched in this place before
        self._lanes: SearchLanes | None = None
        self._questions = np.zeros((games, player.game.rules.OBS_LEN), np.float32)

    def begin(self, place: int, streams: NDArray[np.uint64]) -> None:
        """Start a game in a place."""
        mine = self._streams[place]
        for seat in range(len(mine)):
            mine[seat] = seed_streams(int(streams[1 + seat] >> np.uint64(1)), 1)  # as ``Agent.take_stream`` does
        self._last_seat[place] = -1

    def act(self, places: Sequence[int], views: Sequence[View]) -> list[int]:
        """Return an action for the seat to move in each place."""
        found = self._bare(views) if self._player.options["search"] == "off" else self._searched(places, views)
        actions = []
        for place, view, each in zip(places, views, found, strict=True):
            self._player.streams = self._streams[place][view.player]
            actions.append(self._player._choose(each))
        return actions

    def _bare(self, views: Sequence[View]) -> list[Explanation]:
        for i, view in enumerate(views):
            self._questions[i] = view.observation().reshape(-1)
        masks = np.ones((len(self._questions), self._player.game.rules.N_ACTIONS), np.int8)
        for i, view in enumerate(views):
            masks[i] = view.legal_mask()
        shares = bare_policy(self._player._evaluator, self._questions, masks)
        return [_recommended(shares[i], masks[i], np.nan) for i in range(len(views))]

    def _searched(self, places: Sequence[int], views: Sequence[View]) -> list[Explanation]:
        player = self._player
        if self._lanes is None:
            streams = np.zeros((len(self._streams), 1 + player.game.info.num_players), np.uint64)
            self._lanes = SearchLanes(
                player.game, player._evaluator, player._how, len(self._streams), player._simulations, streams
            )
        lanes = self._lanes
        for place, view in zip(places, views, strict=True):
            lanes.streams[place, _DRAWN] = self._streams[place][view.player][0]
            keeps = player._keeps if self._last_seat[place] == view.player else 0
            lanes.put(place, view._state._row, player._simulations, keeps)
            self._last_seat[place] = view.player
        lanes.run()
        explained = []
        for place, view in zip(places, views, strict=True):
            found = lanes.found(place, with_line=False)
            self._streams[place][view.player][0] = lanes.streams[place, _DRAWN]
            explained.append(Explanation(found.action, found.actions, found.values, found.visits))
        return explained


def _recommended(shares: NDArray[np.float64], mask: NDArray[Any], value: float) -> Explanation:
    """Return what the network alone recommends."""
    actions = np.flatnonzero(mask)
    best = int(shares.argmax())
    visits = np.rint(shares[actions] * 1000).astype(np.int64)
    return Explanation(best, actions, np.full(len(actions), value), visits, (best,))
