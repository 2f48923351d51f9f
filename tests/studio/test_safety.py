"""What strangers, broken pages and broken agents can do to the studio: nothing."""

import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.studio.serving import PERSON, Served, follow, machine, next_view, tell

SAMPLE = {"page": "play", "do": "move", "name": "0123456789", "action": 3, "events": 0, "ask": 1}


def test_the_api_asks_for_the_token(served: Served):
    for token in ("", "wrong", served.token[:-1]):
        assert served.ask("GET", "/api/studio", token=token)[0] == 401
        assert served.ask("POST", "/api/play/new", {}, token=token)[0] == 401
    assert served.ask("GET", "/api/studio")[0] == 200
    with pytest.raises(InvalidStatus):
        served.socket(token="wrong")


def test_a_page_of_another_site_can_start_nothing(served: Served):
    for origin in ("http://evil.example", "null", f"http://evil.example:{served.port}", "http://127.0.0.1:1"):
        assert served.ask("POST", "/api/play/new", {}, {"Origin": origin})[0] == 403
        assert served.ask("GET", "/", headers={"Origin": origin})[0] == 403
        with pytest.raises(InvalidStatus):
            served.socket(origin=origin)


def test_a_name_that_was_made_to_mean_this_machine_is_refused(served: Served):
    assert served.ask("GET", "/", headers={"Host": "evil.example"})[0] == 403
    assert served.ask("GET", "/", headers={"Host": f"localhost:{served.port}"})[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/%2e%2e/server.py",
        "/static//etc/passwd",
        "/../../../../etc/passwd",
        "/static/..\\server.py",
    ],
)
def test_files_outside_the_front_end_are_not_served(served: Served, path: str):
    status, answer = served.ask("GET", path)
    assert status in (400, 404, 405)
    assert "import" not in str(answer)
    assert "root:" not in str(answer)


@pytest.mark.parametrize(
    "spec",
    [
        "os:system",
        "ntuple:file=/etc/passwd",
        "ntuple:file=../../../../etc/passwd",
        "sb3:/tmp/model.zip,trust=1",
        "rote:table=/etc/passwd",
        "subprocess:Popen,args=ls",
        "mcts:file=../token",
        "engine:spiel",
        "x" * 5000,
        "",
    ],
)
def test_agents_that_name_files_or_programs_are_refused(served: Served, spec: str):
    status, answer = served.ask("POST", "/api/play/check", {"game": "reversi-4x4", "spec": spec})
    assert status == 400
    assert "\n" not in answer["error"]


def test_agents_that_start_programs_are_not_offered(served: Served):
    assert "engine" not in served.ask("GET", "/api/play/catalogue")[1]["agents"]
    assert "engine" not in [agent["name"] for agent in served.ask("GET", "/api/jobs/choices")[1]["agents"]]


@pytest.mark.parametrize("file", ["../../etc/passwd", "/etc/passwd", "token", "..", "a/../token", "\0", "a" * 999])
def test_only_results_files_of_the_studio_are_read(served: Served, file: str):
    from urllib.parse import quote

    assert served.ask("GET", f"/api/watch/standing?file={quote(file)}")[0] == 400


@pytest.mark.parametrize("given", ["/etc/passwd", "../../secret.map", "~/x", "C:\\x"])
def test_maps_are_named_or_written_never_read_from_files(served: Served, given: str):
    body = {"game": "reversixt", "options": {"map": given}, "seats": [PERSON, PERSON]}
    assert served.ask("POST", "/api/play/new", body)[0] == 400


def test_bodies_are_limited(served: Served):
    status, _ = served.ask("POST", "/api/play/new", b"x" * (2 << 20))
    assert status == 413


def test_messages_that_are_too_large_end_only_their_own_tab(served: Served):
    with served.socket() as other, served.socket() as broken:
        broken.send("x" * (1 << 20))
        with pytest.raises(ConnectionClosed):
            broken.recv(timeout=30)
        other.send("{}")
        assert json.loads(other.recv(timeout=30))["what"] == "error"


def mutated(rng: random.Random) -> str:
    """Return a message with something wrong in it."""
    kind = rng.randrange(6)
    message = dict(SAMPLE)
    if kind == 0:
        text = list(json.dumps(message))
        for _ in range(rng.randrange(1, 6)):
            text[rng.randrange(len(text))] = chr(rng.randrange(1, 300))
        return "".join(text)
    if kind == 1:
        return json.dumps(message)[: rng.randrange(1, 60)]
    strange = [None, -1, 1 << 70, 1e308, "\0", "../..", [], {}, [[]] * 9, True, "💥" * 50, {"a": {"b": []}}]
    for _ in range(kind):
        message[rng.choice([*message, "x", "delay", "paused", "slot", "spec", "kind"])] = rng.choice(strange)
    message["page"] = rng.choice(["play", "play", "analyse", "watch", "train", "jobs", None, 7])
    if rng.random() < 0.3:
        message["do"] = rng.choice(
            ["follow", "leave", "look", "pace", "hint", "search", "exact", "curve", "stop", "__init__"]
        )
    return json.dumps(message)


def bombard(served: Served, count: int, tabs: int) -> None:
    """Send mutated messages from a few tabs; the studio must answer or close, and go on serving."""

    def one(number: int) -> None:
        rng = random.Random(number)
        with served.socket() as socket:
            for _ in range(count // tabs):
                socket.send(mutated(rng))

    with ThreadPoolExecutor(tabs) as pool:
        list(pool.map(one, range(tabs)))
    assert served.ask("GET", "/api/studio")[0] == 200


def test_mutated_messages_do_no_harm(served: Served):
    bombard(served, 800, tabs=8)


@pytest.mark.slow
def test_ten_thousand_mutated_messages_do_no_harm(served: Served):
    bombard(served, 10_000, tabs=40)


def test_two_hundred_connections_leave_the_studio_usable(served: Served):
    sockets = []
    try:
        for _ in range(200):
            sockets.append(served.socket())
        assert served.ask("GET", "/api/studio")[0] == 200
        sockets[-1].send("{}")
        assert json.loads(sockets[-1].recv(timeout=60))["what"] == "error"
    finally:
        for socket in sockets:
            socket.close()


def test_an_illegal_action_is_a_message(served: Served):
    name = served.new_game("reversi-4x4", [PERSON, machine("random")])
    with served.socket() as socket:
        view = follow(socket, name)
        path = served.folder / "games" / f"{name}.json"
        assert json.loads(path.read_text())["seats"][1]["spec"] == "random"
        tell(socket, name, "move", action=view["legal"][0]["action"], events=0)
        while len(view["moves"]) < 2:
            view = next_view(socket, name)
        assert not view["fault"]
        tell(socket, name, "move", action=999, events=view["events"])
        answers = [json.loads(socket.recv(timeout=60))]
        while answers[-1]["what"] != "error":
            answers.append(json.loads(socket.recv(timeout=60)))
        assert "999" in answers[-1]["error"]


def test_without_its_packages_the_studio_says_what_to_install(tmp_path):
    code = "import sys; sys.modules.update(starlette=None, uvicorn=None); from stammtisch.cli import main; main()"
    words = [sys.executable, "-c", code, "studio", "--no-browser", "--dir", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert 'pip install -e ".[studio]"' in done.stderr
    assert "Traceback" not in done.stderr
