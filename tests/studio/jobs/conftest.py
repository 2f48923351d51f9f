import os
import signal
import time

import pytest

from stammtisch.studio.jobs.manager import Jobs
from stammtisch.studio.models import Models
from stammtisch.studio.trust import Trust
from stammtisch.training.learners import learner_named
from tests.studio.serving import Served

WAIT_S = 180.0  # the machine may be busy


class Bench:
    """Jobs in a folder, and ways to wait for them."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder
        self.open()

    def open(self, **limits):
        """Begin as a studio does that was started anew."""
        self.models = Models(self.folder / "models")
        self.trust = Trust(self.models)
        self.jobs = Jobs(self.folder / "jobs", self.trust, **limits)
        return self.jobs

    def wait(self, job, *states):
        end = time.monotonic() + WAIT_S
        while (now := self.jobs.job(job.id)).state not in states:
            assert now.state not in ("failed", "interrupted"), (now.run, self.jobs.log(job.id))
            assert time.monotonic() < end, (now.state, self.jobs.log(job.id))
            time.sleep(0.2)
            self.jobs.tick()
        return now

    def wait_for_work(self, job, done):
        end = time.monotonic() + WAIT_S
        reader = self.jobs.progress(job.id)
        while (reader.look() or True) and reader.last["done"] < done:
            assert time.monotonic() < end, self.jobs.log(job.id)
            time.sleep(0.2)
        return reader

    def train(self, name="tiny", **settings):
        values = {"episodes": 1000, "eval_games": 2, "eval_every": 0, "checkpoint_s": 0.5, **settings}
        request = {"learner": "ntuple", "game": "einstein-3x3", "settings": values, "name": name}
        return self.jobs.create("training", request)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compile what the trainings need here, where it has the usual priority; jobs find it on the disk."""
    learner = learner_named("ntuple")
    settings = learner.settings_class.for_game("einstein-3x3", {"episodes": 20, "eval_games": 2})
    learner.train(settings, tmp_path_factory.mktemp("compiled") / "tiny.npz")


@pytest.fixture
def bench(tmp_path, compiled):
    made = Bench(tmp_path / "data")
    yield made
    for job in made.jobs.listed():
        if job.is_alive and "pid" in job.run:
            os.killpg(job.run["pid"], signal.SIGKILL)


@pytest.fixture
def server(bench):
    made = Served(bench.folder)
    yield made
    made.stop()


@pytest.fixture
def page(server, browser):
    known = len(browser.problems)
    made = browser.page(server)
    yield made
    made.context.close()
    assert browser.problems[known:] == []
