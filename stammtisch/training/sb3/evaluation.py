"""The evaluator as a Stable-Baselines3 callback."""

from collections.abc import Callable, Sequence

from stable_baselines3.common.callbacks import BaseCallback

from stammtisch.baselines.learned.sb3 import ModelAgent
from stammtisch.training.evaluator import CurvePoint, Evaluator
from stammtisch.training.ladder import ladder_elo

Report = Callable[[Sequence[CurvePoint], float], None]


class EvaluationCallback(BaseCallback):
    """Evaluates the model in training and logs its scores, as ``eval/score against <opponent>``.

    Args:
        evaluator: whom to play, how often and how long; it keeps the curve.
        verbose: 1 prints every evaluation.
        report: called after each evaluation with its points and the rating on the ladder of the evaluator's opponents,
            whose first has 0; the rating is also logged as ``eval/elo``.
    """

    def __init__(self, evaluator: Evaluator, verbose: int = 0, report: Report | None = None):
        super().__init__(verbose)
        self.evaluator = evaluator
        self.report = report

    def _on_step(self) -> bool:
        if self.evaluator.due(self.num_timesteps):
            self.evaluate()
        return True

    def evaluate(self) -> None:
        """Evaluate now."""
        evaluator = self.evaluator
        points = evaluator.evaluate(ModelAgent(evaluator.game, self.model), self.num_timesteps)
        for point in points:
            self.logger.record(f"eval/score against {point.opponent}", point.score)
            if self.verbose:
                low, high = point.ci95
                print(f"{point.step} steps: {point.score:.1%} ({low:.1%} to {high:.1%}) against {point.opponent}")
        if self.report is not None:
            scores = {point.opponent: (point.score, point.games) for point in points}
            elo = ladder_elo(evaluator.game, evaluator.opponents, scores, evaluator.opening)
            self.logger.record("eval/elo", elo)
            self.report(points, elo)
