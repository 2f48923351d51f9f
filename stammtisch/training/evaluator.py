"""Learning curves: evaluates a player during training, every so many steps, against fixed opponents."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stammtisch.arena.match import play_match
from stammtisch.arena.plan import lineup
from stammtisch.envs import load_game
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.files.documents import fits
from stammtisch.plots import plot_curves

Curve = tuple[list[float], list[float], list[float], list[float]]


@dataclass(frozen=True)
class CurvePoint:
    """One evaluation: after how many steps, against whom, with which score and interval."""

    step: int
    opponent: str
    score: float
    ci95: tuple[float, float]
    games: int

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "CurvePoint":
        """Read what ``dataclasses.asdict`` made of a point and JSON kept, which knows no tuples.

        Raises:
            ValueError: it is something else.
        """
        kinds: dict[str, Any] = {"step": int, "opponent": str, "score": float, "ci95": list[float], "games": int}
        if (
            not isinstance(values, Mapping)
            or set(values) != set(kinds)
            or not all(fits(values[name], kind) for name, kind in kinds.items())
            or len(values["ci95"]) != 2
        ):
            raise ValueError(f"a curve has the point {values!r}")
        low, high = values["ci95"]
        return cls(**{**values, "ci95": (low, high)})


class Evaluator:
    """Plays a player in training against fixed opponents, always the same games, and keeps the curve.

    The opponent plays all other teams: three seats of a game in which everyone plays alone.

    Args:
        game: the game or its id.
        opponents: agent specs.
        every: evaluate whenever so many steps have passed since the last time.
        games: games per evaluation and opponent.
        seed: decides the games; the same for every evaluation, so that differences are the player's.
        opening: first moves of each pair of games that are drawn at random; without them and without chance, players
            that never choose at random would play the same game again and again.
    """

    def __init__(
        self,
        game: str | Game,
        opponents: Sequence[str],
        every: int,
        games: int = 200,
        seed: int = 0,
        opening: int = 0,
    ):
        if every < 1:
            raise ValueError(f"every must be at least 1, not {every}")
        self.game = load_game(game) if isinstance(game, str) else game
        self.opponents = list(opponents)
        self.every, self.games, self.seed, self.opening = every, games, seed, opening
        self.points: list[CurvePoint] = []
        self.next_step = 0

    def due(self, step: int) -> bool:
        """Say whether it is time to evaluate again."""
        return step >= self.next_step

    def evaluate(self, agent: Agent, step: int) -> list[CurvePoint]:
        """Evaluate now and remember the points."""
        self.next_step = step + self.every
        fresh = []
        for opponent in self.opponents:
            agents = lineup(self.game, agent, opponent)
            result = play_match(self.game, agents, self.games, self.seed, opening=self.opening)
            fresh.append(CurvePoint(step, opponent, result.score, result.ci95, result.games))
        self.points += fresh
        return fresh

    def curve(self, opponent: str) -> list[tuple[int, float]]:
        """Return steps and scores against one opponent."""
        return [(point.step, point.score) for point in self.points if point.opponent == opponent]


def plot_points(points: Sequence[CurvePoint], x_label: str, path: pathlib.Path) -> None:
    """Draw one training as PNG: the score against each opponent, with intervals."""
    curves = {
        opponent: interval_curve([point for point in points if point.opponent == opponent])
        for opponent in dict.fromkeys(point.opponent for point in points)
    }
    plot_curves(curves, x_label, "score", path)


def plot_learning(evaluators: Mapping[str, Sequence[Evaluator]], opponent: str, path: pathlib.Path) -> None:
    """Draw learning curves as PNG: the mean over seeds with a band from the least to the greatest.

    Args:
        evaluators: label of each curve, and one evaluator per seed.
        opponent: whose scores are drawn.
        path: the picture.
    """
    curves = {
        label: mean_curve([[point for point in seed.points if point.opponent == opponent] for seed in seeds])
        for label, seeds in evaluators.items()
    }
    plot_curves(curves, "steps", f"score against {opponent}", path)


def mean_curve(seeds: Sequence[Sequence[CurvePoint]]) -> Curve:
    """Join the curves of several seeds: steps, mean scores, least and greatest scores.

    The evaluations of one number belong together, at the mean of their steps, as far as all seeds have them.
    """
    steps, means, lows, highs = [], [], [], []
    for points in zip(*seeds, strict=False):
        scores = [point.score for point in points]
        steps.append(sum(point.step for point in points) / len(points))
        means.append(sum(scores) / len(scores))
        lows.append(min(scores))
        highs.append(max(scores))
    return steps, means, lows, highs


def interval_curve(points: Sequence[CurvePoint]) -> Curve:
    """Return the curve of one training: steps, scores, and the edges of their intervals."""
    return (
        [point.step for point in points],
        [point.score for point in points],
        [point.ci95[0] for point in points],
        [point.ci95[1] for point in points],
    )
