"""Where a player in training stands on the frozen ladder of its game."""

from collections.abc import Sequence
from typing import Any

from stammtisch.arena.match import play_match
from stammtisch.arena.placing import place
from stammtisch.arena.plan import lineup
from stammtisch.arena.ratings import Group
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.models.ladders import Ladder, Rung, read_ladders
from stammtisch.training.evaluator import CurvePoint

_NEAR = 2  # rungs around its strength that it meets


class LadderRating:
    """Rates a player by games against the rungs near its strength; they count nodes, so Elo means the same everywhere.

    Args:
        game: the game.
        games: against each rung that it meets.
        seed: decides the games; the same for every rating.
    """

    def __init__(self, game: Game, games: int, seed: int):
        self._game, self._games, self._seed = game, games, seed
        self._rungs: dict[str, float] = {}
        self.opening = 0
        ladder = _ladder_of(game)
        if ladder is not None:
            rungs: list[Rung] = ladder.rungs
            self._rungs = {rung.agent: rung.elo for rung in rungs}
            self.opening = ladder.opening

    def rate(self, agent: Agent, points: Sequence[CurvePoint]) -> tuple[float | None, list[CurvePoint]]:
        """Return the rating, and the games that were played for it; no rating where no ladder has been measured.

        Args:
            agent: the player.
            points: its scores at this time; those against rungs count.
        """
        if not self._rungs:
            return None, []
        met = {point.opponent: _group(point) for point in points if point.opponent in self._rungs}
        fresh: list[CurvePoint] = []
        step = points[0].step if points else 0
        for _ in range(_NEAR):
            guess = place("", list(met.values()), self._rungs, bootstrap=1).elo if met else 0.0
            nearest = sorted(self._rungs, key=lambda rung: abs(self._rungs[rung] - guess))[:_NEAR]
            wanted = [rung for rung in nearest if rung not in met]
            if not wanted:
                break
            rung = wanted[0]
            result = play_match(
                self._game, lineup(self._game, agent, rung), self._games, self._seed, opening=self.opening
            )
            fresh.append(CurvePoint(step, rung, result.score, result.ci95, result.games))
            met[rung] = _group(fresh[-1])
        return place("", list(met.values()), self._rungs, bootstrap=1).elo, fresh


def _group(point: CurvePoint) -> Group:
    return Group("", point.opponent, point.score * point.games, point.games)


def _ladder_of(game: Game) -> Ladder | None:
    """Return the measured ladder of a game, if there is one for its options and two sides play."""
    found: Any = read_ladders().get(game.id)
    if found is None or not found.is_measured or len(set(game.info.teams)) > 2:
        return None
    return found if dict(found.options) == game.changed_options() else None
