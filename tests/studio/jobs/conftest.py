import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

from stammtisch.studio.jobs.manager import Jobs
from stammtisch.studio.models import Models
from stammtisch.studio.trust import Trust

WAIT_S = 180.0  # the machine may be busy


class Bench:
    """Jobs in a folder, and ways to wait for them."""

    def __init__(self, folder):
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


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    for job in made.jobs.listed():
        if job.is_alive and "pid" in job.run:
            os.killpg(job.run["pid"], signal.SIGKILL)


class Server:
    """A studio in a process of its own, that can be killed and started again in the same folder."""

    def __init__(self, folder):
        self.folder = folder
        self.port = None
        self.start()

    def start(self):
        words = ["studio", "--no-browser", "--dir", str(self.folder), "--port", str(self.port or 0)]
        command = [sys.executable, "-m", "stammtisch.cli", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.link = re.search(r"http://\S+", self.process.stdout.readline())[0]
        self.port = int(re.search(r":(\d+)/", self.link)[1])
        end = time.monotonic() + WAIT_S
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert time.monotonic() < end
            time.sleep(0.2)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def server(bench):
    made = Server(bench.folder)
    yield made
    made.kill()


@pytest.fixture
def page(server):
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium on this system")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1360, "height": 900}, locale="en-US")
        context.set_default_timeout(1000 * WAIT_S)
        made = context.new_page()
        made.problems = []
        made.on("pageerror", lambda error: made.problems.append(str(error)))
        made.goto(server.link)
        yield made
        browser.close()
        assert made.problems == []
