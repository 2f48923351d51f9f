"""The settings of ``train sb3``: one dataclass, its defaults per game, and YAML or TOML files of it."""

import dataclasses
import json
import pathlib
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stammtisch.errors import unknown

ALGORITHMS = ("maskable-ppo", "ppo", "a2c", "dqn", "qr-dqn")
ON_POLICY = ("maskable-ppo", "ppo", "a2c")


def setting(default: Any, text: str) -> Any:
    """Return the field of a setting with its meaning."""
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides a training; one set of settings, one result."""

    game: str = setting("", "id of the game")
    options: dict[str, Any] = field(default_factory=dict, metadata={"help": "options of the game"})
    algo: str = setting("maskable-ppo", f"one of {', '.join(ALGORITHMS)}")
    steps: int = setting(2_000_000, "actions of the learner in all")
    minutes: float = setting(0.0, "stop after so many minutes; 0: no limit")
    envs: int = setting(256, "games at the same time")
    seed: int = setting(0, "decides everything that is drawn")
    threads: int = setting(1, "threads of PyTorch")

    network: str = setting("mlp", "mlp, or conv for games with planes")
    layers: list[int] = field(
        default_factory=lambda: [256, 256], metadata={"help": "units of the fully connected layers"}
    )
    channels: int = setting(32, "conv: channels")
    blocks: int = setting(2, "conv: residual blocks")

    learning_rate: float = setting(5e-4, "learning rate at the start")
    final_rate: float = setting(0.1, "share of the learning rate that is left at the end; it falls linearly")
    gamma: float = setting(0.99, "discount per action of the learner")
    rollout: int = setting(64, "maskable-ppo, ppo, a2c: actions per game between two updates")
    batch: int = setting(2048, "positions per gradient step; a2c takes whole rollouts")
    epochs: int = setting(4, "maskable-ppo, ppo: passes over a rollout")
    gae_lambda: float = setting(0.95, "maskable-ppo, ppo, a2c: weight of longer returns")
    entropy: float = setting(0.01, "maskable-ppo, ppo, a2c: reward for staying undecided")
    clip: float = setting(0.2, "maskable-ppo, ppo: greatest change of a probability in one update")
    buffer: int = setting(100_000, "dqn, qr-dqn: transitions kept")
    warm_up: int = setting(10_000, "dqn, qr-dqn: random actions before learning begins")
    train_every: int = setting(4, "dqn, qr-dqn: actions per game between two rounds of learning")
    gradient_steps: int = setting(4, "dqn, qr-dqn: gradient steps in each round")
    target_every: int = setting(10_000, "dqn, qr-dqn: actions between two updates of the target network")
    exploration: float = setting(0.3, "dqn, qr-dqn: share of the training in which exploration falls to its end")
    epsilon: float = setting(0.05, "dqn, qr-dqn: exploration at the end")

    opponents: dict[str, float] = field(
        default_factory=lambda: {"latest": 0.5, "pool": 0.4, "random": 0.1},
        metadata={"help": "how often who sits opposite: latest, pool, league or agents"},
    )
    partner: str = setting("latest", "team games: latest, or an agent, or opponent for the same as opposite")
    pool_size: int = setting(20, "snapshots kept")
    slots: int = setting(2, "snapshots that play at the same time")
    snapshot_every: int = setting(100_000, "actions between snapshots")
    gate: float = setting(0.0, "score that a model needs to become a snapshot, such as 0.55; 0: none")
    gate_games: int = setting(200, "games of that comparison")
    symmetry: bool = setting(False, "show every game in a frame drawn from the game's symmetries")

    eval_every: int = setting(250_000, "actions between evaluations")
    eval_games: int = setting(200, "games per evaluation and opponent")
    eval_opening: int = setting(0, "first moves of each pair of these games drawn by lot; without chance games repeat")
    ladder: list[str] = field(
        default_factory=lambda: ["random", "heuristic"], metadata={"help": "agents that the model is evaluated against"}
    )
    checkpoint_every: int = setting(500_000, "actions between checkpoints")
    tensorboard: bool = setting(False, "write TensorBoard files beside the model")

    def __post_init__(self) -> None:
        checked_fields(self)
        if self.algo not in ALGORITHMS:
            raise unknown("algorithm", self.algo, ALGORITHMS)
        for name in ("steps", "envs", "rollout", "batch", "snapshot_every", "eval_every", "checkpoint_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"setting {name}={getattr(self, name)} is not allowed; it must be at least 1")
        if not self.layers or min(self.layers) < 1:
            raise ValueError(f"setting layers={self.layers} is not allowed; give one size or more, such as [256, 256]")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return dataclasses.asdict(self)


def checked_fields(settings: Any) -> None:
    """Check the type of every field of a frozen dataclass of settings; integers are taken as floats where needed."""
    for item in dataclasses.fields(settings):
        object.__setattr__(settings, item.name, _checked(item, getattr(settings, item.name)))


def _checked(item: "dataclasses.Field[Any]", value: Any) -> Any:
    """Return ``value`` as the type of its setting, or say what would be right."""
    kind = item.type if isinstance(item.type, type | types.GenericAlias) else typing.Any
    origin = typing.get_origin(kind) or kind
    if origin is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, tuple) and origin is list:
        return list(value)
    if not isinstance(value, typing.cast(type, origin)) or (origin is int and isinstance(value, bool)):
        raise ValueError(f"setting {item.name}={value!r} is not allowed; give a {origin.__name__}")
    return value


ALGORITHM_DEFAULTS: dict[str, dict[str, Any]] = {
    "a2c": {"rollout": 8, "learning_rate": 7e-4},
    "dqn": {"envs": 64, "batch": 512, "learning_rate": 3e-4},
    "qr-dqn": {"envs": 64, "batch": 256, "learning_rate": 3e-4},
}

# Chosen for a training of at most twenty minutes on 2 cores; the longest prefix of a game's id counts last.
DEFAULTS: dict[str, dict[str, Any]] = {
    "einstein": {
        "steps": 12_000_000,
        "envs": 512,
        "layers": [128, 128],
        "learning_rate": 1e-3,
        "final_rate": 0.05,
        "gamma": 1.0,
        "gae_lambda": 0.9,
        "rollout": 32,
        "epochs": 4,
        "entropy": 0.003,
        "eval_every": 500_000,
        "opponents": {"latest": 0.3, "pool": 0.2, "heuristic": 0.4, "random": 0.1},
    },
    "reversi": {
        "steps": 8_000_000,
        "layers": [128, 128],
        "learning_rate": 1e-3,
        "gamma": 1.0,
        "symmetry": True,
        "eval_opening": 4,
        "opponents": {"latest": 0.2, "pool": 0.1, "heuristic": 0.2, "random": 0.5},
    },
    "muehle": {"steps": 2_000_000, "symmetry": True, "eval_opening": 4},
    "morris": {"steps": 1_000_000, "symmetry": True, "eval_opening": 4},
    "morris-3": {"eval_opening": 2},
    "jass": {
        "steps": 10_000_000,
        "envs": 512,
        "layers": [128, 128],
        "learning_rate": 1e-3,
        "final_rate": 0.05,
        "gamma": 1.0,
        "rollout": 32,
        "epochs": 2,
        "slots": 1,
        "eval_every": 500_000,
        "opponents": {"latest": 0.4, "pool": 0.2, "heuristic": 0.2, "random": 0.2},
    },
    "jass-schieber": {"options": {"pay": "trick"}},
    "jass-schieber-2500": {"options": {}},
}


def settings_for(game: str, *changes: Mapping[str, Any]) -> TrainSettings:
    """Return the default settings for a game, with changes applied in turn."""
    values: dict[str, Any] = {"game": game}
    for prefix in sorted(DEFAULTS, key=len):
        if game.startswith(prefix):
            values |= DEFAULTS[prefix]
    algo = next((change["algo"] for change in reversed(changes) if "algo" in change), "")
    return TrainSettings(**merged(TrainSettings, values | ALGORITHM_DEFAULTS.get(algo, {}), changes))


def merged(cls: type[Any], values: Mapping[str, Any], changes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return settings with changes applied in turn, or say which name does not exist.

    Options of the game that a change leaves out stay as they are.
    """
    names = [item.name for item in dataclasses.fields(cls)]
    result = dict(values)
    for change in changes:
        for name, value in change.items():
            if name not in names:
                raise unknown("setting", name, names)
            is_part = name == "options" and isinstance(value, dict)
            result[name] = {**result.get(name, {}), **value} if is_part else value
    return result


