"""``run_dqn``: a training of the deep-Q learner from settings to a file."""

import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from stammtisch.training.dqn.learner import DQNProgress, DQNTraining
from stammtisch.training.dqn.settings import DQNSettings


def run_dqn(
    settings: DQNSettings,
    out: str | os.PathLike[str],
    resume: bool = False,
    show: Callable[[int, str], None] | None = None,
) -> dict[str, Any]:
    """Train, and return what there is to say about it, as plain values.

    Args:
        settings: everything that decides the training.
        out: file of the model; a checkpoint lies beside it.
        resume: go on from that checkpoint, if there is one.
        show: called with the games since the last call and a line about them.
    """
    done = 0

    def tell(now: DQNProgress) -> None:
        nonlocal done
        line = f"epsilon {now.epsilon:.2f}, {now.updates:,} updates"
        if now.validation is not None:
            line += f", {now.validation.score:.0%} ({now.validation.wins} won) against {now.validation.agents[1]}"
        if show is not None:
            show(now.games - done, line)
        done = now.games

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
