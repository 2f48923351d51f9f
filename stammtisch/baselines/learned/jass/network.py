"""Networks of Schieber: fully connected, without PyTorch, in one file for the cards and for the mode."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.dense import forward_rows
from stammtisch.baselines.learned.jass.encodings import (
    CARD_INPUTS,
    MODE_INPUTS,
    N_CARDS,
    N_CHOICES,
    SCHIEBER,
    SIGHT_INPUTS,
    SIGHTS,
    frames,
    inputs_of,
    weights_in,
)
from stammtisch.baselines.learned.tensor_files import read_tensors, write_tensors
from stammtisch.files.reading import reading

KIND = "jass network"
LEAK = 0.01  # slope of leaky units below zero
_FEW = 64  # positions for which the kernel, which skips zeros, is quicker than a product of matrices
_MOST_LAYERS, _MOST_UNITS = 64, 1 << 20
# Networks on sights say values in tens of points: so many make a choice e times less likely.
VALUE_SOFTNESS = {SIGHTS["card"]: 0.4, SIGHTS["trump"]: 1.0}


@dataclass(frozen=True, eq=False)
class DenseNetwork:
    """A fully connected network; batch normalisation is already part of its weights.

    Attributes:
        encoding: what it looks at.
        layers: units from the inputs to the outputs.
        weights: for each layer float32[inputs, units] and float32[units].
        activation: of hidden layers, "relu" or "leaky".
        residual: whether a hidden layer as wide as its input adds it.
        sorted_suits: whether it sees positions in the frame in which trumps are first and suits go by the hand.
        output: "logits" of a softmax, or "values" as they are.
    """

    encoding: str
    layers: tuple[int, ...]
    weights: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
    activation: str = "relu"
    residual: bool = False
    sorted_suits: bool = False
    output: str = "logits"
    sizes: NDArray[np.int64] = field(init=False, repr=False)
    params: NDArray[np.float32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        expected = [(a, b) for a, b in zip(self.layers, self.layers[1:], strict=False)]
        if len(self.layers) < 2 or [w.shape for w, _ in self.weights] != expected:
            raise ValueError(f"weights do not fit layers {list(self.layers)}")
        if [b.shape for _, b in self.weights] != [(units,) for units in self.layers[1:]]:
            raise ValueError(f"biases do not fit layers {list(self.layers)}")
        if self.layers[0] != inputs_of(self.encoding):
            raise ValueError(f"{self.encoding} has {inputs_of(self.encoding)} inputs, not {self.layers[0]}")
        if self.activation not in ("relu", "leaky") or self.output not in ("logits", "values"):
            raise ValueError(f"no activation {self.activation!r} with output {self.output!r}")
        packed = [part.astype(np.float32).reshape(-1) for layer in self.weights for part in layer]
        object.__setattr__(self, "sizes", np.array(self.layers, np.int64))
        object.__setattr__(self, "params", np.concatenate(packed))

    @property
    def leak(self) -> np.float32:
        """Slope of hidden units below zero."""
        return np.float32(LEAK if self.activation == "leaky" else 0.0)

    def scores(self, rows: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the outputs for encoded positions ``int8[n, inputs]``, ``float32[n, outputs]``."""
        if not self.sorted_suits:
            return self._forward(rows)
        turns = frames(self.encoding)
        chosen = turns.of(rows)
        return turns.original(self._forward(turns.turned(rows, chosen)), chosen)

    def _forward(self, rows: NDArray[np.int8]) -> NDArray[np.float32]:
        if len(rows) <= _FEW:
            out = np.empty((len(rows), self.layers[-1]), np.float32)
            forward_rows(np.ascontiguousarray(rows), self.sizes, self.params, self.leak, self.residual, out)
            return out
        signal = rows.astype(np.float32)
        for place, (weight, bias) in enumerate(self.weights):
            before, signal = signal, signal @ weight + bias
            if place < len(self.weights) - 1:
                signal = np.where(signal < 0, signal * self.leak, signal)
                if self.residual and place > 0 and before.shape == signal.shape:
                    signal = signal + before
        return signal

    def probabilities(
        self, rows: NDArray[np.int8], allowed: NDArray[Any], temperature: float = 1.0
    ) -> NDArray[np.float64]:
        """Return what the network says as probabilities ``float64[n, outputs]`` among what is allowed."""
        return self.shares(self.scores(rows), allowed, temperature)

    def shares(
        self, scores: NDArray[np.float32], allowed: NDArray[Any], temperature: float = 1.0
    ) -> NDArray[np.float64]:
        """Return outputs as probabilities ``float64[n, outputs]`` among what is allowed."""
        said, allowed = scores.astype(np.float64), np.asarray(allowed, bool)
        if self.output == "values" and self.encoding not in SIGHT_INPUTS:
            # A network that learned ones and zeros by their squared error.
            shares = np.where(allowed, np.maximum(said, 1e-9), 0.0) ** (1.0 / temperature)
        else:
            softness = 1.0 if self.output == "logits" else VALUE_SOFTNESS[self.encoding]
            said = np.where(allowed, said / (softness * temperature), -np.inf)
            shares = np.exp(said - said.max(axis=1, keepdims=True))
        found: NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
        return found

    def facts(self) -> dict[str, Any]:
        """Return everything but the weights, as plain values."""
        return {
            "encoding": self.encoding,
            "layers": list(self.layers),
            "activation": self.activation,
            "residual": self.residual,
            "sorted_suits": self.sorted_suits,
            "output": self.output,
            "weights": weights_in(self.layers),
        }