def check_same_settings(before: Mapping[str, Any], now: Mapping[str, Any], free: Sequence[str]) -> None:
    """Refuse to go on with a training whose settings have changed, except for those that are free to change."""
    changed = [name for name in now if name not in free and now[name] != before.get(name)]
    if changed:
        told = ", ".join(f"{name} {before.get(name)!r} -> {now[name]!r}" for name in changed)
        raise ValueError(f"a training is resumed with its own settings; changed: {told}")


def explained(settings: Any) -> list[tuple[str, Any, str]]:
    """Return name, value and meaning of every setting."""
    return [(item.name, getattr(settings, item.name), item.metadata["help"]) for item in dataclasses.fields(settings)]


def read_settings(path: pathlib.Path) -> dict[str, Any]:
    """Read settings from a YAML, TOML or JSON file; what it leaves out keeps its default."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f'cannot read settings "{path}": {error.strerror}') from None
    try:
        if path.suffix == ".toml":
            found = tomllib.loads(text)
        elif path.suffix in (".yaml", ".yml"):
            import yaml

            found = yaml.safe_load(text) or {}
        elif path.suffix == ".json":
            found = json.loads(text)
        else:
            raise ValueError("its name ends neither in .yaml nor in .toml nor in .json")
    except Exception as error:
        raise ValueError(f'cannot read settings "{path}": {error}') from None
    if not isinstance(found, dict):
        raise ValueError(f'settings "{path}" are a table of names and values, not {type(found).__name__}')
    return found


def parse_setting(text: str) -> dict[str, Any]:
    """Read ``key=value`` from the command line; the value is JSON, or plain text."""
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f'cannot read setting "{text}"; write key=value')
    try:
        return {key: json.loads(value)}
    except json.JSONDecodeError:
        return {key: value}
