"""What is measured: who plays whom, from which positions, judged by which oracle."""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from stammtisch.baselines import load_agent
from stammtisch.envs import load_game
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.oracle import Oracle, oracle_of
from stammtisch.envs.core.streams import checked_seed

MOST_MOVES = 60
WORLDS = 20


@dataclass(frozen=True)
class RegretPlan:
    """A measurement; games come in groups with the same start and dice, in which the seats are exchanged.

    Attributes:
        game: id of the game.
        agent: whose moves are judged.
        opponent: who sits opposite; "" stands for the reference bot, else ``random``.
        games: number of games.
        seed: decides everything.
        reach: how far from the end the oracle looks, in what the game counts there; 0 for what is quick.
        worlds: in games with hidden cards, deals per decision that agree with what the player knew; -1 for the default.
        moves: most moves of a game from its start on, of all players together.
        tables: folder of endgame tables; "" leaves that to the oracle.
        options: options of the game.
        size: of the largest tables that games begin in, in what tables count; 0 for all that are there.
    """

    game: str
    agent: str
    opponent: str = ""
    games: int = 100
    seed: int = 0
    reach: int = 0
    worlds: int = -1
    moves: int = MOST_MOVES
    tables: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    size: int = 0

    def checked(self) -> "RegretPlan":
        """Return the plan with every default filled in, if all of it exists and fits."""
        checked_seed(self.seed)
        if self.games < 1 or self.moves < 1:
            raise ValueError(f"games and moves must be at least 1, not {self.games} and {self.moves}")
        game = self.loaded()
        if self.worlds > 0 and not game.info.hidden:
            raise ValueError(f"worlds={self.worlds} makes no sense in {game.id}: nothing is hidden")
        plan = replace(
            self,
            opponent=self.opponent or ("heuristic" if "heuristic" in game.POLICIES else "random"),
            reach=self.reach or (game.REACH[1] if game.REACH is not None else 0),
            worlds=(WORLDS if game.info.hidden else 0) if self.worlds < 0 else self.worlds,
            options=game.changed_options(),
        )
        plan = replace(plan, size=plan.size or plan.oracle().size())
        for agent in (plan.agent, plan.opponent):
            load_agent(agent, game)
        return plan

    def loaded(self) -> Game:
        """Return the game."""
        return load_game(self.game, **self.options)

    def oracle(self) -> Oracle:
        """Return who judges."""
        return oracle_of(self.loaded(), self.reach, self.tables)

    def key(self) -> str:
        """Return everything but the number of games, by which a store knows the measurement."""
        left_out = ("games",) if self.size else ("games", "size")
        return json.dumps({name: value for name, value in asdict(self).items() if name not in left_out}, sort_keys=True)
