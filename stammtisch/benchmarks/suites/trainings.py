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

from stammtisch.arena.match import Progress
from stammtisch.benchmarks.suites.suite import SEED, Suite
from stammtisch.files import make_folder, write_text, writing_to
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
    """

    command: str
    seed: int
    out: pathlib.Path
    info_file: pathlib.Path

    @property
    def workplace(self) -> pathlib.Path:
        """Where the unfinished training lies."""
        return self.out.parent / f"unfinished-{self.out.name}"

    def words(self) -> list[str]:
        """Return the command; it goes on with what lies in the workplace."""
        words = [*shlex.split(self.command.replace(SEED, str(self.seed))), "--seed", str(self.seed)]
        _, learner, *_ = words
        target = self.workplace / self.out.name
        return [*words, "--out", str(target), *(["--resume"] if LEARNERS[learner].is_begun(target) else [])]

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
        write_text(self.info_file, json.dumps({"seconds": seconds, **json.loads(done.stdout)}))
        with writing_to(self.out):
            (self.workplace / self.out.name).rename(self.out)
            shutil.rmtree(self.workplace)


def missing_trainings(suite: Suite) -> list[SuiteTraining]:
    """Return the trainings whose results are not there yet."""
    jobs = [
        SuiteTraining(entry.command, seed, suite.models / name, info_file)
        for entry in suite.trainings
        for seed, (name, info_file) in enumerate(zip(entry.outs(), suite.info_files(entry), strict=True))
    ]
    return [job for job in jobs if not job.out.exists()]


def run_trainings(
    trainings: Sequence[SuiteTraining],
    program: Sequence[str],
    workers: int = 1,
    tell: Tell | None = None,
    progress: Progress | None = None,
) -> None:
    """Carry out trainings; one that was interrupted goes on.

    Args:
        trainings: what to do.
        program: the words that start the command line.
        workers: so many run side by side; what is learned does not depend on it, unless a training stops by the clock.
        tell: called with each command as it begins.
        progress: called with 1 for each training that is done.

    Raises:
        ValueError: a training failed.
    """
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
