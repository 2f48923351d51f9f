"""``champion`` and ``ladder-1`` …: the frozen players that ship with the games."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.identity import options_that_matter
from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.envs.core.agent import Agent, ManyGames
from stammtisch.envs.core.agents import agent_class, load_agent, make_agent, read_spec
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.oracle import oracle_of
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed
from stammtisch.errors import BadFile
from stammtisch.models import FrozenModel, ladder_of, model_file, models_of

_COUNTS = ("nodes", "iterations", "worlds")  # what searches call what they count
# For games that have no row in the index, those of other packages above all: the first that can play it.
_UNKNOWN_GAMES = {
    "hidden": ("ismcts:iterations=2000", "pimc", "heuristic", "random"),
    "dice": ("mctse:iterations=5000", "mcts:iterations=5000", "random"),
    "many": ("mcts:iterations=5000", "maxn:nodes=20000", "random"),
    "two": ("alphabeta:nodes=50000", "mcts:iterations=5000", "random"),
}


class FrozenAgent(Agent):
    """Plays what another agent plays; a subclass says which one."""

    player: Agent

    def _seat(self, player: Agent) -> None:
        self.player = player
        self.policy = player.policy

    @property
    def thinks_apart(self) -> bool:
        return self.player.thinks_apart

    def reset(self, seed: Seed = None) -> None:
        self.player.reset(seed)

    def take_stream(self, streams: NDArray[np.uint64], seat: int) -> None:
        self.player.take_stream(streams, seat)

    def limit(self, time_s: float = 0.0, depth: int = 0) -> None:
        self.player.limit(time_s, depth)

    def in_many_games(self, games: int) -> ManyGames | None:
        return self.player.in_many_games(games)

    def act(self, view: View, explain: bool = False) -> Any:
        """Return the chosen action, or with ``explain`` the whole ``Explanation``."""
        if isinstance(self.player, SearchAgent):
            return self.player.act(view, explain)
        action = self.player.act(view)
        if not explain:
            return action
        alone = np.array([action], np.int64)
        return Explanation(action, alone, np.array([np.nan]), np.ones(1, np.int64), (action,))


class Champion(FrozenAgent):
    """The strongest player of a game that ships: a search with a measured budget, on a network if there is one.

    ``time_s``, ``nodes`` or ``iterations`` give it another budget, in whatever its search counts; where another search
    was measured to be stronger in very little time, that one plays. Under options of the game that its network has not
    learned it plays without one; games of other packages are played by the best general search that can.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "time_s": Option(0.0, "seconds per move instead of the measured budget; 0 keeps that", minimum=0.0),
        "nodes": Option(0, "positions or simulations per move instead of the measured budget; 0 keeps it", minimum=0),
        "iterations": Option(0, "the same as nodes", minimum=0),
        **SearchAgent.TABLES,
        **SearchAgent.COMMON,
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "champion", **options: Any):
        super().__init__(game, seed, spec, **options)
        self._given = options
        for model in models_of(game.id):
            if self._is_for_this_game(model):
                self._seat(self._built(model, seed))
                return
        self._seat(self._first_that_plays(seed))

    def _is_for_this_game(self, model: FrozenModel) -> bool:
        """Whether a row is one for the options of this game, with tables that are there or can be built."""
        if model.agent != "perfect":
            return not model.file or model.options == options_that_matter(self.game)
        if model.options != options_that_matter(self.game):
            return False
        try:
            oracle_of(self.game, tables=self.options["tables"]).prepare()
        except BadFile:  # nothing can be written there
            return False
        return True

    def _first_that_plays(self, seed: Seed) -> Agent:
        """Return the best general search that can play the game."""
        game = self.game
        two = len(set(game.info.teams)) == 2
        kind = "hidden" if game.info.hidden else "dice" if game.info.chance != "none" else "two" if two else "many"
        *searches, last = _UNKNOWN_GAMES[kind]
        for agent in searches:
            try:
                return self._built(FrozenModel(game=game.id, agent=agent), seed)
            except ValueError:
                continue  # it cannot play this game
        return load_agent(last, game, seed)

    def _built(self, model: FrozenModel, seed: Seed) -> Agent:
        is_quick = 0 < self.options["time_s"] < model.quick_s
        spec = model.quick if is_quick else model.agent
        name, options = read_spec(spec)
        if model.file:
            options["file"] = str(model_file(model))
        known = agent_class(name).OPTIONS
        budget = max(self.options["nodes"], self.options["iterations"])
        if budget or self.options["time_s"]:
            counts = [count for count in _COUNTS if count in known]
            for count in counts:
                options.pop(count, None)
            options |= {count: budget for count in counts if budget}
            if self.options["time_s"] and "time_s" in known:
                options["time_s"] = self.options["time_s"]
        if self.options["tables"]:
            if "tables" not in known:
                raise ValueError(f'the champion of {self.game.id}, "{spec}", uses no tables')
            options["tables"] = self.options["tables"]
        options |= {key: self.options[key] for key in SearchAgent.COMMON if key in self._given and key in known}
        return make_agent(name, options, self.game, seed, spec)


class LadderPlayer(FrozenAgent):
    """A rung of the frozen ladder of a game, the weakest is 1.

    Rungs stay the same from version to version and count nodes or simulations, never time; see ``stammtisch ladder``.
    """

    MAIN_OPTION = "rung"
    OPTIONS: ClassVar[OptionTable] = {"rung": Option(1, "number of the rung, the weakest is 1", minimum=1)}

    def __init__(self, game: Game, seed: Seed = None, spec: str = "ladder", **options: Any):
        super().__init__(game, seed, spec, **options)
        self._seat(load_agent(ladder_of(game.id).rung(self.options["rung"]).agent, game, seed))
