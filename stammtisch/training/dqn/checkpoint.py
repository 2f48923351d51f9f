"""Checkpoints of ``train dqn``: networks, optimizers, memories, games and random states in one file.

A training that goes on from a checkpoint gives the same curve as one that was never interrupted.
"""

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from stammtisch.baselines.learned.tensor_files import named, read_tensors, take_over, under, write_tensors
from stammtisch.files.reading import reading
from stammtisch.training.checkpoints import optimizer_arrays, restore_optimizer, tensors_of
from stammtisch.training.counts import restore_counts
from stammtisch.training.evaluator import CurvePoint
from stammtisch.training.settings import check_same_settings

if TYPE_CHECKING:
    from stammtisch.training.dqn.learner import DQNTraining

KIND = "dqn checkpoint"
_FREE = ("games", "minutes", "threads")  # settings that may change when a training goes on
_COUNTS = ("games", "actions", "updates", "epsilon", "next_validation", "best_score", "seconds", "cpu_seconds")


def save_dqn_checkpoint(path: str | os.PathLike[str], training: "DQNTraining") -> None:
    """Write a checkpoint; one of that name is replaced at once."""
    arrays: dict[str, NDArray[Any]] = {"by_lot": training.random_seats}  # the name that files have had from the first
    for name, networks in (("main", training.main), ("target", training.target)):
        arrays |= {f"{name}/{key}": tensor.detach().numpy() for key, tensor in networks.state_dict().items()}
    for i, (optimizer, memory) in enumerate(zip(training.optimizers, training.memories, strict=True)):
        arrays |= named(f"phase {i}/optimizer/", optimizer_arrays(optimizer))
        arrays |= named(f"phase {i}/memory/", memory.saved())
    arrays |= named("games/", training.env.saved())
    arrays |= named("follow/", training.follow.saved())
    header = {
        "kind": KIND,
        "settings": training.settings.to_dict(),
        "counts": {name: getattr(training, name) for name in _COUNTS},
        "curve": [asdict(point) for point in training.curve],
        "random": training.rng.bit_generator.state,
    }
    write_tensors(path, arrays, header)


def load_dqn_checkpoint(path: str | os.PathLike[str], training: "DQNTraining") -> None:
    """Put a fresh training into the state of a checkpoint.

    Raises:
        BadFile: the file is damaged, something else, or of a training with other settings.
    """
    arrays, header = read_tensors(path, KIND)
    with reading(path, KIND):
        check_same_settings(header["settings"], training.settings.to_dict(), _FREE)
        for name, networks in (("main", training.main), ("target", training.target)):
            networks.load_state_dict(tensors_of(under(f"{name}/", arrays)))
        for i, (optimizer, memory) in enumerate(zip(training.optimizers, training.memories, strict=True)):
            restore_optimizer(optimizer, under(f"phase {i}/optimizer/", arrays))
            memory.restore(under(f"phase {i}/memory/", arrays))
        training.env.restore(under("games/", arrays))
        training.follow.restore(under("follow/", arrays))
        take_over({"by_lot": training.random_seats}, arrays)
        restore_counts(training, _COUNTS, header["counts"])
        training.curve = [CurvePoint.from_json(point) for point in header["curve"]]
        training.rng.bit_generator.state = header["random"]