@dataclass(frozen=True, eq=False)
class JassNetworks:
    """What a file holds: a network for the cards, perhaps one for the mode, one that values positions, and facts."""

    card: DenseNetwork
    trump: DenseNetwork | None = None
    value: DenseNetwork | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.card.encoding not in (*CARD_INPUTS, SIGHTS["card"]) or self.card.layers[-1] != N_CARDS:
            raise ValueError(f"a network for cards has {N_CARDS} outputs, not {self.card.layers[-1]}")
        if self.trump is not None and (
            self.trump.encoding not in (*MODE_INPUTS, SIGHTS["trump"])
            or self.trump.layers[-1] not in (N_CHOICES - 1, N_CHOICES)
        ):
            raise ValueError(f"a network for the mode has 6 or 7 outputs, not {self.trump.layers[-1]}")
        if self.value is not None and self.value.encoding not in (*CARD_INPUTS, SIGHTS["value"]):
            raise ValueError(f"a network for values looks at positions, not at {self.value.encoding}")

    def parts(self) -> dict[str, DenseNetwork]:
        """Return the networks by name."""
        named = {"card": self.card, "trump": self.trump, "value": self.value}
        return {name: network for name, network in named.items() if network is not None}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the networks; a file of that name is replaced at once."""
        arrays = {}
        for name, network in self.parts().items():
            for place, (weight, bias) in enumerate(network.weights):
                arrays[f"{name}/{place}/weight"] = weight.astype(np.float32)
                arrays[f"{name}/{place}/bias"] = bias.astype(np.float32)
        header = {
            "kind": KIND,
            "game": SCHIEBER,
            "networks": {name: network.facts() for name, network in self.parts().items()},
            "facts": dict(self.facts),
        }
        write_tensors(path, arrays, header)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "JassNetworks":
        """Read networks.

        Raises:
            BadFile: the file is damaged or something else.
        """
        arrays, header = read_tensors(path, KIND)
        with reading(path, KIND):
            told = header["networks"]
            if "card" not in told or set(told) - {"card", "trump", "value"}:
                raise ValueError(f"it has networks for {', '.join(map(repr, told))}")
            parts = {name: network_from(name, told[name], arrays) for name in told}
            facts = header.get("facts", {})
            if not isinstance(facts, dict):
                raise ValueError("its facts are no table")
            return cls(**parts, facts=facts)


def on_sights(network: DenseNetwork) -> DenseNetwork:
    """Return a network for the mode that sorts suits as one on sights, which has the same frame; others as they are."""
    is_same = network.encoding == "trump-37" and network.sorted_suits
    return replace(network, encoding=SIGHTS["trump"], sorted_suits=False) if is_same else network


def named_suits(network: DenseNetwork) -> DenseNetwork:
    """Return a network for the mode on sights as one that sorts suits and says modes by their names; others as is."""
    is_sight = network.encoding == SIGHTS["trump"]
    return replace(network, encoding="trump-37", sorted_suits=True) if is_sight else network


def network_from(name: str, told: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> DenseNetwork:
    """Return a network from its facts and the arrays of a file, ``NAME/0/weight`` and so on.

    Raises:
        ValueError: they do not fit each other, or something is not finite.
    """
    layers: Sequence[Any] = told["layers"]
    if not 2 <= len(layers) <= _MOST_LAYERS or any(type(n) is not int or not 0 < n <= _MOST_UNITS for n in layers):
        raise ValueError(f"it has layers {layers!r}")
    weights = []
    for place in range(len(layers) - 1):
        weight, bias = arrays[f"{name}/{place}/weight"], arrays[f"{name}/{place}/bias"]
        if weight.dtype != np.float32 or bias.dtype != np.float32 or not _is_finite(weight, bias):
            raise ValueError(f"it is damaged: layer {place} of {name} is not finite everywhere")
        weights.append((np.ascontiguousarray(weight), bias))
    flags = {key: bool(told[key]) for key in ("residual", "sorted_suits")}
    return DenseNetwork(
        str(told["encoding"]),
        tuple(layers),
        tuple(weights),
        str(told["activation"]),
        output=str(told["output"]),
        **flags,
    )


def _is_finite(*arrays: NDArray[Any]) -> bool:
    return all(bool(np.isfinite(array).all()) for array in arrays)
