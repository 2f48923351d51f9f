"""The trainings of a suite: each in a process of its own, as the command that anyone can type."""

import json
import pathlib
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from stammtisch.arena.match import Progress
from stammtisch.benchmarks.suites.entries import DATA_COMMAND, MODELS, SEED
from stammtisch.benchmarks.suites.suite import Suite
from stammtisch.files import make_folder, write_text, writing_to
from stammtisch.files.documents import fits, read_json
from stammtisch.files.reading import reading
from stammtisch.training.evaluator import CurvePoint
from stammtisch.training.learners import LEARNERS

Tell = Callable[[str], None]


@dataclass(frozen=True)
class SuiteTraining:
    """One training with one seed; it works in a folder of its own until it is done.

    Attributes:
        command: what to train.
        seed: with which seed.
        out: its result.
        info_file: file for what the command prints at the end, as JSON.
        part: the part of the suite that it belongs to.
    """

    command: str
    seed: int
    out: pathlib.Path
    info_file: pathlib.Path
    part: str = ""

    @property
    def workplace(self) -> pathlib.Path:
        """Where the unfinished training lies."""
        return self.out.parent / f"unfinished-{self.out.name}"

    def words(self) -> list[str]:
        """Return the command; it goes on with what lies in the workplace."""
        command = self.command.replace(SEED, str(self.seed)).replace(MODELS, shlex.quote(str(self.out.parent)))
        words = [*shlex.split(command), "--seed", str(self.seed)]
        learner = words[1]
        target = self.workplace / self.out.name
        is_begun = words[0] != DATA_COMMAND and LEARNERS[learner].is_begun(target)
        return [*words, "--out", str(target), *(["--resume"] if is_begun else [])]

    def needs(self, others: Sequence["SuiteTraining"]) -> bool:
        """Tell whether the command names the result of another training."""
        named = self.command.replace(SEED, str(self.seed))
        return any(f"{MODELS}/{other.out.name}" in named for other in others if other is not self)

    def run(self, program: Sequence[str], tell: Tell | None, shows_progress: bool) -> None:
        """Train; the process shows its own progress, or only what it wrote if it fails."""
        words = self.words()
        begins = words[-1] != "--resume"
        if tell is not None:
            tell(shlex.join(["stammtisch", *words]))
        make_folder(self.workplace)
        started = time.perf_counter()
        done = subprocess.run(
            [*program, *words, "--json"],
            stdout=subprocess.PIPE,
            stderr=None if shows_progress else subprocess.PIPE,
            text=True,
        )
        if done.returncode != 0 or not (self.workplace / self.out.name).exists():
            raise ValueError(f"training failed: {shlex.join(['stammtisch', *words])}\n{done.stderr or ''}".rstrip())
        seconds = time.perf_counter() - started if begins else None
        told = {"command": self.command, "seconds": seconds, **json.loads(done.stdout)}
        write_text(self.info_file, json.dumps(told))
        with writing_to(self.out):
            for copy in self.workplace.glob(f"{self.out.stem}-[0-9]*{self.out.suffix}"):
                copy.rename(self.out.parent / copy.name)  # numbered ones, of a training that keeps them
            (self.workplace / self.out.name).rename(self.out)
            shutil.rmtree(self.workplace)


_KINDS: dict[str, Any] = {"command": str, "unit": str, "seconds": float | None, "cpu_seconds": float | None}


def read_info(path: pathlib.Path) -> dict[str, Any]:
    """Read what a training said at its end; its ``curve`` becomes a list of points.

    Raises:
        BadFile: the file is damaged, or something else.
    """
    with reading(path, "learning curve"):
        info = read_json(path, "learning curve")
        if not isinstance(info, dict):
            raise ValueError("it is not what a training says at its end")
        for name, kind in _KINDS.items():
            if name in info and not fits(info[name], kind):
                raise ValueError(f"its {name} is {info[name]!r}")
        info["curve"] = [CurvePoint.from_json(point) for point in info.get("curve", ())]
    return info


def missing_trainings(suite: Suite) -> list[SuiteTraining]:
    """Return the trainings whose results are not there yet.

    Raises:
        ValueError: a result is there, but of another command.
    """
    jobs = [
        SuiteTraining(entry.command, seed, suite.models / name, info_file, entry.part)
        for entry in suite.trainings
        for seed, (name, info_file) in enumerate(zip(entry.outs(), suite.info_files(entry), strict=True))
    ]
    for job in jobs:
        if job.out.exists() and job.info_file.exists():
            trained = read_info(job.info_file).get("command", job.command)
            if trained != job.command:
                said = f'{job.out} was trained by "{trained}", not by "{job.command}"'
                raise ValueError(f"{said}; remove it, or choose another folder")
    return [job for job in jobs if not job.out.exists()]


def run_trainings(
    trainings: Sequence[SuiteTraining],
    program: Sequence[str],
    workers: int = 1,
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> None:
    """Carry out trainings; one that was interrupted goes on, and one that needs another's result waits for it.

    Args:
        trainings: what to do.
        program: the words that start the command line.
        workers: so many run side by side; what is learned does not depend on it, unless a training stops by the clock.
        tell: called with each command as it begins.
        progress: called with 1 for each training that is done.

    Raises:
        ValueError: a training failed.
    """
    left = list(trainings)
    while left:
        ready = [each for each in left if not each.needs(left)] or left
        _run_side_by_side(ready, program, workers, tell, progress)
        left = [each for each in left if each not in ready]


def _run_side_by_side(
    trainings: Sequence[SuiteTraining],
    program: Sequence[str],
    workers: int,
    tell: Tell | None,
    progress: Progress | None,
) -> None:
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(training.run, program, tell, workers == 1) for training in trainings]
        try:
            for done in as_completed(running):
                done.result()
                if progress is not None:
                    progress(1)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
