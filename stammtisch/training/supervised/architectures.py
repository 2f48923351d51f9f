"""Networks by name: those of the JassBot thesis (HSR, 2017) with their training, and modern ones, one the default."""

from dataclasses import dataclass, field
from typing import Any

MODERN = "modern"
MODERN_TRUMP = "modern-trump"
# The default: networks on positions without names of colours, which `train rl-jass` and searches take as well.
SIGHTED = "sighted"
SIGHTED_TRUMP = "sighted-trump"


@dataclass(frozen=True)
class Architecture:
    """A network that has a name.

    Attributes:
        layers: units from the inputs to the outputs, as ``"186-560-36"``.
        settings: what else the name stands for: settings of the training.
    """

    layers: str
    settings: dict[str, Any] = field(default_factory=dict)


def _thesis(layers: str, **changes: Any) -> Architecture:
    """Return a network of the thesis: batch normalisation, L2 on the output, gradient descent on squared errors."""
    plain: dict[str, Any] = {
        "optimizer": "sgd",
        "loss": "mse",
        "output": "linear",
        "rate": 0.005,
        "final_rate": 1.0,
        "batch": 32,
        "batch_norm": True,
        "l2": 0.01,
        "weight_decay": 0.0,
        "residual": False,
        "symmetry": "off",
        "soften": 0.0,
        "activation": "relu",
        "dropout": 0.0,
    }
    return Architecture(layers, {**plain, **changes})


_MILLION = "186-560-1680-180-36"
_CROSS = {"loss": "cross-entropy", "output": "softmax"}
_MODERN_WAY = {
    "optimizer": "adam",
    "loss": "cross-entropy",
    "output": "softmax",
    "rate": 0.0015,
    "final_rate": 0.02,
    "batch": 256,
    "batch_norm": False,
    "l2": 0.0,
    "weight_decay": 1e-5,
    "symmetry": "sort",
    "activation": "relu",
    "dropout": 0.0,
}

CARD_NETWORKS: dict[str, Architecture] = {
    SIGHTED: Architecture("537-384-256-36", {**_MODERN_WAY, "residual": False, "soften": 4.0}),
    MODERN: Architecture("378-256-256-256-36", {**_MODERN_WAY, "residual": True, "soften": 4.0}),
    "SL_42_1": _thesis("42-38-36"),
    "SL_150_1": _thesis("150-50-36"),
    "SL_150_1_200": _thesis("150-200-36"),
    "SL_150_2": _thesis("150-200-100-36"),
    "SL_150_7": _thesis("150-220-340-500-340-220-150-80-36"),
    "SL_150_9": _thesis("150-220-340-500-760-500-340-220-150-80-36"),
    "SL_186_2": _thesis("186-420-186-36"),
    "SL_186_5_Faktor1.5": _thesis("186-280-180-120-80-53-36"),
    "SL_186_3_Faktor2": _thesis("186-300-150-70-36"),
    "SL_186_3_Faktor3": _thesis("186-560-180-60-36"),
    "SL_186_3_1Mio": _thesis(_MILLION),
    "SL_186_5_2Mio": _thesis("186-560-1680-560-180-60-36"),
    "SL_186_7_20Mio": _thesis("186-560-1680-5040-1680-560-180-60-36"),
    "SL_186_3_1Mio_slow": _thesis(_MILLION, rate=0.0001),
    "SL_186_3_1Mio_leaky": _thesis(_MILLION, activation="leaky"),
    "SL_186_3_1Mio_sgd_cc": _thesis(_MILLION, **_CROSS),
    "SL_186_3_1Mio_adam_mse": _thesis(_MILLION, optimizer="adam", output="softmax"),
    "SL_186_3_1Mio_adam_cc": _thesis(_MILLION, optimizer="adam", **_CROSS),
}
TRUMP_NETWORKS: dict[str, Architecture] = {
    MODERN_TRUMP: Architecture("37-128-128-7", {**_MODERN_WAY, "residual": True, "soften": 4.0}),
    SIGHTED_TRUMP: Architecture("37-128-128-7", {**_MODERN_WAY, "residual": False, "soften": 4.0}),
    "SL_37_1": _thesis("37-37-7", output="softmax"),
    "SL_37_1_relu_adam_cc": _thesis("37-37-7", optimizer="adam", **_CROSS),
}
# The trump network that goes with a card network; with those of the thesis, its last.
TRUMP_OF = {MODERN: MODERN_TRUMP, SIGHTED: SIGHTED_TRUMP}
THESIS_TRUMP = "SL_37_1_relu_adam_cc"


def units(layers: str) -> tuple[int, ...]:
    """Return the units of layers written as ``"186-560-36"``.

    Raises:
        ValueError: they are written otherwise.
    """
    parts = layers.split("-")
    if len(parts) < 2 or not all(part.isascii() and part.isdigit() and 0 < int(part) < 1 << 20 for part in parts):
        raise ValueError(f'layers are written as "186-560-1680-180-36", not "{layers}"')
    return tuple(map(int, parts))
