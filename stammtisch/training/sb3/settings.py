"""The settings of ``train sb3``: one dataclass, with what suits each algorithm; what suits a game, the game says."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stammtisch.envs import game_class
from stammtisch.errors import unknown
from stammtisch.training.settings import checked_fields, merged, setting

ALGORITHMS = ("maskable-ppo", "ppo", "a2c", "dqn", "qr-dqn")
ON_POLICY = ("maskable-ppo", "ppo", "a2c")


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


ALGORITHM_DEFAULTS: dict[str, dict[str, Any]] = {
    "a2c": {"rollout": 8, "learning_rate": 7e-4},
    "dqn": {"envs": 64, "batch": 512, "learning_rate": 3e-4},
    "qr-dqn": {"envs": 64, "batch": 256, "learning_rate": 3e-4},
}


def settings_for(game: str, *changes: Mapping[str, Any]) -> TrainSettings:
    """Return the default settings for a game, with changes applied in turn."""
    values: dict[str, Any] = {"game": game, **game_class(game).training_defaults("sb3", game)}
    algo = next((change["algo"] for change in reversed(changes) if "algo" in change), "")
    return TrainSettings(**merged(TrainSettings, values | ALGORITHM_DEFAULTS.get(algo, {}), changes))
