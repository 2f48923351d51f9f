"""``run_dqn``: a training of the deep-Q learner from settings to a file."""

import os
from dataclasses import asdict
from typing import Any

from stammtisch.training.dqn.learner import DQNProgress, DQNTraining
from stammtisch.training.dqn.settings import DQNSettings
from stammtisch.training.progress import Show


def run_dqn(
    settings: DQNSettings,
    out: str | os.PathLike[str],
    resume: bool = False,
    show: Show | None = None,
) -> dict[str, Any]:
    """Train, and return what there is to say about it, as plain values.

    Args:
        settings: everything that decides the training.
        out: file of the model; a checkpoint lies beside it.
        resume: go on from that checkpoint, if there is one.
        show: told about the games; it may ask to stop.
    """
    done, told = 0, -1

    def tell(now: DQNProgress) -> bool | None:
        nonlocal done, told
        line = f"epsilon {now.epsilon:.2f}, {now.updates:,} updates"
        if now.validation is not None:
            line += f", {now.validation.score:.0%} ({now.validation.wins} won) against {now.validation.agents[1]}"
        played, done = now.games - done, now.games
        fresh = [point for point in now.curve if point.step > told]
        told = fresh[-1].step if fresh else told
        return show(played, line, now.figures, fresh) if show is not None else None

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
