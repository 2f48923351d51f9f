"""``train sb3``: self-play with Stable-Baselines3 from settings to a model that plays."""

import json
import os
import pathlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from gymnasium.vector import VectorEnv
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from stammtisch.baselines.learned.sb3_models import MODELS, mask_in_observation, policy_arguments, save_policy
from stammtisch.envs import load_game
from stammtisch.envs.lanes import Opponent
from stammtisch.envs.vector import BatchedEnv
from stammtisch.files import make_folder, write_text
from stammtisch.files.documents import read_table
from stammtisch.files.reading import reading
from stammtisch.training.evaluator import CurvePoint, Evaluator
from stammtisch.training.sb3.checkpoint import load_checkpoint, save_checkpoint
from stammtisch.training.sb3.evaluation import EvaluationCallback
from stammtisch.training.sb3.self_play import OpponentPool, SelfPlayCallback
from stammtisch.training.sb3.settings import ON_POLICY, SB3Settings
from stammtisch.training.settings import check_same_settings
from stammtisch.wrappers.libraries.sb3.vec_env import SB3VecEnv
from stammtisch.wrappers.random_symmetry import VectorRandomSymmetry

MODEL, BEST, CHECKPOINT, SETTINGS_FILE, CURVE = (
    "model.safetensors",
    "best.safetensors",
    "checkpoint.safetensors",
    "settings.json",
    "curve.json",
)


@dataclass(frozen=True)
class TrainProgress:
    """How far a training is.

    Attributes:
        steps: actions of the learner.
        seconds: time.
        points: the last evaluation.
        elo: its rating on the ladder, None before it.
        curve: all evaluations.
        figures: numbers to be drawn.
    """

    steps: int
    seconds: float
    points: tuple[CurvePoint, ...]
    elo: float | None
    curve: tuple[CurvePoint, ...] = ()
    figures: dict[str, float] = field(default_factory=dict)


