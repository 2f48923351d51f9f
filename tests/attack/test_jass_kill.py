"""The Jass server killed in the middle of tournaments: what was filed is whole, and it goes on from there."""

import asyncio
import contextlib
import json
import threading

import pytest

from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from tests.attack.crowd import server_program
from tests.attack.kill import STAMMTISCH, killed_runs
from tests.challenge.outside import OutsideBot, outside_chair

PORT = r"ws://127\.0\.0\.1:(\d+)"


def command(folder):
    words = ["--port", "0", "--games", "4", "--target", "200", "--limit", "20", "--stop-after", "1"]
    return [*STAMMTISCH, "jass-server", *words, "--out", str(folder / "results"), "--log", str(folder / "log")]


async def cup(url):
    """Play a tournament of three until it ends or the server does; return the tables that its chair saw."""
    chair = asyncio.create_task(outside_chair(url, "cup", 3))
    await asyncio.sleep(0.2)
    bots = [OutsideBot(url, name, "cup", seed) for seed, name in enumerate(2 * ["a", "b", "c"])]
    await asyncio.gather(*(bot.run() for bot in bots), return_exceptions=True)
    try:
        return await chair
    except OSError:
        return []


@contextlib.contextmanager
def players(run):
    """Play at the server of a run as long as it lives; what was announced is noted in the run's folder."""
    url = f"ws://127.0.0.1:{run.wait_for(PORT, 60)[1]}"
    tables = []
    thread = threading.Thread(target=lambda: tables.extend(asyncio.run(cup(url))))
    thread.start()
    try:
        yield
    finally:
        thread.join()
        announced = len(tables[-1]["pairingResults"]) if tables else 0
        (run.folder / "announced.json").write_text(json.dumps(announced))


def filed_games(folder):
    """Return how many games are in the results of a folder; each of them must replay."""
    path = folder / "results" / "results.sqlite"
    if not path.exists():
        return 0
    store = Store(path)
    games = [(plan, store.games_of(plan)) for plan in store.plans()]
    store.close()
    assert [fault for plan, records in games for fault in verify(plan, records)[1]] == []
    return sum(len(records) for _, records in games)


def check(run):
    """What must hold whenever the server died."""
    filed = filed_games(run.folder)
    announced = json.loads((run.folder / "announced.json").read_text())
    assert filed >= announced - 1  # the game that had just ended may be lost
    assert filed == 12 or run.killed
    for log in (run.folder / "log").glob("*.json"):
        json.loads(log.read_text("utf-8"))
    assert "Traceback" not in run.output
    return filed


def goes_on(folder):
    """Run the server again on the results of a killed one and play another tournament."""
    before = filed_games(folder)
    with server_program(folder, "--resume", "--target", "200", "--limit", "20") as server:
        tables = asyncio.run(asyncio.wait_for(cup(server.url), 120))
    assert len(tables[-1]["pairingResults"]) == 3
    assert filed_games(folder) == before + 3


def kill_often(folder, kills):
    """Kill the server so often; return how often it was still at work."""
    runs = [(run, check(run)) for run in killed_runs(command, folder, kills, ready=PORT, company=players)]
    print([(round(run.moment_s, 2), run.killed, filed) for run, filed in runs])
    goes_on(runs[-1][0].folder)
    return sum(run.killed for run, _ in runs)


def test_a_killed_server_leaves_whole_games_and_goes_on(tmp_path):
    kill_often(tmp_path, 1)


@pytest.mark.slow
def test_a_server_killed_thirty_times(tmp_path):
    assert kill_often(tmp_path, 30) > 10
