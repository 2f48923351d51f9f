"""Back ends that answer for a network: plain numpy, PyTorch or OpenVINO, all with the same answers.

A back end is called with questions, ``float32[n, inputs]``, and returns ``NetworkAnswers``. ``numpy`` needs nothing
else and is fast for fully connected networks; ``openvino`` is the fastest for boards (``pip install
stammtisch[openvino]``).
"""

import importlib.util
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.puct_arrays import NetworkAnswers
from stammtisch.baselines.learned.alphazero.shape import NetworkShape, Weights
from stammtisch.envs.core.constants import CHANCE, TERMINAL
from stammtisch.envs.core.game import Game

BACKENDS = ("auto", "numpy", "torch", "openvino")
PRECISIONS = ("bf16", "fp32", "int8")


class NetworkBackend(Protocol):
    """Answers for a network."""

    def __call__(self, questions: NDArray[np.float32]) -> NetworkAnswers:
        """Return logits and values of observations; the arrays may be written over by the next call."""


def make_evaluator(
    shape: NetworkShape, weights: Weights, backend: str = "auto", precision: str = "bf16", sample: Any = None
) -> NetworkBackend:
    """Return a back end for a network, with one thread.

    Args:
        shape: form of the network.
        weights: its weights.
        backend: one of ``BACKENDS``; ``auto`` takes OpenVINO where it is installed, then numpy for fully connected
            networks, then PyTorch where it is installed.
        precision: of OpenVINO; the others compute in single precision.
        sample: float32[n, inputs], observations that OpenVINO's int8 measures its ranges on.

    Raises:
        ValueError: a package is missing.
    """
    if backend == "auto":
        backend = _best_backend(shape)
    package = {"torch": "torch", "openvino": "openvino"}.get(backend)
    if package is not None and importlib.util.find_spec(package) is None:
        extra = {"torch": "train", "openvino": "openvino"}[package]
        raise ValueError(f"backend={backend} needs a package: pip install stammtisch[{extra}]; numpy needs none")
    if backend == "openvino":
        from stammtisch.baselines.learned.alphazero.openvino_backend import OpenVinoEvaluator

        return OpenVinoEvaluator(shape, weights, precision, sample)
    if backend == "torch":
        from stammtisch.baselines.learned.alphazero.torch_network import TorchEvaluator

        return TorchEvaluator(shape, weights)
    return NumpyEvaluator(shape, weights)


def sample_questions(game: Game, count: int = 256) -> NDArray[np.float32]:
    """Return observations of games at random, always the same ones, for int8 to measure its ranges on."""
    rng = np.random.default_rng(0)
    found: list[NDArray[Any]] = []
    state = game.new_state(0)
    while len(found) < count:
        if state.player == TERMINAL:
            state = game.new_state(len(found))
        elif state.player == CHANCE:
            state.sample_chance(rng)
        else:
            found.append(state.view(state.player).observation().reshape(-1))
            state.apply(int(rng.choice(state.legal_actions())))
    return np.stack(found).astype(np.float32)


def _best_backend(shape: NetworkShape) -> str:
    if importlib.util.find_spec("openvino") is not None:
        return "openvino"
    if shape.is_flat or importlib.util.find_spec("torch") is None:
        return "numpy"
    return "torch"


class NumpyEvaluator:
    """A network in plain numpy, in single precision."""

    def __init__(self, shape: NetworkShape, weights: Weights):
        self.shape = shape
        self._weights = {
            name: values.reshape(len(values), -1).T.copy() if values.ndim > 1 else values
            for name, values in weights.items()
        }
        self._near = _neighbourhoods(*shape.planes[1:]) if not shape.is_flat else np.zeros((0, 0), np.int64)

    def __call__(self, questions: NDArray[np.float32]) -> NetworkAnswers:
        x = np.ascontiguousarray(questions, np.float32)
        logits, values = self._flat(x) if self.shape.is_flat else self._tower(x)
        return NetworkAnswers(logits, np.tanh(values))

    def _dense(self, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = x @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return found

    def _flat(self, x: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        for i in range(len(self.shape.sizes)):
            x = np.maximum(self._dense(f"layer{i}", x), 0)
        return self._dense("policy", x), self._dense("value", x)

    def _tower(self, x: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Convolve with the cells in the middle: ``x`` is [n, cells, planes] from here on."""
        n = len(x)
        planes, height, width = self.shape.planes
        x = np.ascontiguousarray(x.reshape(n, planes, height * width).transpose(0, 2, 1))
        x = np.maximum(self._convolve("first", x), 0)
        for i in range(len(self.shape.sizes)):
            inner = np.maximum(self._convolve(f"block{i}.a", x), 0)
            x = np.maximum(x + self._convolve(f"block{i}.b", inner), 0)
        policy = np.maximum(self._dense("policy_planes", x), 0).transpose(0, 2, 1).reshape(n, -1)
        value = np.maximum(self._dense("value_planes", x), 0).transpose(0, 2, 1).reshape(n, -1)
        return self._dense("policy", policy), self._dense("value", np.maximum(self._dense("value_units", value), 0))

    def _convolve(self, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the 3 x 3 convolution of [n, cells, planes]."""
        n, cells, planes = x.shape
        padded = np.concatenate([x, np.zeros((n, 1, planes), np.float32)], axis=1)
        patches = padded[:, self._near].transpose(0, 1, 3, 2).reshape(n * cells, planes * 9)
        return self._dense(name, patches).reshape(n, cells, -1)


def _neighbourhoods(height: int, width: int) -> NDArray[np.int64]:
    """Return the nine cells around every cell, ``int64[cells, 9]``; the number of cells stands for those outside."""
    padded = np.full((height + 2, width + 2), height * width)
    padded[1:-1, 1:-1] = np.arange(height * width).reshape(height, width)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    return windows.reshape(height * width, 9).copy()
