"""``perfect``: plays by the oracle of a game, where it has one and nothing is hidden."""

from typing import Any, ClassVar

import numpy as np

from stammtisch.baselines.search.agent import Explanation, SearchAgent
from stammtisch.envs.core.agents import load_agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.oracle import oracle_of
from stammtisch.envs.core.state import State, View
from stammtisch.envs.core.streams import Seed


class OracleSearch(SearchAgent):
    """Plays a best action of the oracle wherever that knows the position; a subclass says what it does elsewhere.

    Among actions that keep the value it takes the one that wins soonest, or loses latest, where the oracle can tell.
    """

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        self._oracle = oracle_of(game, self.options["reach"], self.options.get("tables", ""))

    def explain(self, state: State) -> Explanation:
        """Say what every action is worth with everything in sight; only the best ones are visited."""
        if not self._oracle.covers(state):
            return self._elsewhere(state)
        values = self._oracle.values(state)
        actions = np.array(list(values), np.int64)
        best = self._oracle.best(state)
        visits = np.isin(actions, best).astype(np.int64)
        return Explanation(best[0], actions, np.array(list(values.values())), visits, (best[0],), {"exact": 1})

    def _elsewhere(self, state: State) -> Explanation:
        raise NotImplementedError


class Perfect(OracleSearch):
    """Plays by the oracle, and like another agent where that does not know the position.

    Some oracles also know the best answer to ``random``, which wins more against it than perfect play does.
    """

    OPTIONS: ClassVar[OptionTable] = {
        "reach": Option(0, "how far from the end the oracle looks: empty cells; 0 leaves that to it", minimum=0),
        "tables": Option("", "folder of endgame tables", names="folder"),
        "against": Option("perfect", "the opponent it expects, where the oracle knows", choices=("perfect", "random")),
        "otherwise": Option("", "who plays where the oracle does not know; by default the reference bot, else random"),
        **SearchAgent.COMMON,
    }

    def __init__(self, game: Game, seed: Seed = None, spec: str = "", **options: Any):
        super().__init__(game, seed, spec, **options)
        if game.info.hidden:
            raise ValueError(f'agent "{self.name}" cannot play {game.id}: cards are hidden; see "cheater"')
        reference = "heuristic" if "heuristic" in game.POLICIES else "random"
        self._other = load_agent(self.options["otherwise"] or reference, game, seed)

    def reset(self, seed: Seed = None) -> None:
        super().reset(seed)
        self._other.reset(seed)

    def search(self, view: View) -> Explanation:
        state = view.sample_state(np.random.default_rng(0))
        return self._answer_to_random(state) if self.options["against"] == "random" else self.explain(state)

    def _answer_to_random(self, state: State) -> Explanation:
        actions = state.legal_actions()
        values = np.array([self._oracle.answer_to_random(state.child(action), state.player) for action in actions])
        best = actions[int(values.argmax())]
        visits = np.array([action == best for action in actions], np.int64)
        return Explanation(best, np.array(actions), values, visits, (best,), {"exact": 1})

    def _elsewhere(self, state: State) -> Explanation:
        action = int(self._other.act(state.view(state.player)))
        return Explanation(action, np.array([action]), np.zeros(1), np.ones(1, np.int64), (action,), {"exact": 0})
