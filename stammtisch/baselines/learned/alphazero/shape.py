"""The form of a policy and value network: what goes in, what comes out, and the names and sizes of its weights.

There are three kinds. ``residual`` is a tower of convolutions over the planes of a board: a first convolution, then
blocks of two with a short cut, without batch normalisation; the second convolution of every block begins at zero
(Zhang, Dauphin and Ma 2019), so that a fresh tower hands its input through. ``mlp`` is fully connected, for flat
observations. ``suits`` is for cards: the same, but the units of a layer come once per suit, and training gives all
weights the same value that only differ by the names of suits, so that what was learned in hearts is known in clubs. All
end in a head of logits, one per action, and a head of values between -1 and 1.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.kernels.puct_arrays import head_count
from stammtisch.baselines.learned.alphazero.suits import suit_orders
from stammtisch.envs.core.game import Game

Weights = dict[str, NDArray[np.float32]]

RESIDUAL, MLP, SUITS = "residual", "mlp", "suits"
POLICY_PLANES, VALUE_PLANES, VALUE_UNITS = 4, 4, 64
_MOST_UNITS = 1 << 16
_TOWER = re.compile(r"(\d+)x(\d+)")
_LAYERS = re.compile(r"(mlp|suits)-(\d+(?:-\d+)*)")


@dataclass(frozen=True)
class NetworkShape:
    """What a network looks like.

    Attributes:
        kind: ``"residual"``, ``"mlp"`` or ``"suits"``.
        planes: planes, height and width of an observation; a flat one has height and width 1.
        sizes: filters of every block, or units of every layer.
        actions: number of logits.
        heads: number of values.
        suits: how often the units of a layer come, once per suit; 1 for other kinds.
    """

    kind: str
    planes: tuple[int, int, int]
    sizes: tuple[int, ...]
    actions: int
    heads: int
    suits: int = 1

    @property
    def is_flat(self) -> bool:
        """Whether its layers are fully connected."""
        return self.kind != RESIDUAL

    @property
    def inputs(self) -> int:
        """Length of a flat observation."""
        return math.prod(self.planes)

    @classmethod
    def for_game(cls, game: Game, network: str) -> Self:
        """Return the shape of a network for a game.

        Args:
            game: the game.
            network: ``"4x32"`` for four blocks of 32 filters, ``"mlp-256-256"`` for two layers of 256 units,
                ``"suits-64-64"`` for two layers of 64 units per suit.

        Raises:
            ValueError: it is none of these, the game shows no planes, or it has no suits that are alike.
        """
        shape = game.info.observation_shape
        rules = game.rules
        suits = 1
        if found := _LAYERS.fullmatch(network):
            kind = found[1]
            suits = suit_orders(game).shape[1] if kind == SUITS else 1
            sizes = tuple(suits * int(units) for units in found[2].split("-"))
        elif found := _TOWER.fullmatch(network):
            if len(shape) != 3:
                raise ValueError(
                    f'{game.id} shows a flat observation of {rules.OBS_LEN} values: give layers such as "mlp-256-256", '
                    f'not "{network}"'
                )
            kind, sizes = RESIDUAL, (int(found[2]),) * int(found[1])
        else:
            raise ValueError(
                f'a network is blocks x filters such as "4x32", or layers such as "mlp-256-256" or "suits-64-64", not '
                f'"{network}"'
            )
        if not sizes or any(not 1 <= size <= _MOST_UNITS for size in sizes):
            raise ValueError(f'"{network}" has a layer without units, or with too many')
        planes = (shape[0], shape[1], shape[2]) if kind == RESIDUAL else (rules.OBS_LEN, 1, 1)
        return cls(kind, planes, sizes, rules.N_ACTIONS, head_count(rules), suits)

    @property
    def name(self) -> str:
        """The text that ``for_game`` reads."""
        if self.kind == RESIDUAL:
            return f"{len(self.sizes)}x{self.sizes[0]}"
        return "-".join([self.kind, *(str(size // self.suits) for size in self.sizes)])

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every weight by its name; each ``.weight`` has a ``.bias``."""
        found: dict[str, tuple[int, ...]] = {}

        def add(name: str, *shape: int) -> None:
            found[f"{name}.weight"], found[f"{name}.bias"] = shape, shape[:1]

        planes, height, width = self.planes
        if self.is_flat:
            before = self.inputs
            for i, units in enumerate(self.sizes):
                add(f"layer{i}", units, before)
                before = units
            add("policy", self.actions, before)
            add("value", self.heads, before)
            return found
        filters = self.sizes[0]
        add("first", filters, planes, 3, 3)
        for i in range(len(self.sizes)):
            add(f"block{i}.a", filters, filters, 3, 3)
            add(f"block{i}.b", filters, filters, 3, 3)
        add("policy_planes", POLICY_PLANES, filters, 1, 1)
        add("policy", self.actions, POLICY_PLANES * height * width)
        add("value_planes", VALUE_PLANES, filters, 1, 1)
        add("value_units", VALUE_UNITS, VALUE_PLANES * height * width)
        add("value", self.heads, VALUE_UNITS)
        return found

    def fresh_weights(self, seed: int) -> Weights:
        """Return weights of a network that has learned nothing: it thinks all actions equal and everything even."""
        rng = np.random.default_rng(seed)
        weights: Weights = {}
        for name, shape in self.weight_shapes().items():
            values = np.zeros(shape, np.float32)
            layer = name.rpartition(".")[0]
            if name.endswith(".weight") and not layer.endswith(".b") and layer not in ("policy", "value"):
                deviation = math.sqrt(2.0 / math.prod(shape[1:]))
                values = (rng.standard_normal(shape) * deviation).astype(np.float32)
            weights[name] = values
        return weights

    def check(self, weights: Mapping[str, NDArray[Any]]) -> Weights:
        """Return the weights of this network among arrays.

        Raises:
            ValueError: one is missing, or has another shape.
        """
        found: Weights = {}
        for name, shape in self.weight_shapes().items():
            if name not in weights or weights[name].shape != shape:
                given = weights[name].shape if name in weights else "missing"
                raise ValueError(f"its weights {name} are {given}, not {shape}")
            found[name] = np.ascontiguousarray(weights[name], np.float32)
        return found
