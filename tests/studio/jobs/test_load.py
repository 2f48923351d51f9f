"""Twenty games and a training at once: no move is lost, and each is answered soon."""

import json
import statistics
import time

import pytest

from tests.studio.serving import PERSON, follow, machine, tell


@pytest.mark.slow
def test_twenty_games_and_a_training_miss_no_click(server):
    order = {"learner": "ntuple", "game": "einstein-3x3", "settings": {"episodes": 10**9, "eval_games": 20}}
    status, job = server.ask("POST", "/api/jobs", {"kind": "training", "order": order})
    assert status == 200, job
    names = [server.new_game("reversi-4x4", [PERSON, machine()], delay=0) for _ in range(20)]
    sockets = [server.socket() for _ in names]
    waits = []
    try:
        views = [follow(socket, name) for socket, name in zip(sockets, names, strict=True)]
        for _ in range(3):
            for place, (socket, name) in enumerate(zip(sockets, names, strict=True)):
                view = views[place]
                if not view["legal"]:
                    continue
                begun = time.perf_counter()
                tell(socket, name, "move", action=view["legal"][0]["action"], events=view["events"])
                after = view
                while after["events"] <= view["events"]:
                    message = json.loads(socket.recv(timeout=120))
                    assert message["what"] != "error", message
                    after = message if message["what"] == "table" else after
                waits.append(time.perf_counter() - begun)
                while not after["legal"] and not after.get("result") and after["events"] < 12:
                    message = json.loads(socket.recv(timeout=120))
                    after = message if message["what"] == "table" else after
                views[place] = after
    finally:
        for socket in sockets:
            socket.close()
    told = server.ask("GET", f"/api/jobs/{job['id']}")[1]
    print(
        f"{len(waits)} moves, median {1000 * statistics.median(waits):.0f} ms, worst {1000 * max(waits):.0f} ms; "
        f"training {told['state']}, {told['done']} games"
    )
    assert len(waits) >= 40
    assert told["state"] == "running"
