"""``run_sb3``: a training with Stable-Baselines3 from settings to a folder."""

import os
import pathlib
from dataclasses import asdict
from typing import Any

from stammtisch.training.progress import News, Show
from stammtisch.training.sb3.learner import MODEL, SB3Training, TrainProgress
from stammtisch.training.sb3.settings import SB3Settings


def run_sb3(
    settings: SB3Settings, out: str | os.PathLike[str], resume: bool = False, show: Show | None = None
) -> dict[str, Any]:
    """Train as ``Learner.train`` tells; ``out`` is the folder of the model, its checkpoint and all else."""
    news = News(show)

    def tell(now: TrainProgress) -> bool | None:
        line = None
        if now.points and now.elo is not None:
            scores = ", ".join(f"{point.opponent} {point.score:.0%}" for point in now.points)
            line = f"{scores}, Elo {now.elo:+z.0f}, {now.steps / max(now.seconds, 1e-9):,.0f} steps/s"
        return news.tell(now.steps, line, now.figures, now.curve)

    training = SB3Training(settings, out, resume, tell).run()
    points = training.evaluator.points
    return {
        "model": str(pathlib.Path(out) / MODEL),
        "steps": training.model.num_timesteps,
        "seconds": training.seconds,
        "cpu_seconds": training.cpu_seconds,
        "elo": training.elo,
        "unit": "steps",
        "curve": [asdict(point) for point in points],
        "scores": {point.opponent: point.score for point in points[-len(settings.ladder) :]},
    }
