"""``run_dqn``: a training of the deep-Q learner from settings to a file."""

import os
from dataclasses import asdict
from typing import Any

from stammtisch.training.dqn.learner import DQNProgress, DQNTraining
from stammtisch.training.dqn.settings import DQNSettings
from stammtisch.training.progress import News, Show


def run_dqn(
    settings: DQNSettings, out: str | os.PathLike[str], resume: bool = False, show: Show | None = None
) -> dict[str, Any]:
    """Train as ``Learner.train`` tells; ``out`` is the file of the model, and a checkpoint lies beside it."""
    news = News(show)

    def tell(now: DQNProgress) -> bool | None:
        line = f"epsilon {now.epsilon:.2f}, {now.updates:,} updates"
        if now.validation is not None:
            line += f", {now.validation.score:.0%} ({now.validation.wins} won) against {now.validation.agents[1]}"
        return news.tell(now.games, line, now.figures, now.curve)

    training = DQNTraining(settings, out, resume, tell).run()
    last = training.validation
    assert last is not None
    return {
        "model": str(out),
        "games": training.games,
        "updates": training.updates,
        "seconds": training.seconds,
        "cpu_seconds": training.cpu_seconds,
        "best_validation": training.best_score,
        "last_validation": last.score,
        "unit": "games",
        "curve": [asdict(point) for point in training.curve],
    }
