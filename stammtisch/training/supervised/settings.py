"""The settings of ``train supervised``: one dataclass; a network that has a name brings its own."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from stammtisch.envs.core.options import option
from stammtisch.errors import unknown
from stammtisch.training.settings import LearnerSettings
from stammtisch.training.supervised.architectures import (
    CARD_NETWORKS,
    SIGHTED,
    THESIS_TRUMP,
    TRUMP_NETWORKS,
    TRUMP_OF,
    Architecture,
    units,
)

_UNSET = -1.0


@dataclass(frozen=True)
class SupervisedSettings(LearnerSettings):
    """Everything that decides a training of ``supervised``; what is left open is what the network's name stands for."""

    LEARNER = "supervised"

    game: str = option("jass-schieber", "id of the game")
    data: list[str] = option([], "files of deals, made by jass-data or jass-import", names="file")
    network: str = option(SIGHTED, "network for the cards, by its name", tuple(CARD_NETWORKS))
    net: str = option("", "layers of the network for the cards, such as 186-560-1680-180-36; empty: those of its name")
    trump_network: str = option("", "network for the mode, by its name; empty: what goes with the other")
    trump_net: str = option("", "layers of the network for the mode, such as 37-37-7")
    encoding: str = option(
        "", "what the network for the cards sees, where layers alone do not tell", ("", "jass-1302", "jass-1302-seats")
    )
    epochs: int = option(8, "times that all cards are seen", minimum=1)
    trump_epochs: int = option(20, "times that all choices of the mode are seen; 0: no network for it", minimum=0)
    batch: int = option(0, "samples per step; 0: what suits the network", minimum=0)
    loss: str = option("", "what is minimised", ("", "cross-entropy", "cc", "mse"))
    output: str = option("", "what the last layer ends in", ("", "softmax", "linear"))
    optimizer: str = option("", "how", ("", "adam", "sgd"))
    rate: float = option(_UNSET, "step size at the start; negative: what suits the network", minimum=_UNSET)
    final_rate: float = option(_UNSET, "share of it at the end; negative: what suits the network", minimum=_UNSET)
    activation: str = option("", "of hidden units", ("", "relu", "leaky"))
    batch_norm: str = option("", "normalise batches after each hidden layer", ("", "on", "off"))
    l2: float = option(_UNSET, "L2 penalty on the weights of the last layer", minimum=_UNSET)
    weight_decay: float = option(_UNSET, "decay of all weights (Adam: decoupled)", minimum=_UNSET)
    dropout: float = option(_UNSET, "share of hidden units left out", minimum=_UNSET, maximum=0.95)
    residual: str = option("", "hidden layers of equal width add their input", ("", "on", "off"))
    symmetry: str = option(
        "",
        "suits: as they are, renamed at random, or trumps first and others by the hand",
        ("", "off", "augment", "sort"),
    )
    soften: float = option(
        _UNSET,
        "points below the best at which a card counts 1/e, where a searching teacher said; 0: the card played counts",
        minimum=_UNSET,
    )
    passes: str = option("all", "which passes of the choice are learned from", ("all", "half", "two-thirds"))
    test: float = option(0.1, "share of games kept for the test", minimum=0.001, maximum=0.9)
    trump_test: float = option(0.3, "share of games kept for the test of the mode", minimum=0.001, maximum=0.9)
    most_tests: int = option(100_000, "test samples looked at after each epoch; the end looks at all", minimum=1)
    start: str = option("", "file of networks to begin with", names="file")
    threads: int = option(1, "threads of PyTorch", minimum=1)
    eval_games: int = option(0, "games against the opponent at the end", minimum=0)
    opponent: str = option("heuristic", "who these are played against", names="agent")
    tensorboard: str = option("", "folder for TensorBoard; none if empty", names="folder")
    checkpoint_s: float = option(30.0, "seconds between two checkpoints", minimum=0)


@dataclass(frozen=True)
class Plan:
    """How one network is trained: everything settled."""

    name: str
    layers: tuple[int, ...]
    encoding: str
    epochs: int
    batch: int
    loss: str
    output: str
    optimizer: str
    rate: float
    final_rate: float
    activation: str
    batch_norm: bool
    l2: float
    weight_decay: float
    dropout: float
    residual: bool
    symmetry: str
    soften: float
    test: float


def card_plan(settings: SupervisedSettings) -> Plan:
    """Return how the network for the cards is trained."""
    from stammtisch.baselines.learned.jass.encodings import N_CARDS, encoding_of

    chosen = CARD_NETWORKS[settings.network]
    layers = units(settings.net or chosen.layers)
    if layers[-1] != N_CARDS:
        raise ValueError(f"a network for the cards has {N_CARDS} outputs, not {layers[-1]}")
    encoding = settings.encoding or encoding_of(layers[0])
    return _plan(settings, chosen, settings.network, layers, encoding, settings.epochs, settings.test)


def trump_plan(settings: SupervisedSettings) -> Plan | None:
    """Return how the network for the mode is trained, if there is to be one."""
    from stammtisch.baselines.learned.jass.encodings import N_CHOICES, encoding_of

    if not settings.trump_epochs:
        return None
    name = settings.trump_network or TRUMP_OF.get(settings.network, THESIS_TRUMP)
    if name not in TRUMP_NETWORKS:
        raise unknown("network for the mode", name, TRUMP_NETWORKS)
    chosen = TRUMP_NETWORKS[name]
    layers = units(settings.trump_net or chosen.layers)
    if layers[-1] != N_CHOICES:
        raise ValueError(f"a network for the mode has {N_CHOICES} outputs, six modes and the pass, not {layers[-1]}")
    # What was changed for the cards is not meant for the mode, whose network is far smaller.
    plain = SupervisedSettings(data=settings.data, seed=settings.seed)
    return _plan(
        plain, chosen, name, layers, encoding_of(layers[0], "mode"), settings.trump_epochs, settings.trump_test
    )


def _plan(
    settings: SupervisedSettings,
    chosen: Architecture,
    name: str,
    layers: tuple[int, ...],
    encoding: str,
    epochs: int,
    test: float,
) -> Plan:
    from stammtisch.baselines.learned.jass.encodings import SIGHTS

    values: dict[str, Any] = dict(chosen.settings)
    for key, default in values.items():
        given = getattr(settings, key)
        if isinstance(default, bool):
            values[key] = default if given == "" else given == "on"
        elif isinstance(default, str) or key == "batch":
            values[key] = given or default
        else:
            values[key] = default if given < 0 else given
    values["loss"] = "cross-entropy" if values["loss"] == "cc" else values["loss"]
    if encoding == SIGHTS["card"]:
        values["symmetry"] = "off"  # there are no names of suits to change
    if values["loss"] == "cross-entropy":
        values["output"] = "softmax"
    return Plan(name=name, layers=layers, encoding=encoding, epochs=epochs, test=test, **values)


def plan_facts(plan: Plan) -> dict[str, Any]:
    """Return a plan as plain values."""
    return {**dataclasses.asdict(plan), "layers": list(plan.layers)}
