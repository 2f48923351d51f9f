"""Checkpoints of ``train rl-jass``: networks, optimizers, the latest deals and random states in one file."""

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.tensor_files import named, read_tensors, under, write_tensors
from stammtisch.envs.jass.family.cards import N_CARDS
from stammtisch.envs.jass.family.sight import CARD_LEN, OPEN_LEN, TRUMP_LEN, TRUMP_OUT
from stammtisch.files.reading import reading
from stammtisch.training.checkpoints import optimizer_arrays, restore_optimizer, tensors_of
from stammtisch.training.counts import checked_points, restore_counts
from stammtisch.training.evaluator import CurvePoint
from stammtisch.training.rl_jass.table import Decisions
from stammtisch.training.settings import check_same_settings

if TYPE_CHECKING:
    from stammtisch.training.rl_jass.learner import RLJassTraining

KIND = "rl-jass checkpoint"
_FREE = ("minutes", "threads")
_COUNTS = ("deals", "updates", "next_validation", "seconds", "cpu_seconds")


def save_rl_checkpoint(path: str | os.PathLike[str], training: "RLJassTraining") -> None:
    """Write a checkpoint; one of that name is replaced at once."""
    arrays: dict[str, NDArray[Any]] = {}
    parts = {**training.networks, "anchor": training.anchor}
    parts |= {f"average {name}": network for name, network in training.averages.items()}
    for name, network in parts.items():
        arrays |= {f"{name}/{key}": tensor.detach().numpy() for key, tensor in network.state_dict().items()}
    for name, optimizer in training.optimizers.items():
        arrays |= named(f"optimizer {name}/", optimizer_arrays(optimizer))
    for place, kept in enumerate(training.memory):
        arrays |= named(f"memory {place}/", _packed(kept))
    header = {
        "kind": KIND,
        "settings": training.settings.to_dict(),
        "counts": {name: getattr(training, name) for name in _COUNTS},
        "curve": [asdict(point) for point in training.curve],
        "points": training.points,
        "rounds": len(training.memory),
        "random": training.rng.bit_generator.state,
    }
    write_tensors(path, arrays, header)


def load_rl_checkpoint(path: str | os.PathLike[str], training: "RLJassTraining") -> None:
    """Put a fresh training into the state of a checkpoint.

    Raises:
        BadFile: the file is damaged, something else, or of a training with other settings.
    """
    arrays, header = read_tensors(path, KIND)
    with reading(path, KIND):
        check_same_settings(header["settings"], training.settings.to_dict(), _FREE)
        parts = {**training.networks, "anchor": training.anchor}
        parts |= {f"average {name}": network for name, network in training.averages.items()}
        for name, network in parts.items():
            network.load_state_dict(tensors_of(under(f"{name}/", arrays)))
        for name, optimizer in training.optimizers.items():
            restore_optimizer(optimizer, under(f"optimizer {name}/", arrays))
        training.memory = [_unpacked(under(f"memory {place}/", arrays)) for place in range(header["rounds"])]
        restore_counts(training, _COUNTS, header["counts"])
        training.curve = [CurvePoint.from_json(point) for point in header["curve"]]
        training.points = checked_points(header["points"])
        training.rng.bit_generator.state = header["random"]


def _packed(kept: Decisions) -> dict[str, NDArray[Any]]:
    """Return decisions as arrays; ones and zeros take a bit each."""
    return {
        "sights": np.packbits(kept.sights, axis=1),
        "legal": np.packbits(kept.legal, axis=1),
        "opens": np.packbits(kept.opens, axis=1),
        "values": kept.values,
        "returns": kept.returns,
        "trumps": kept.trumps,
        "modes": kept.modes,
    }


def _unpacked(arrays: dict[str, NDArray[Any]]) -> Decisions:
    """Return decisions from their arrays, each of which has the form that it must have."""
    n, modes = len(arrays["returns"]), len(arrays["modes"])
    forms: dict[str, tuple[Any, tuple[int, ...]]] = {
        "sights": (np.uint8, (n, -(-CARD_LEN // 8))),
        "legal": (np.uint8, (n, -(-N_CARDS // 8))),
        "opens": (np.uint8, (n, -(-OPEN_LEN // 8))),
        "values": (np.float32, (n, N_CARDS)),
        "returns": (np.float32, (n,)),
        "trumps": (np.int8, (modes, 2, TRUMP_LEN)),
        "modes": (np.float32, (modes, 2, TRUMP_OUT)),
    }
    for name, (dtype, shape) in forms.items():
        if arrays[name].dtype != dtype or arrays[name].shape != shape or not arrays[name].size:
            raise ValueError(f"its {name} are {arrays[name].dtype} of the shape {arrays[name].shape}")
    return Decisions(
        np.unpackbits(arrays["sights"], axis=1, count=CARD_LEN).astype(np.int8),
        np.unpackbits(arrays["legal"], axis=1, count=N_CARDS).astype(bool),
        np.array(arrays["values"]),
        np.unpackbits(arrays["opens"], axis=1, count=OPEN_LEN).astype(np.int8),
        np.array(arrays["returns"]),
        np.array(arrays["trumps"]),
        np.array(arrays["modes"]),
    )
