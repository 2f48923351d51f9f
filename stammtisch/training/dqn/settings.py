"""The settings of ``train dqn``: one dataclass; what suits a game, the game says."""

from dataclasses import dataclass

from stammtisch.envs.core.options import option
from stammtisch.training.settings import LearnerSettings


@dataclass(frozen=True)
class DQNSettings(LearnerSettings):
    """Everything that decides a training of ``dqn``."""

    LEARNER = "dqn"

    game: str = option("muehle", "id of the game")
    games: int = option(20_000, "games of self-play in all", minimum=1)
    minutes: float = option(0.0, "stop after so many minutes; 0: no limit", minimum=0)
    parallel: int = option(30, "games at the same time", minimum=1)
    threads: int = option(1, "threads of PyTorch", minimum=1)

    networks: int = option(0, "3: one per phase of Mühle, 1: one for everything, 0: what the game has", minimum=0)
    layers: list[int] = option([256, 128], "units of the fully connected layers", minimum=1)
    train_phases: list[str] = option([], "phases that learn; the others stay as they are; none named: all")
    start: str = option("", "file of a model to begin with", names="file")

    learning_rate: float = option(5e-4, "step size of Adam at the start", minimum=0)
    final_rate: float = option(0.1, "share of it that is left after the last game", minimum=0)
    gamma: float = option(0.99, "discount per own decision", minimum=0, maximum=1)
    n_step: int = option(3, "own decisions that a target looks ahead", minimum=1)
    double: bool = option(True, "double Q-learning: the main network chooses, the target network values")
    batch: int = option(256, "transitions per gradient step and phase", minimum=1)
    memory: int = option(100_000, "transitions kept per phase", minimum=1)
    least_memory: int = option(2_000, "transitions of a phase before it learns", minimum=0)
    train_every: int = option(
        4, "actions per game between two gradient steps of each phase (trainEveryXSteps)", minimum=1
    )
    target_every: int = option(
        500, "gradient steps between updates of the target networks (updateTargetEvery)", minimum=1
    )
    symmetry: bool = option(True, "turn and mirror what is replayed, at random")

    epsilon: float = option(1.0, "share of random actions in the first game", minimum=0, maximum=1)
    epsilon_end: float = option(0.05, "least share of random actions", minimum=0, maximum=1)
    epsilon_decay: float = option(0.999, "factor of that share per game", minimum=0, maximum=1)
    random_share: float = option(
        0.5, "share of games in which one side plays at random altogether", minimum=0, maximum=1
    )

    reward_win: float = option(1.0, "for a won game")
    reward_loss: float = option(-1.0, "for a lost game")
    reward_draw: float = option(0.0, "for a drawn game")
    reward_move: float = option(0.0, "for every action")
    reward_own_mill: float = option(0.1, "Mühle: for a mill of one's own")
    reward_enemy_mill: float = option(-0.1, "Mühle: for a mill of the opponent")

    validate_every: int = option(2_000, "games between validations", minimum=1)
    validate_games: int = option(100, "games of a validation", minimum=1)
    validate_against: str = option(
        "random", "agent to play: random, heuristic, or a reference model dqn:FILE", names="agent"
    )
    validate_opening: int = option(2, "first moves of each pair of games drawn at random", minimum=0)
    checkpoint_every: int = option(2_000, "games between checkpoints", minimum=1)
