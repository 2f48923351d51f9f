"""How good a network is on samples that it has not learned from."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stammtisch.arena.intervals import mean_interval
from stammtisch.baselines.learned.jass.network import DenseNetwork
from stammtisch.envs.jass.family.names import MODES

_BINS = 10
_CHUNK = 8192
N_CARDS, N_MODES = 36, 6


class Samples(Protocol):
    """What can be measured on: cards or choices of the mode."""

    def __len__(self) -> int: ...

    def batch(self, indices: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]:
        """Return inputs, what is allowed, and what was done."""

    def modes(self, indices: NDArray[Any]) -> NDArray[np.int8]:
        """Return what is played, -1 before the choice."""


def measure(network: DenseNetwork, samples: Samples, indices: NDArray[np.int64]) -> dict[str, Any]:
    """Return accuracies, losses, calibration and confusion on samples, as plain values.

    The four accuracies: over all outputs; among what is allowed; the same where there was a choice; and of the best
    card in the hand, how often it is not legal.
    """
    parts = [_look(network, *samples.batch(chunk)) for chunk in _chunks(indices)]
    seen = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    seen["mode"] = samples.modes(indices)
    free = seen["choices"] > 1
    right, masked = seen["right"], seen["masked"]
    found: dict[str, Any] = {
        "samples": len(right),
        "accuracy": float(right.mean()),
        "masked": float(masked.mean()),
        "masked_interval": list(mean_interval(masked)) if len(masked) > 1 else None,
        "unforced": float(masked[free].mean()) if free.any() else None,
        "unforced_samples": int(free.sum()),
        "illegal": float(seen["illegal"].mean()),
        "loss": float(seen["loss"].mean()),
        "mse": float(seen["mse"].mean()),
        "card_accuracy": float(seen["above"].mean()),
        "random_legal": float((1.0 / seen["choices"]).mean()),
        "calibration": _calibration(seen["sure"][free], masked[free]),
    }
    if network.layers[-1] == N_CARDS:
        found["by_mode"] = {
            MODES[mode]: {
                "samples": int((seen["mode"] == mode).sum()),
                "masked": float(masked[seen["mode"] == mode].mean()),
                "unforced": float(masked[(seen["mode"] == mode) & free].mean()),
            }
            for mode in range(N_MODES)
            if ((seen["mode"] == mode) & free).any()
        }
        found["confusion"] = _confusion(seen, free)
    else:
        table = np.zeros((N_MODES + 1, N_MODES + 1), np.int64)
        np.add.at(table, (seen["target"], seen["best"]), 1)
        found["confusion"] = {"names": list(MODES[: N_MODES + 1]), "said_by_teacher_then_network": table.tolist()}
    return found


def _look(
    network: DenseNetwork, x: NDArray[np.int8], allowed: NDArray[np.int8], targets: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """Return what is to be known of each sample."""
    said = network.scores(x)
    scores = said.astype(np.float64)
    n = np.arange(len(x))
    is_allowed = allowed == 1
    shares = network.shares(said, is_allowed)
    best = np.where(is_allowed, scores, -np.inf).argmax(axis=1)
    if network.output == "logits":
        whole = np.exp(scores - scores.max(axis=1, keepdims=True))
        whole /= whole.sum(axis=1, keepdims=True)
        loss = -np.log(np.maximum(whole[n, targets], 1e-12))
    else:
        whole = scores
        loss = -np.log(np.maximum(shares[n, targets], 1e-12))
    wanted = np.zeros_like(scores)
    wanted[n, targets] = 1
    held = x[:, : scores.shape[1]] == 1 if scores.shape[1] == N_CARDS else is_allowed
    favourite = np.where(held, scores, -np.inf).argmax(axis=1)
    return {
        "right": (scores.argmax(axis=1) == targets).astype(np.float64),
        "masked": (best == targets).astype(np.float64),
        "illegal": (~is_allowed[n, favourite]).astype(np.float64),
        "loss": loss,
        "mse": ((whole - wanted) ** 2).mean(axis=1),
        "above": (scores > scores[n, targets][:, None]).sum(axis=1),
        "choices": is_allowed.sum(axis=1),
        "sure": shares[n, best],
        "best": best,
        "target": targets,
    }


def _calibration(sure: NDArray[np.float64], right: NDArray[np.float64]) -> dict[str, Any]:
    """Compare how sure the network was of its favourite, where it had a choice, with how often it was right."""
    places = np.minimum((sure * _BINS).astype(np.int64), _BINS - 1)
    bins = []
    error = 0.0
    for place in range(_BINS):
        members = places == place
        if members.any():
            said, came = float(sure[members].mean()), float(right[members].mean())
            bins.append({"said": said, "right": came, "samples": int(members.sum())})
            error += abs(said - came) * members.mean()
    return {"error": float(error), "bins": bins}


def _confusion(seen: dict[str, NDArray[Any]], free: NDArray[np.bool_]) -> dict[str, Any]:
    """Count, by mode, which ranks the network would have played instead of the teacher's, where there was a choice."""
    tables: dict[str, Any] = {}
    for mode in range(N_MODES):
        members = free & (seen["mode"] == mode)
        table = np.zeros((9, 9), np.int64)
        np.add.at(table, (seen["target"][members] % 9, seen["best"][members] % 9), 1)
        tables[MODES[mode]] = table.tolist()
    return {"ranks": ["6", "7", "8", "9", "10", "J", "Q", "K", "A"], "played_by_teacher_then_network": tables}


def _chunks(indices: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [indices[at : at + _CHUNK] for at in range(0, len(indices), _CHUNK)] or [indices]
