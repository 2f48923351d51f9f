"""The table of learners: what can be set, and how each is run; commands and forms are made from it."""

import dataclasses
import importlib
import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stammtisch.envs.core.options import OptionTable
from stammtisch.errors import unknown
from stammtisch.files import check_writable, make_folder
from stammtisch.training.progress import Show
from stammtisch.training.settings import LearnerSettings


@dataclass(frozen=True)
class Learner:
    """One way to learn a player.

    Attributes:
        help: what it does, in a sentence for people.
        settings: where its settings are, a class on ``LearnerSettings``, as ``"package.module:Class"``.
        run: where the function is that trains, ``(settings, out, resume, show) -> facts``, likewise.
        work: the setting that says how much work there is; ``show`` is called with shares of it.
        agent: how the result plays, with ``{out}`` for the file or folder.
        needs: packages that must be installed.
        has_folder: whether the result is a folder, which is made.
        suffix: how the file of a result ends, where it is one.
        checkpoint: the file that a training goes on from, seen from the folder that its result is in.
        counted: where the function is that says how much work the result of a training holds,
            ``(out, settings) -> work``, for those that add new work when they go on; "" for those that go on to the
            work they were told.
        games: ids of the games that it can learn; empty for all.
    """

    help: str
    settings: str
    run: str
    work: str
    agent: str
    needs: Sequence[str] = ()
    has_folder: bool = False
    suffix: str = ".npz"
    checkpoint: str = "{stem}{suffix}"
    counted: str = ""
    games: Sequence[str] = ()

    def check_game(self, game: str) -> None:
        """Refuse a game that it cannot learn.

        Raises:
            ValueError: says which it can.
        """
        if self.games and game not in self.games:
            raise ValueError(f"{game} is not learned in this way, only {', '.join(self.games)}")

    def check_target(self, out: str | os.PathLike[str], resume: bool) -> None:
        """Refuse, before anything is learned, what cannot be: nothing to go on with, a result that is there, no right.

        Raises:
            ValueError: says what is wrong.
        """
        if resume and not self.is_begun(out):
            missing = f"there is no training {out} to go on with, as there is no {self._checkpoint_of(out)}"
            raise ValueError(f"{missing}; leave out --resume to begin one")
        if not resume and (self.is_begun(out) if self.has_folder else os.path.isfile(out)):
            what, kind = ("holds a training", "folder") if self.has_folder else ("exists", "file")
            start = f", and --set start={out} to begin with it" if kind == "file" and "start" in self.table else ""
            raise ValueError(f"{out} {what}; add --resume to go on with it, or choose another {kind}{start}")
        if self.has_folder:
            make_folder(out)
        else:
            check_writable(out)

    def is_begun(self, out: str | os.PathLike[str]) -> bool:
        """Tell whether there is something to go on with."""
        return self._checkpoint_of(out).exists()

    def _checkpoint_of(self, out: str | os.PathLike[str]) -> pathlib.Path:
        path = pathlib.Path(out)
        return path.parent / self.checkpoint.format(stem=path.stem, suffix=path.suffix)

    def remaining(self, settings: LearnerSettings, out: str | os.PathLike[str]) -> tuple[LearnerSettings, int]:
        """Return what brings a training that is begun to its end, and the work that is done and will not be told again.

        Raises:
            ValueError: what is there cannot be read.
        """
        if not self.counted or not self.is_begun(out):
            return settings, 0
        done = min(_found(self.counted)(out, settings), getattr(settings, self.work))
        return dataclasses.replace(settings, **{self.work: getattr(settings, self.work) - done}), done

    @property
    def settings_class(self) -> type[LearnerSettings]:
        """The record of everything that can be set."""
        settings: type[LearnerSettings] = _found(self.settings)
        return settings

    @property
    def table(self) -> OptionTable:
        """What can be set."""
        return self.settings_class.table()

    def train(
        self,
        settings: LearnerSettings,
        out: str | os.PathLike[str],
        resume: bool = False,
        show: Show | None = None,
    ) -> dict[str, Any]:
        """Train to the end and return what there is to say about it, as plain values.

        Args:
            settings: everything that decides the training, of this learner's class.
            out: file or folder of the result.
            resume: go on with what is there.
            show: told what there is to tell; it may ask the training to stop early, at a checkpoint.

        Raises:
            ValueError: packages are missing, or the training cannot be done.
        """
        try:
            for package in self.needs:
                importlib.import_module(package)
        except ImportError as error:
            raise ValueError(f"training needs more packages: pip install stammtisch[train] ({error})") from None
        told: dict[str, Any] = _found(self.run)(settings, out, resume, show)
        return told


LEARNERS: dict[str, Learner] = {
    "ntuple": Learner(
        "values of positions from tuples of cells, by self-play",
        "stammtisch.training.ntuple.settings:NTupleRunSettings",
        "stammtisch.training.ntuple.run:run_ntuple",
        "episodes",
        "ntuple:file={out}",
    ),
    "rote": Learner(
        "a table of positions that were thought through in self-play",
        "stammtisch.training.rote:RoteSettings",
        "stammtisch.training.rote:run_rote",
        "games",
        "rote:table={out}",
        counted="stammtisch.training.rote:games_in",
    ),
    "dqn": Learner(
        "deep Q-learning by self-play, in Mühle with a network per phase",
        "stammtisch.training.dqn.settings:DQNSettings",
        "stammtisch.training.dqn.run:run_dqn",
        "games",
        "dqn:{out}",
        ("torch", "safetensors"),
        suffix=".safetensors",
        checkpoint="{stem}.checkpoint{suffix}",
    ),
    "rl-jass": Learner(
        "Schieber by self-play from nothing, with a critic that sees all hands in training",
        "stammtisch.training.rl_jass.settings:RLJassSettings",
        "stammtisch.training.rl_jass.run:run_rl_jass",
        "deals",
        "rl-jass:{out}",
        ("torch", "safetensors"),
        suffix=".safetensors",
        checkpoint="{stem}.checkpoint{suffix}",
        games=("jass-schieber",),
    ),
    "alphazero": Learner(
        "a policy and value network by self-play with tree search",
        "stammtisch.training.alphazero.settings:AlphaZeroSettings",
        "stammtisch.training.alphazero.training:run_alphazero",
        "parts",
        "alphazero:{out}/network.safetensors",
        ("torch", "safetensors"),
        has_folder=True,
        checkpoint="{stem}{suffix}/checkpoint.safetensors",
    ),
    "supervised": Learner(
        "Schieber Jass: networks for cards and mode from deals that others played",
        "stammtisch.training.supervised.settings:SupervisedSettings",
        "stammtisch.training.supervised.training:run_supervised",
        "epochs",
        "supervised:{out}",
        ("torch", "safetensors"),
        suffix=".safetensors",
        checkpoint="{stem}.checkpoint{suffix}",
        games=("jass-schieber",),
    ),
    "sb3": Learner(
        "PPO, A2C, DQN or QR-DQN of Stable-Baselines3 by self-play",
        "stammtisch.training.sb3.settings:SB3Settings",
        "stammtisch.training.sb3.run:run_sb3",
        "steps",
        "sb3:{out}/model.safetensors",
        ("sb3_contrib", "safetensors"),
        has_folder=True,
        checkpoint="{stem}{suffix}/checkpoint.safetensors",
    ),
}


def learner_named(name: str) -> Learner:
    """Return a learner, or say which there are."""
    if name not in LEARNERS:
        raise unknown("learner", name, LEARNERS)
    return LEARNERS[name]


def _found(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
