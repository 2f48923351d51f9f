"""``dqn``: deep Q-learning with a network per phase of the game, as in the deep-Q report on Mühle.

Mühle and its relatives have three networks, for a player that is placing, moving or flying; every other game has one.
"""

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.baselines.learned.tensor_files import checked_layers, read_model, write_model
from stammtisch.envs.core.agent import Agent
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import Option, OptionTable
from stammtisch.envs.core.state import View
from stammtisch.envs.core.streams import Seed
from stammtisch.files.reading import reading

if TYPE_CHECKING:
    import torch

KIND = "dqn model"
_ONE_NETWORK = ("all",)


def phase_names(game: Game, networks: int | None = None) -> tuple[str, ...]:
    """Return the phases that have a network of their own; by default those of the game.

    Raises:
        ValueError: the game, or its observation, does not have so many phases.
    """
    if networks is None or networks == len(game.phases):
        return game.phases
    if networks == 1:
        return _ONE_NETWORK
    raise ValueError(f"{game!r} cannot have {networks} networks; its phases are {', '.join(game.phases)}, or give 1")


def phases_of(game: Game, names: Sequence[str], observations: NDArray[Any]) -> NDArray[np.int64]:
    """Return the phase of the observer in each flat observation, ``int64[n]``, as an index into ``names``."""
    return np.zeros(len(observations), np.int64) if len(names) == 1 else game.phases_of(observations)


def phase_actions(game: Game, names: Sequence[str]) -> list[NDArray[np.int64]]:
    """Return the actions that can ever be legal in each phase, ascending: the outputs of its network."""
    return [np.arange(game.info.num_actions)] if len(names) == 1 else game.phase_actions()


def build_networks(game: Game, layers: Sequence[int], names: Sequence[str]) -> "torch.nn.ModuleList":
    """Return one fully connected network per phase, from a flat observation to a value per action of the phase."""
    from torch import nn

    networks = nn.ModuleList()
    for actions in phase_actions(game, names):
        sizes = [game.rules.OBS_LEN, *layers]
        parts: list[nn.Module] = []
        for before, after in itertools.pairwise(sizes):
            parts += [nn.Linear(before, after), nn.ReLU()]
        networks.append(nn.Sequential(*parts, nn.Linear(sizes[-1], len(actions))))
    return networks


def action_values(
    networks: "torch.nn.ModuleList", game: Game, names: Sequence[str], observations: NDArray[Any]
) -> NDArray[np.float32]:
    """Return ``float32[n, num_actions]``, each flat observation valued by the network of its phase; -inf elsewhere."""
    import torch

    phases = phases_of(game, names, observations)
    values = np.full((len(observations), game.rules.N_ACTIONS), -np.inf, np.float32)
    with torch.no_grad():
        for phase, actions in enumerate(phase_actions(game, names)):
            members = np.flatnonzero(phases == phase)
            if len(members):
                found = networks[phase](torch.from_numpy(observations[members].astype(np.float32)))
                values[members[:, None], actions] = found.numpy()
    return values


class DeepQ(Agent):
    """Plays the legal action with the highest Q-value of a trained network."""

    OPTIONS: ClassVar[OptionTable] = {
        "file": Option("", "a file of `stammtisch train dqn`", names="file"),
        "epsilon": Option(0.0, "share of moves drawn at random", minimum=0, maximum=1),
    }
    MAIN_OPTION = "file"

    def __init__(self, game: Game, seed: Seed = None, spec: str = "dqn", **options: Any):
        super().__init__(game, seed, spec, **options)
        file = self.options["file"]
        if not file:
            raise ValueError("agent dqn needs the file of a model: dqn:FILE")
        self.networks, header = load_networks(file, game)
        self.phases = tuple(header["phases"])
        self._rng = np.random.default_rng(seed)

    @classmethod
    def of(cls, game: Game, networks: "torch.nn.ModuleList", phases: Sequence[str]) -> "DeepQ":
        """Return a player on networks in memory, such as those in training."""
        agent = cls.__new__(cls)
        Agent.__init__(agent, game, spec="dqn")
        agent.networks, agent.phases = networks, tuple(phases)
        agent._rng = np.random.default_rng()
        return agent

    def reset(self, seed: Seed = None) -> None:
        if seed is not None:
            self._rng = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        mask = view.legal_mask()
        epsilon = self.options["epsilon"]
        if epsilon and self._rng.random() < epsilon:
            return int(self._rng.choice(np.flatnonzero(mask)))
        observation = view.observation().reshape(1, -1)
        values = action_values(self.networks, self.game, self.phases, observation)[0]
        return int(np.where(mask == 1, values, -np.inf).argmax())


def save_networks(
    path: str | os.PathLike[str],
    networks: "torch.nn.ModuleList",
    game: Game,
    layers: Sequence[int],
    phases: Sequence[str],
    facts: Mapping[str, Any],
) -> None:
    """Write all networks of a player into one file."""
    arrays = {f"network/{name}": tensor.detach().numpy() for name, tensor in networks.state_dict().items()}
    write_model(path, KIND, game, arrays, {"layers": list(layers), "phases": list(phases), "facts": dict(facts)})


def load_networks(path: str | os.PathLike[str], game: Game) -> tuple["torch.nn.ModuleList", dict[str, Any]]:
    """Read networks that were trained for this game, and their header.

    Raises:
        BadFile: the file is damaged, something else, or made for another game.
    """
    try:
        import torch
    except ImportError as error:
        raise ValueError(f"agent dqn needs PyTorch: pip install stammtisch[train] ({error})") from None
    arrays, header = read_model(path, KIND, game)
    with reading(path, KIND):
        phases = header["phases"]
        if phases not in (list(game.phases), list(_ONE_NETWORK)):
            raise ValueError(f"it has networks for {phases!r}, not for {', '.join(game.phases)}")
        networks = build_networks(game, checked_layers(header["layers"], game.rules.OBS_LEN, arrays), phases)
        found = {k.removeprefix("network/"): torch.from_numpy(np.array(v)) for k, v in arrays.items()}
        networks.load_state_dict({name: found[name] for name in networks.state_dict()})
    return networks, header
