"""A network in OpenVINO: the graph is built from the weights, and one request is asked again and again."""

from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset13 as ops

from stammtisch.baselines.kernels.puct_arrays import NetworkAnswers
from stammtisch.baselines.learned.alphazero.evaluators import NumpyEvaluator
from stammtisch.baselines.learned.alphazero.shape import NetworkShape, Weights

_LEVELS = 255  # of int8
_core: Any = None


class OpenVinoEvaluator:
    """Answers with OpenVINO, in bf16 where the processor has it, on one thread.

    Args:
        shape: form of the network.
        weights: its weights.
        precision: ``"bf16"``, ``"fp32"`` or ``"int8"``.
        sample: float32[n, inputs], observations on which int8 measures the ranges of convolutions.
    """

    def __init__(self, shape: NetworkShape, weights: Weights, precision: str = "bf16", sample: Any = None):
        if precision == "int8" and sample is None:
            raise ValueError("precision=int8 needs observations to measure its ranges on; bf16 and fp32 do not")
        ranges = _ranges(shape, weights, sample) if precision == "int8" and not shape.is_flat else {}
        model = _Graph(shape, weights, ranges).model()
        hint = "bf16" if precision == "bf16" else "f32"
        options = {
            "INFERENCE_NUM_THREADS": 1,
            "NUM_STREAMS": 1,
            "INFERENCE_PRECISION_HINT": hint,
            "PERFORMANCE_HINT": "LATENCY",
            "ENABLE_CPU_PINNING": False,  # it would bind the caller to the first core, and so would every other process
        }
        self._request = _shared_core().compile_model(model, "CPU", options).create_infer_request()
        self._asked: NDArray[np.float32] | None = None

    def __call__(self, questions: NDArray[np.float32]) -> NetworkAnswers:
        if self._asked is not questions:
            self._asked = questions
            self._request.set_input_tensor(ov.Tensor(questions, shared_memory=True))
        self._request.infer()
        return NetworkAnswers(self._request.get_output_tensor(0).data, self._request.get_output_tensor(1).data)


def _shared_core() -> Any:
    global _core
    if _core is None:
        _core = ov.Core()
    return _core


class _Graph:
    """Builds the graph of one network."""

    def __init__(self, shape: NetworkShape, weights: Weights, ranges: dict[str, float]):
        self._shape, self._weights, self._ranges = shape, weights, ranges

    def model(self) -> Any:
        asked = ops.parameter([-1, self._shape.inputs], np.float32)
        logits, values = self._flat(asked) if self._shape.is_flat else self._tower(asked)
        return ov.Model([logits, ops.tanh(values)], [asked])

    def _flat(self, x: Any) -> tuple[Any, Any]:
        for i in range(len(self._shape.sizes)):
            x = ops.relu(self._dense(f"layer{i}", x))
        return self._dense("policy", x), self._dense("value", x)

    def _tower(self, asked: Any) -> tuple[Any, Any]:
        x = ops.reshape(asked, np.array([-1, *self._shape.planes]), special_zero=False)
        x = ops.relu(self._convolve("first", x))
        for i in range(len(self._shape.sizes)):
            inner = ops.relu(self._convolve(f"block{i}.a", x))
            x = ops.relu(ops.add(x, self._convolve(f"block{i}.b", inner)))
        policy = self._flattened(ops.relu(self._convolve("policy_planes", x, 0)))
        value = self._flattened(ops.relu(self._convolve("value_planes", x, 0)))
        return self._dense("policy", policy), self._dense("value", ops.relu(self._dense("value_units", value)))

    def _flattened(self, x: Any) -> Any:
        return ops.reshape(x, np.array([0, -1]), special_zero=True)

    def _dense(self, name: str, x: Any) -> Any:
        product = ops.matmul(x, ops.constant(self._weights[f"{name}.weight"]), False, True)
        return ops.add(product, ops.constant(self._weights[f"{name}.bias"]))

    def _convolve(self, name: str, x: Any, padding: int = 1) -> Any:
        kernel = ops.constant(self._weights[f"{name}.weight"])
        if name in self._ranges:
            highest = ops.constant(np.float32(self._ranges[name]))
            lowest = ops.constant(np.float32(0.0))
            x = ops.fake_quantize(x, lowest, highest, lowest, highest, _LEVELS + 1)
            bound = np.abs(self._weights[f"{name}.weight"]).max(axis=(1, 2, 3), keepdims=True) + np.float32(1e-9)
            low, high = ops.constant(-bound), ops.constant(bound)
            kernel = ops.fake_quantize(kernel, low, high, low, high, _LEVELS)
        pads = [padding, padding]
        found = ops.convolution(x, kernel, [1, 1], pads, pads, [1, 1])
        return ops.add(found, ops.constant(self._weights[f"{name}.bias"].reshape(1, -1, 1, 1)))


def _ranges(shape: NetworkShape, weights: Weights, sample: NDArray[np.float32]) -> dict[str, float]:
    """Return the greatest input of every convolution but the first and those of the heads, on a sample."""
    found: dict[str, float] = {}

    class Watching(NumpyEvaluator):
        def _convolve(self, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
            if name != "first":
                found[name] = max(float(x.max()), 1e-6)
            return super()._convolve(name, x)

    Watching(shape, weights)(sample)
    return found
