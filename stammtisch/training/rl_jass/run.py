"""``run_rl_jass``: a training by reinforcement from settings to a file."""

import os
from dataclasses import asdict
from typing import Any

from stammtisch.training.progress import Show
from stammtisch.training.rl_jass.learner import RLJassTraining, RLProgress
from stammtisch.training.rl_jass.settings import RLJassSettings
from stammtisch.training.rl_jass.thesis import ThesisTraining


def run_rl_jass(
    settings: RLJassSettings,
    out: str | os.PathLike[str],
    resume: bool = False,
    show: Show | None = None,
) -> dict[str, Any]:
    """Train, and return what there is to say about it, as plain values.

    Args:
        settings: everything that decides the training.
        out: file of the player; a checkpoint lies beside it.
        resume: go on from that checkpoint, if there is one.
        show: told about the deals; it may ask to stop.
    """
    done, told = 0, -1

    def tell(now: RLProgress) -> bool | None:
        nonlocal done, told
        line = f"{now.updates:,} updates"
        if now.validation is not None:
            found = now.validation
            line += (
                f", {found.points:+z.1f} ± {1.96 * found.error:.1f} points per deal against {settings.validate_against}"
            )
        played, done = now.deals - done, now.deals
        fresh = [point for point in now.curve if point.step > told]
        told = fresh[-1].step if fresh else told
        return show(played, line, now.figures, fresh) if show is not None else None

    training: RLJassTraining | ThesisTraining
    if settings.experiment:
        training = ThesisTraining(settings, out, resume, tell).run()
    else:
        training = RLJassTraining(settings, out, resume, tell).run()
    last = training.validation
    assert last is not None
    return {
        "model": str(out),
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
