"""A hundred games at once on one server, with the contest's limit of 500 ms for every decision."""

import asyncio
import re
import subprocess
import sys

import pytest

from stammtisch import load_game
from stammtisch.arena.replay import verify
from stammtisch.arena.store import Store
from stammtisch.challenge.client import Seat, run_client
from stammtisch.challenge.practice import settle_down
from stammtisch.challenge.thinker import Thinker

GAMES = 100


async def play_at_once(url, game):
    """Play as many tournaments of two bots as there are to be games, all at the same time."""

    def bot(session, name, start):
        thinkers = [Thinker("heuristic", game, seed) for seed in range(2)]
        return run_client(Seat(url, name, session, True), game, thinkers, start, tell=lambda line: None)

    pairs = [(f"cup {i}", name, start) for i in range(GAMES) for name, start in (("a", 0), ("b", 2))]
    return await asyncio.gather(*(bot(*pair) for pair in pairs))


@pytest.mark.slow
def test_a_hundred_games_at_once_keep_the_time_limit(tmp_path):
    game = load_game("jass-schieber-2500", match_by="points")
    thinker = Thinker("heuristic", game, 0)
    thinker.warm()
    thinker.close()
    settle_down()
    words = ["jass-server", "--port", "0", "--limit", "0.5", "--stop-after", str(GAMES), "--out", str(tmp_path)]
    command = [sys.executable, "-m", "stammtisch.cli", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        url = None
        while url is None:
            found = re.search(r"ws://[0-9.]+:[0-9]+", server.stderr.readline())
            url = found and found[0]
        outcomes = asyncio.run(play_at_once(url, game))
        said, _ = server.communicate(timeout=60)
    print(said)
    assert f"{GAMES} games, 0 of them given up" in said
    played = [connection for connections in outcomes for connection in connections[:2]]
    assert [connection.games for connection in played] == 4 * GAMES * [1]
    store = Store(tmp_path / "results.sqlite")
    assert [fault for plan in store.plans() for fault in verify(plan, store.games_of(plan))[1]] == []
    store.close()
