"""The course server killed in the middle of its games: what was filed is whole, and the next server adds to it."""

import asyncio
import contextlib
import os
import threading

import pytest

from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from stammtisch.challenge.reversixt.client import run_client
from tests.attack.kill import STAMMTISCH, killed_runs

GAMES, KILLS = 4, int(os.environ.get("STAMMTISCH_KILLS", "10"))
MAP = "2\n1\n1 1\n6 6\n0 0 0 b 0 0\n0 0 0 0 i 0\n0 0 1 2 0 0\n0 0 2 1 0 0\n0 c 0 0 0 0\n0 0 0 x 0 0\n"
ADDRESS = r"listening on 127\.0\.0\.1:(\d+)"

pytestmark = pytest.mark.slow


def command(folder, *more):
    board = folder / "small.map"
    board.write_text(MAP)
    words = ["--map", str(board), "--port", "0", "--games", str(GAMES), "--out", str(folder / "results")]
    return [*STAMMTISCH, "reversixt-server", *words, *more]


@contextlib.contextmanager
def players(run):
    """Seat two players again and again, as long as the server of a run lives."""
    port = int(run.wait_for(ADDRESS, 300)[1])

    def sit(group):
        while run.process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                asyncio.run(run_client("127.0.0.1", port, "random", group, group, 0.5, lambda line: None))

    threads = [threading.Thread(target=sit, args=[group]) for group in (1, 2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()


def filed_games(folder):
    """Return how many games are filed; each of them must replay."""
    path = folder / "results" / "results.sqlite"
    if not path.exists():
        return 0
    store = Store(path)
    try:
        games = [(plan, store.games_of(plan)) for plan in store.plans()]
        assert [fault for plan, records in games for fault in verify(plan, records)[1]] == []
        return sum(len(records) for _, records in games)
    finally:
        store.close()


def whole_run(make, folder):
    return next(killed_runs(make, folder, 0, ready=ADDRESS, company=players))


def test_a_killed_course_server_leaves_whole_games_and_goes_on(tmp_path):
    whole_run(command, tmp_path / "first")  # compiles what the players need, so that it does not count as time of a run
    killed = 0
    for run in killed_runs(command, tmp_path, KILLS, ready=ADDRESS, company=players):
        filed = filed_games(run.folder)
        assert filed == GAMES or run.killed
        assert "Traceback" not in run.output
        killed += run.killed
    assert killed
    again = whole_run(lambda _: command(run.folder, "--resume"), tmp_path / "again")
    assert again.process.returncode == 0
    assert filed_games(run.folder) == filed + GAMES
