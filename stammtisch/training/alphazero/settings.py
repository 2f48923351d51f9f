"""The settings of ``train alphazero``: one dataclass; what suits a game, the game says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stammtisch.baselines.learned.alphazero.evaluators import BACKENDS, PRECISIONS
from stammtisch.envs.core.game import Game
from stammtisch.envs.core.options import option
from stammtisch.training.settings import LearnerSettings

_MINUTES_OF_MLP = 2  # a small network wins the first minutes
_MINUTES_OF_TOWER = 90
_OPENING = 4

PRESETS: dict[str, dict[str, Any]] = {
    "laptop": {},
    "large": {"network": "10x128", "simulations": 64, "lanes": 128, "window": 1_000_000, "batch": 1024},
    "alphago-zero": {
        "search": "puct",
        "simulations": 800,
        "c": 3.5,
        "gate": 0.55,
        "samples": 6.0,
        "value_mix": 1.0,
        "opening_share": 0.0,
    },
}


@dataclass(frozen=True)
class AlphaZeroSettings(LearnerSettings):
    """Everything that decides a training of ``alphazero``."""

    LEARNER = "alphazero"

    game: str = option("reversi-6x6", "id of the game")
    minutes: float = option(30.0, "length of the training; 0: as many positions as `positions` says", minimum=0)
    clock: str = option(
        "wall",
        "what minutes count: wall, or cpu: processor time of the learner's process, evaluations left out",
        choices=("wall", "cpu"),
    )
    positions: int = option(0, "positions of self-play in all; 0: as many as fit into `minutes`", minimum=0)
    workers: int = option(1, "processes of self-play; 1 plays and learns in turn and is the same every time", minimum=1)

    engine: str = option(
        "auto",
        "where they play: here in turn, in processes, or as actors of a Ray cluster; auto: here if there is one",
        choices=("auto", "here", "process", "ray"),
    )

    network: str = option(
        "auto", "4x32: blocks x filters; mlp-256-256: layers; suits-64-64: layers per suit; auto: by game and minutes"
    )
    start: str = option("", "file of a network to begin with", names="file")
    teacher: str = option("", "player whose games are learned from before self-play begins", names="agent")
    lessons: int = option(100_000, "positions of these games, which count like others", minimum=0)

    search: str = option("gumbel", "how self-play looks ahead", choices=("gumbel", "puct"))
    simulations: int = option(16, "simulations per move", minimum=2)
    considered: int = option(16, "gumbel: actions that are tried at all", minimum=1)
    c_scale: float = option(1.0, "gumbel: weight of values against priors", minimum=0)
    c: float = option(1.5, "puct: exploration", minimum=0)
    dirichlet: float = option(10.0, "puct: sum of the parameters of the noise at the root", minimum=0)
    noise: float = option(0.25, "puct: share of that noise", minimum=0, maximum=1)
    warm_plies: int = option(12, "puct: plies of a game whose moves are drawn by visits", minimum=0)
    cool: float = option(0.3, "puct: temperature of the moves after them", minimum=0)
    cheap_simulations: int = option(4, "simulations of the moves that are not learned from", minimum=2)
    full_share: float = option(
        1.0, "share of the moves that are searched in full and learned from", minimum=0.01, maximum=1
    )
    opening: int = option(4, "moves at random that may begin a game", minimum=0)
    opening_share: float = option(0.5, "share of the games that begin with some", minimum=0, maximum=1)
    resign: float = option(-2.0, "value below which a side gives up; -2: never", minimum=-2, maximum=1)
    resign_check: float = option(
        0.1, "share of the games that are never given up, to count errors", minimum=0, maximum=1
    )
    tables: str = option("", "folder of endgame tables that end the lines of searches", names="folder")
    lanes: int = option(64, "games at the same time in each process", minimum=1)
    backend: str = option("auto", "what computes the network in self-play", choices=BACKENDS)
    precision: str = option("bf16", "of OpenVINO in self-play", choices=PRECISIONS[:2])

    batch: int = option(512, "samples per gradient step", minimum=1)
    samples: float = option(3.0, "samples learned per position played", minimum=0)
    learning_rate: float = option(2e-3, "step size of AdamW at the start", minimum=0)
    final_rate: float = option(0.05, "share of it that is left at the end", minimum=0, maximum=1)
    averaged: int = option(100, "gradient steps whose weights are averaged for playing; 1: the newest", minimum=1)
    weight_decay: float = option(1e-4, "of AdamW", minimum=0)
    value_mix: float = option(
        0.5, "share of the outcome in the value to be learned; the rest is the search's", minimum=0, maximum=1
    )
    value_weight: float = option(1.0, "weight of the value in the loss", minimum=0)
    future_weight: float = option(
        0.0, "weight of an auxiliary head in the loss, which foretells the end of the game; 0: none", minimum=0
    )
    symmetry: bool = option(True, "turn and mirror what is learned, at random")
    least_window: int = option(
        25_000, "positions that are learned from at the least, once there are so many", minimum=1
    )
    window_share: float = option(0.5, "share of all positions that are learned from", minimum=0.01, maximum=1)
    window: int = option(300_000, "positions that are learned from at the most", minimum=1)
    portion: int = option(2_048, "positions of self-play between two versions of the network", minimum=1)

    stale: int = option(
        100,
        "versions of the network that a position may lag behind when it comes in; older ones are lost",
        minimum=1,
    )

    gate: float = option(
        0.0, "score that a new network needs against the last one, 0.55 in AlphaGo Zero; 0: none", minimum=0, maximum=1
    )
    gate_games: int = option(40, "games of that match", minimum=2)
    gate_every: int = option(20_000, "positions between two such matches", minimum=1)

    evaluations: int = option(6, "points of the learning curve", minimum=1)
    eval_games: int = option(40, "games of an evaluation against each opponent", minimum=2)
    eval_against: list[str] = option(["random", "heuristic"], "opponents of evaluations", names="agent")
    eval_ladder: bool = option(True, "rate it on the frozen ladder of the game too, by games against rungs near it")
    eval_simulations: int = option(32, "simulations per move in evaluations", minimum=2)
    eval_opening: int | None = option(
        None, "first moves of these games drawn at random; none: 4 in games without chance", minimum=0
    )
    checkpoint_minutes: float = option(0.5, "minutes between checkpoints: so much is repeated after a kill", minimum=0)
    tensorboard: bool = option(False, "write scalars for TensorBoard into the folder `tensorboard` of the training")
    parts: int = option(1000, "parts of a training that progress is counted in", minimum=1)

    def opening_for(self, game: Game) -> int:
        """Return how many first moves of evaluations are drawn at random: dice and deals make games differ anyway."""
        if self.eval_opening is not None:
            return self.eval_opening
        return _OPENING if game.info.chance == "none" else 0

    def network_for(self, game: Game) -> str:
        """Return the network: the one that was asked for, or what suits the game and the time."""
        if self.network != "auto":
            return self.network
        if len(game.info.observation_shape) != 3:
            return "mlp-256-256" if 0 < self.minutes <= _MINUTES_OF_MLP else "mlp-512-512"
        if 0 < self.minutes <= _MINUTES_OF_MLP:
            return "mlp-256-256"
        return "4x32" if self.minutes <= _MINUTES_OF_TOWER else "6x64"


def preset_named(name: str) -> Mapping[str, Any]:
    """Return the settings of a preset, or say which there are."""
    if name not in PRESETS:
        raise ValueError(f'no preset "{name}"; there are {", ".join(PRESETS)}')
    return PRESETS[name]
