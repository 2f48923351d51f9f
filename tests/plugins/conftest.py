"""An environment of its own in which the Connect Four package is installed; that of the tests stays as it is."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import venv

import pytest

ROOT = pathlib.Path(__file__).parents[2]


class Plugged:
    """Runs programs where plug-ins are installed.

    Attributes:
        python: the interpreter.
        package: the copy of ``examples/connect_four`` that is installed.
        work: a folder to run in; what lies there can be imported.
    """

    def __init__(self, place):
        self.work = place / "work"
        self.work.mkdir()
        self.package = place / "connect_four"
        shutil.copytree(
            ROOT / "examples" / "connect_four", self.package, ignore=shutil.ignore_patterns("__pycache__", ".*")
        )
        venv.create(place / "venv", with_pip=False, symlinks=True)
        self.python = place / "venv" / "bin" / "python"
        self.site = pathlib.Path(self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        outer = sysconfig.get_path("purelib")
        (self.site / "outer.pth").write_text(f"import site; site.addsitedir({outer!r})\n")
        self.install(self.package)

    def install(self, package):
        """Install a package as its author would; nothing is fetched."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "-q", "--no-build-isolation"]
        subprocess.run([*pip, "--no-deps", "-e", str(package)], check=True, timeout=300)

    def run(self, *words, fails=False, **environment):
        """Run Python with these arguments; return what it wrote."""
        done = subprocess.run(
            [self.python, *map(str, words)],
            capture_output=True,
            text=True,
            cwd=self.work,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            timeout=900,
        )
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    def script(self, text, **kwargs):
        return self.run("-c", textwrap.dedent(text), **kwargs)

    def call(self, *words, **kwargs):
        """Run a command of the command line."""
        return self.run("-m", "stammtisch.cli", *words, **kwargs)

    def json(self, *words):
        return json.loads(self.call(*words, "--json"))


@pytest.fixture(scope="session")
def plugged(tmp_path_factory):
    return Plugged(tmp_path_factory.mktemp("plugged"))
