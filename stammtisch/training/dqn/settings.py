"""The settings of ``train dqn``: one dataclass and its defaults per game."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stammtisch.envs import game_class
from stammtisch.training.settings import checked_fields, merged, setting


@dataclass(frozen=True)
class DQNSettings:
    """Everything that decides a training of ``dqn``."""

    game: str = setting("muehle", "id of the game")
    options: dict[str, Any] = field(default_factory=dict, metadata={"help": "options of the game"})
    seed: int = setting(0, "decides everything that is drawn")
    games: int = setting(20_000, "games of self-play in all")
    minutes: float = setting(0.0, "stop after so many minutes; 0: no limit")
    parallel: int = setting(30, "games at the same time")
    threads: int = setting(1, "threads of PyTorch")

    networks: int = setting(0, "3: one per phase of Mühle, 1: one for everything, 0: what the game has")
    layers: list[int] = field(
        default_factory=lambda: [256, 128], metadata={"help": "units of the fully connected layers"}
    )
    train_phases: list[str] = field(
        default_factory=list, metadata={"help": "phases that learn; the others stay as they are; none named: all"}
    )
    start: str = setting("", "file of a model to begin with")

    learning_rate: float = setting(5e-4, "step size of Adam at the start")
    final_rate: float = setting(0.1, "share of it that is left after the last game")
    gamma: float = setting(0.99, "discount per own decision")
    n_step: int = setting(3, "own decisions that a target looks ahead")
    double: bool = setting(True, "double Q-learning: the main network chooses, the target network values")
    batch: int = setting(256, "transitions per gradient step and phase")
    memory: int = setting(100_000, "transitions kept per phase")
    least_memory: int = setting(2_000, "transitions of a phase before it learns")
    train_every: int = setting(4, "actions per game between two gradient steps of each phase (trainEveryXSteps)")
    target_every: int = setting(500, "gradient steps between updates of the target networks (updateTargetEvery)")
    symmetry: bool = setting(True, "turn and mirror what is replayed, by lot")

    epsilon: float = setting(1.0, "share of random actions in the first game")
    epsilon_end: float = setting(0.05, "least share of random actions")
    epsilon_decay: float = setting(0.999, "factor of that share per game")
    random_share: float = setting(0.5, "share of games in which one side plays by lot altogether")

    reward_win: float = setting(1.0, "for a won game")
    reward_loss: float = setting(-1.0, "for a lost game")
    reward_draw: float = setting(0.0, "for a drawn game")
    reward_move: float = setting(0.0, "for every action")
    reward_own_mill: float = setting(0.1, "Mühle: for a mill of one's own")
    reward_enemy_mill: float = setting(-0.1, "Mühle: for a mill of the opponent")

    validate_every: int = setting(2_000, "games between validations")
    validate_games: int = setting(100, "games of a validation")
    validate_against: str = setting("random", "agent to play: random, heuristic, or a reference model dqn:FILE")
    validate_opening: int = setting(2, "first moves of each pair of games drawn by lot")
    checkpoint_every: int = setting(2_000, "games between checkpoints")

    def __post_init__(self) -> None:
        checked_fields(self)
        for name in _AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise ValueError(f"setting {name}={getattr(self, name)} is not allowed; it must be at least 1")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return dataclasses.asdict(self)


_AT_LEAST_ONE = (
    "games",
    "parallel",
    "n_step",
    "batch",
    "memory",
    "train_every",
    "target_every",
    "validate_every",
    "validate_games",
    "checkpoint_every",
)


def dqn_settings_for(game: str, *changes: Mapping[str, Any]) -> DQNSettings:
    """Return the default settings for a game, with changes applied in turn."""
    values = {"game": game, **game_class(game).training_defaults("dqn", game)}
    return DQNSettings(**merged(DQNSettings, values, changes))
