"""``run_rl_jass``: a training by reinforcement from settings to a file."""

import os
from dataclasses import asdict
from typing import Any

from stammtisch.training.progress import News, Show
from stammtisch.training.rl_jass.learner import RLJassTraining
from stammtisch.training.rl_jass.rounds import JassRounds, RLProgress
from stammtisch.training.rl_jass.settings import RLJassSettings
from stammtisch.training.rl_jass.thesis import ThesisTraining


def run_rl_jass(
    settings: RLJassSettings, out: str | os.PathLike[str], resume: bool = False, show: Show | None = None
) -> dict[str, Any]:
    """Train as ``Learner.train`` tells; ``out`` is the file of the player, and a checkpoint lies beside it."""
    news = News(show)

    def tell(now: RLProgress) -> bool | None:
        line = f"{now.updates:,} updates"
        if now.validation is not None:
            found = now.validation
            line += (
                f", {found.points:+z.1f} ± {1.96 * found.error:.1f} points per deal against {settings.validate_against}"
            )
        return news.tell(now.deals, line, now.figures, now.curve)

    kind = ThesisTraining if settings.experiment else RLJassTraining
    training: JassRounds = kind(settings, out, resume, tell).run()
    last = training.validation
    assert last is not None
    return {
        "model": str(out),
        "agent": "supervised" if settings.experiment else "rl-jass",
        "deals": training.deals,
        "updates": training.updates,
        "seconds": training.seconds,
        "cpu_seconds": training.cpu_seconds,
        "points_per_deal": last.points,
        "points_error": last.error,
        "points": training.points,
        "unit": "deals",
        "curve": [asdict(point) for point in training.curve],
    }
