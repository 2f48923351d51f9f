"""Files of networks: safetensors with the form of the network, no pickle."""

import os
from collections.abc import Mapping
from typing import Any

from stammtisch.baselines.learned.alphazero.shape import NetworkShape, Weights
from stammtisch.baselines.learned.tensor_files import read_model, write_model
from stammtisch.envs.core.game import Game
from stammtisch.files.reading import reading

KIND = "alphazero network"


def save_network(
    path: str | os.PathLike[str], game: Game, shape: NetworkShape, weights: Weights, facts: Mapping[str, Any]
) -> None:
    """Write a network, in half the precision that it was trained in, and facts about its training."""
    halves = {name: values.astype("float16") for name, values in weights.items()}
    write_model(path, KIND, game, halves, {"network": shape.name, "facts": dict(facts)})


def load_network(path: str | os.PathLike[str], game: Game) -> tuple[NetworkShape, Weights, dict[str, Any]]:
    """Read a network that was trained for this game: its form, its weights and facts about it.

    Raises:
        BadFile: the file is damaged, something else, or made for another game.
    """
    arrays, header = read_model(path, KIND, game)
    with reading(path, KIND):
        name = header["network"]
        if not isinstance(name, str):
            raise ValueError(f"it has a network {name!r}")
        shape = NetworkShape.for_game(game, name)
        return shape, shape.check(arrays), dict(header["facts"])
