"""The settings of ``train rl-jass``."""

from dataclasses import dataclass

from stammtisch.envs.core.options import option
from stammtisch.training.settings import LearnerSettings

METHODS = ("values", "gradient", "expert", "imitate")


# What an experiment of the thesis is trained with where nothing is said; its networks are small and its way is slow.
EXPERIMENT_DEFAULTS = {
    "deals": 3000,
    "lanes": 16,
    "validate_every": 1000,
    "validate_deals": 200,
    "validate_against": "random",
    "checkpoint_every": 1000,
}


@dataclass(frozen=True)
class RLJassSettings(LearnerSettings):
    """Everything that decides a training of ``rl-jass``."""

    LEARNER = "rl-jass"

    game: str = option("jass-schieber", "id of the game")
    deals: int = option(400_000, "deals of self-play in all", minimum=1)
    minutes: float = option(0.0, "stop after so many minutes of processor time; 0: no limit", minimum=0)
    lanes: int = option(1024, "deals at the same time", minimum=1)
    threads: int = option(1, "threads of PyTorch", minimum=1)

    experiment: int = option(
        0,
        "1, 2 or 3: an experiment of the JassBot thesis with its networks; 0: the strong learner",
        choices=(0, 1, 2, 3),
    )
    opponent: str = option(
        "self", "who sits in the other seats of an experiment", choices=("self", "random", "greedy", "heuristic")
    )
    mask: bool = option(True, "an experiment chooses among legal cards; false: it learns them by rejections")

    method: str = option(
        "values",
        "values: what every card is worth; gradient: policy gradient on these; expert: what pimc says of own "
        "decisions; imitate: what the reference bot plays, which is no reinforcement but a start for it",
        choices=METHODS,
    )
    layers: list[int] = option([384, 256], "units of the hidden layers of the network for cards", minimum=1)
    trump_layers: list[int] = option([128, 128], "of the one for the mode", minimum=1)
    critic_layers: list[int] = option([384, 256], "of the critic, which sees all hands and is used in training only")
    start: str = option("", "file of networks to begin with, such as those of `train supervised`", names="file")
    critic_first: int = option(
        -1, "deals at the start in which only the critic learns; -1: 5,000 where the start has none", minimum=-1
    )
    anchor: float = option(0.0, "weight of the divergence from the networks of the start, by gradient", minimum=0)

    expert_worlds: int = option(10, "deals that the expert looks at per decision", minimum=1)
    expert_share: float = option(0.05, "share of decisions that it is asked about", minimum=0.0001, maximum=1)

    learning_rate: float = option(1e-3, "step size of Adam at the start", minimum=0)
    final_rate: float = option(0.05, "share of it that is left after the last deal", minimum=0)
    batch: int = option(1024, "decisions per gradient step", minimum=1)
    reuse: float = option(1.5, "times that a decision is learned from, on average", minimum=0)
    memory: int = option(4, "rounds of deals that decisions are drawn from", minimum=1)
    trace: float = option(0.8, "lambda of the returns that the critic learns", minimum=0, maximum=1)
    average: float = option(0.002, "weight of each step in the average of weights that plays", minimum=0, maximum=1)

    temperature: float = option(3.0, "points at which choices soften, at the start", minimum=0.01)
    final_temperature: float = option(1.0, "the same after the last deal", minimum=0.01)
    mode_temperature: float = option(2.0, "times as much for the choice of the mode", minimum=0.01)
    epsilon: float = option(0.02, "share of cards drawn at random", minimum=0, maximum=1)
    mode_epsilon: float = option(0.1, "share of modes drawn at random", minimum=0, maximum=1)

    validate_every: int = option(25_000, "deals between validations", minimum=1)
    validate_deals: int = option(1000, "deals of a validation, each played from both sides", minimum=1)
    validate_against: str = option("heuristic", "reference bot to play", choices=("heuristic", "greedy", "random"))
    checkpoint_every: int = option(25_000, "deals between checkpoints", minimum=1)