class SB3Training:
    """A training that can be begun, interrupted and resumed.

    Args:
        settings: everything that decides it.
        folder: where model, best model, checkpoint, settings and learning curve are written.
        resume: go on from the checkpoint in the folder if there is one; settings other than ``steps``, ``minutes`` and
            ``threads`` must be the same.
        progress: called after every rollout and evaluation; what it returns is whether to stop at a checkpoint.
    """

    def __init__(
        self,
        settings: SB3Settings,
        folder: str | os.PathLike[str],
        resume: bool = False,
        progress: Callable[[TrainProgress], bool | None] | None = None,
    ):
        self.settings, self.folder, self.progress = settings, pathlib.Path(folder), progress
        self.game = load_game(settings.game, **settings.options)
        goes_on = (self.folder / CHECKPOINT).exists()
        if goes_on and not resume:
            raise ValueError(f"{self.folder} holds a training; add --resume to go on with it, or choose another folder")
        if goes_on:
            self._check_settings()
        torch.set_num_threads(settings.threads)
        self.pool = OpponentPool(settings.opponents, settings.pool_size, settings.slots, settings.seed)
        self.env = self._make_env()
        self.model = self._make_model()
        self.self_play = SelfPlayCallback(
            self.pool, settings.snapshot_every, settings.gate, settings.gate_games, settings.seed
        )
        self.evaluator = Evaluator(
            self.game,
            settings.ladder,
            settings.eval_every,
            settings.eval_games,
            settings.seed + 1,
            settings.eval_opening,
        )
        self.elo: float | None = None
        self.best_elo = float("-inf")
        self.seconds = self.cpu_seconds = 0.0
        self.stop_wanted = False
        if goes_on:
            self.pool.attach(self.model.policy)
            self._restore()

    @property
    def network(self) -> dict[str, Any]:
        """What decides the form of the network."""
        chosen = self.settings
        return {
            "network": chosen.network,
            "layers": chosen.layers,
            "channels": chosen.channels,
            "blocks": chosen.blocks,
        }

    def _make_env(self) -> SB3VecEnv:
        settings = self.settings
        partner: Opponent | None = None
        if len(set(self.game.info.teams)) < self.game.info.num_players and settings.partner != "opponent":
            partner = self.pool.latest if settings.partner == "latest" else settings.partner
        env: VectorEnv = BatchedEnv(
            self.game.id,
            settings.envs,
            self.pool.opponents(),
            partner,
            on_illegal="raise",
            autoreset_mode="SameStep",
            **settings.options,
        )
        if settings.symmetry:
            env = VectorRandomSymmetry(env)
        return SB3VecEnv(env, mask_in_observation(settings.algo))

    def _make_model(self) -> Any:
        settings = self.settings
        algorithm, policy = MODELS[settings.algo]
        arguments: dict[str, Any] = {
            "learning_rate": lambda left: (
                settings.learning_rate * (settings.final_rate + (1.0 - settings.final_rate) * left)
            ),
            "gamma": settings.gamma,
            "policy_kwargs": policy_arguments(settings.algo, self.network),
            "seed": settings.seed,
            "device": "cpu",
            "tensorboard_log": str(self.folder / "tensorboard") if settings.tensorboard else None,
        }
        if settings.algo in ON_POLICY:
            arguments |= {
                "n_steps": settings.rollout,
                "gae_lambda": settings.gae_lambda,
                "ent_coef": settings.entropy,
            }
            if settings.algo != "a2c":
                arguments |= {
                    "batch_size": min(settings.batch, settings.rollout * settings.envs),
                    "n_epochs": settings.epochs,
                    "clip_range": settings.clip,
                }
        else:
            arguments |= {
                "buffer_size": settings.buffer,
                "learning_starts": settings.warm_up,
                "batch_size": settings.batch,
                "train_freq": settings.train_every,
                "gradient_steps": settings.gradient_steps,
                "target_update_interval": settings.target_every,
                "exploration_fraction": settings.exploration,
                "exploration_final_eps": settings.epsilon,
            }
        model = algorithm(policy, self.env, **arguments)
        if not settings.tensorboard:
            model.set_logger(Logger(None, []))  # the default makes a folder for temporary files in every training
        return model

    def run(self) -> "SB3Training":
        """Train to the end of the settings; the model, the checkpoint and the curve are in the folder afterwards."""
        settings = self.settings
        make_folder(self.folder)
        write_text(self.folder / SETTINGS_FILE, json.dumps(settings.to_dict(), indent=1))
        left = settings.steps - self.model.num_timesteps
        evaluation = EvaluationCallback(self.evaluator, report=self._evaluated)
        keeper = _Keeper(self)
        if left > 0:
            callbacks = [keeper, self.self_play, evaluation]
            self.model.learn(left, callback=callbacks, reset_num_timesteps=self.model._last_obs is None)
        if not keeper.stopped:
            self.save_checkpoint()
            if not self.evaluator.points or self.evaluator.points[-1].step < self.model.num_timesteps:
                evaluation.init_callback(self.model)
                evaluation.num_timesteps = self.model.num_timesteps
                evaluation.evaluate()
        self._save_model(MODEL)
        return self

    def _evaluated(self, points: Sequence[CurvePoint], elo: float) -> None:
        self.elo = elo
        if elo > self.best_elo:
            self.best_elo = elo
            self._save_model(BEST)
        write_text(self.folder / CURVE, json.dumps([asdict(point) for point in self.evaluator.points], indent=1))
        self.tell()

    def _save_model(self, name: str) -> None:
        settings = self.settings
        steps = self.model.num_timesteps
        save_policy(self.folder / name, self.model.policy, settings.algo, self.game, self.network, steps)

    def tell(self) -> None:
        """Report progress, and remember whether to stop."""
        if self.progress is not None:
            curve = tuple(self.evaluator.points)
            last = curve[-len(self.evaluator.opponents) :]
            steps = self.model.num_timesteps
            if self.progress(TrainProgress(steps, self.seconds, last, self.elo, curve, self._figures())):
                self.stop_wanted = True

    def _figures(self) -> dict[str, float]:
        """Return what can be drawn over time, as far as the algorithm knows it."""
        model = self.model
        logged = model.logger.name_to_value
        loss = logged.get("train/loss", logged.get("train/value_loss"))
        lengths = [episode["l"] for episode in model.ep_info_buffer or ()]
        found = {
            "loss": loss,
            "moves": sum(lengths) / len(lengths) if lengths else None,
            "epsilon": getattr(model, "exploration_rate", None),
            "rate": logged.get("train/learning_rate"),
            "elo": self.elo,
        }
        return {name: float(value) for name, value in found.items() if value is not None}

    def save_checkpoint(self) -> None:
        """Write the checkpoint."""
        facts = {
            "settings": self.settings.to_dict(),
            "curve": [asdict(point) for point in self.evaluator.points],
            "next_evaluation": self.evaluator.next_step,
            "elo": self.elo,
            "best_elo": self.best_elo if self.elo is not None else None,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }
        save_checkpoint(self.folder / CHECKPOINT, self.model, self.env, self.self_play, facts)

    def _check_settings(self) -> None:
        before = read_table(self.folder / SETTINGS_FILE, "settings")
        check_same_settings(before, self.settings.to_dict(), ("steps", "minutes", "threads"))

    def _restore(self) -> None:
        path = self.folder / CHECKPOINT
        facts = load_checkpoint(path, self.model, self.env, self.self_play)
        with reading(path, "sb3 checkpoint"):
            self.evaluator.points = [CurvePoint.from_json(point) for point in facts["curve"]]
            self.evaluator.next_step = facts["next_evaluation"]
            self.elo, self.seconds, self.cpu_seconds = facts["elo"], facts["seconds"], facts["cpu_seconds"]
            self.best_elo = facts["best_elo"] if facts["best_elo"] is not None else float("-inf")


class _Keeper(BaseCallback):
    """Checkpoints between rollouts, the time limit, and the progress.

    Agents outside the kernel are seeded at every rollout, because a checkpoint cannot hold what they remember.
    """

    def __init__(self, training: SB3Training):
        super().__init__()
        self.training = training
        self.next_checkpoint = training.model.num_timesteps + training.settings.checkpoint_every
        self.before = training.seconds - time.perf_counter(), training.cpu_seconds - time.process_time()
        self.stopped = False

    def _on_rollout_start(self) -> None:
        training = self.training
        self.take_time()
        limit = training.settings.minutes * 60.0
        self.stopped = bool(limit) and training.seconds >= limit
        if self.stopped or self.num_timesteps >= self.next_checkpoint:
            self.next_checkpoint = self.num_timesteps + training.settings.checkpoint_every
            training.save_checkpoint()
        training.env.inner.lanes.seed_agents(training.settings.seed, self.num_timesteps)
        training.tell()
        if training.stop_wanted and not self.stopped:
            self.stopped = True
            training.save_checkpoint()

    def take_time(self) -> None:
        """Add what has passed since the last time, on the clock and of the processor."""
        self.training.seconds = self.before[0] + time.perf_counter()
        self.training.cpu_seconds = self.before[1] + time.process_time()

    def _on_training_end(self) -> None:
        self.take_time()

    def _on_step(self) -> bool:
        return not self.stopped
