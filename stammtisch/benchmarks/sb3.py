"""The evaluator as a Stable-Baselines3 callback."""

from stable_baselines3.common.callbacks import BaseCallback

from stammtisch.baselines.sb3 import ModelAgent
from stammtisch.benchmarks.evaluator import Evaluator


class EvaluationCallback(BaseCallback):
    """Evaluates the model in training and logs its scores, as ``eval/score against <opponent>``.

    Args:
        evaluator: whom to play, how often and how long; it keeps the curve.
        verbose: 1 prints every evaluation.
    """

    def __init__(self, evaluator: Evaluator, verbose: int = 0):
        super().__init__(verbose)
        self.evaluator = evaluator

    def _on_step(self) -> bool:
        if self.evaluator.due(self.num_timesteps):
            agent = ModelAgent(self.evaluator.game, self.model)
            for point in self.evaluator.evaluate(agent, self.num_timesteps):
                self.logger.record(f"eval/score against {point.opponent}", point.score)
                if self.verbose:
                    low, high = point.ci95
                    print(f"{point.step} steps: {point.score:.1%} ({low:.1%} to {high:.1%}) against {point.opponent}")
        return True
