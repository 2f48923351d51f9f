"""The settings of ``train sb3``: one dataclass, with what suits each algorithm; what suits a game, the game says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from stammtisch.envs import game_class
from stammtisch.envs.core.options import option
from stammtisch.training.settings import LearnerSettings

ALGORITHMS = ("maskable-ppo", "ppo", "a2c", "dqn", "qr-dqn")
ON_POLICY = ("maskable-ppo", "ppo", "a2c")
ALGORITHM_DEFAULTS: dict[str, dict[str, Any]] = {
    "a2c": {"rollout": 8, "learning_rate": 7e-4},
    "dqn": {"envs": 64, "batch": 512, "learning_rate": 3e-4},
    "qr-dqn": {"envs": 64, "batch": 256, "learning_rate": 3e-4},
}


@dataclass(frozen=True)
class SB3Settings(LearnerSettings):
    """Everything that decides a training; one set of settings, one result."""

    LEARNER = "sb3"

    algo: str = option("maskable-ppo", "algorithm", ALGORITHMS)
    steps: int = option(2_000_000, "actions of the learner in all", minimum=1)
    minutes: float = option(0.0, "stop after so many minutes; 0: no limit", minimum=0)
    envs: int = option(256, "games at the same time", minimum=1)
    threads: int = option(1, "threads of PyTorch", minimum=1)

    network: str = option("mlp", "kind of network; conv for games with planes", ("mlp", "conv"))
    layers: list[int] = option([256, 256], "units of the fully connected layers", minimum=1)
    channels: int = option(32, "conv: channels", minimum=1)
    blocks: int = option(2, "conv: residual blocks", minimum=0)

    learning_rate: float = option(5e-4, "learning rate at the start", minimum=0)
    final_rate: float = option(0.1, "share of the learning rate that is left at the end; it falls linearly", minimum=0)
    gamma: float = option(0.99, "discount per action of the learner", minimum=0, maximum=1)
    rollout: int = option(64, "maskable-ppo, ppo, a2c: actions per game between two updates", minimum=1)
    batch: int = option(2048, "positions per gradient step; a2c takes whole rollouts", minimum=1)
    epochs: int = option(4, "maskable-ppo, ppo: passes over a rollout", minimum=1)
    gae_lambda: float = option(0.95, "maskable-ppo, ppo, a2c: weight of longer returns", minimum=0, maximum=1)
    entropy: float = option(0.01, "maskable-ppo, ppo, a2c: reward for staying undecided", minimum=0)
    clip: float = option(0.2, "maskable-ppo, ppo: greatest change of a probability in one update", minimum=0)
    buffer: int = option(100_000, "dqn, qr-dqn: transitions kept", minimum=1)
    warm_up: int = option(10_000, "dqn, qr-dqn: random actions before learning begins", minimum=0)
    train_every: int = option(4, "dqn, qr-dqn: actions per game between two rounds of learning", minimum=1)
    gradient_steps: int = option(4, "dqn, qr-dqn: gradient steps in each round", minimum=-1)
    target_every: int = option(10_000, "dqn, qr-dqn: actions between two updates of the target network", minimum=1)
    exploration: float = option(
        0.3, "dqn, qr-dqn: share of the training in which exploration falls to its end", minimum=0, maximum=1
    )
    epsilon: float = option(0.05, "dqn, qr-dqn: exploration at the end", minimum=0, maximum=1)

    opponents: dict[str, float] = option(
        {"latest": 0.5, "pool": 0.4, "random": 0.1},
        "how often who sits opposite: latest, pool, league or agents",
        minimum=0,
        names="agent",
    )
    partner: str = option(
        "latest", "team games: latest, or an agent, or opponent for the same as opposite", names="agent"
    )
    pool_size: int = option(20, "snapshots kept", minimum=1)
    slots: int = option(2, "snapshots that play at the same time", minimum=1)
    snapshot_every: int = option(100_000, "actions between snapshots", minimum=1)
    gate: float = option(
        0.0, "score that a model needs to become a snapshot, such as 0.55; 0: none", minimum=0, maximum=1
    )
    gate_games: int = option(200, "games of that comparison", minimum=1)
    symmetry: bool = option(False, "show every game in a frame drawn from the game's symmetries")

    eval_every: int = option(250_000, "actions between evaluations", minimum=1)
    eval_games: int = option(200, "games per evaluation and opponent", minimum=1)
    eval_opening: int = option(
        0, "first moves of each pair of these games drawn at random; without chance games repeat", minimum=0
    )
    ladder: list[str] = option(["random", "heuristic"], "agents that the model is evaluated against", names="agent")
    checkpoint_every: int = option(500_000, "actions between checkpoints", minimum=1)
    tensorboard: bool = option(False, "write TensorBoard files beside the model")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.layers:
            raise ValueError(
                "setting layers=[] for train sb3 is not allowed; give one size or more, such as [256, 256]"
            )

    @classmethod
    def for_game(cls, game: str, *changes: Mapping[str, Any]) -> Self:
        """Return what suits a game, then what suits the algorithm, then changes in turn."""
        algo = next((change["algo"] for change in reversed(changes) if "algo" in change), "")
        rules = game_class(game)
        has_ladder = "heuristic" in rules.POLICIES or "ladder" in rules.training_defaults(cls.LEARNER, game)
        ladder = {} if has_ladder else {"ladder": ["random"]}
        return super().for_game(game, ladder, ALGORITHM_DEFAULTS.get(algo, {}), *changes)
