"""Hidden cards never reach a page: what the studio sends stays the same when they are dealt anew behind its back."""

import json
import re
import time

import numpy as np
import pytest

import stammtisch
from stammtisch.envs.jass.family.names import CARDS
from tests.playing import random_state
from tests.studio.browser import Browser
from tests.studio.serving import PERSON, Served, machine

pytestmark = pytest.mark.xdist_group("studio")
VARIANTS = ["jass-schieber", "jass-differenzler", "jass-coiffeur", "jass-molotow"]
PAGES = ["#/play", "#/watch", "#/analyse", "#/train", "#/validate", "#/models", "#/benchmarks"]


def deals(game, seed):
    """Return three positions that look the same to seat 0, whose turn it is, and are not."""
    rng = np.random.default_rng(seed)
    while True:
        seed += 1
        state = random_state(game, seed, int(rng.integers(3, 26)))
        if state.player == 0:
            view = state.view(0)
            found = [state, view.sample_state(rng), view.sample_state(rng)]
            if len({each.row.tobytes() for each in found}) == 3:
                return found


def seat_table(served, game, state, seats):
    return served.new_game(game, seats, text=state.to_text(), delay=0, paused=True)


def heard(socket, seconds=1.0):
    """Return what comes within a while."""
    end = time.monotonic() + 60
    found = []
    while time.monotonic() < end:
        try:
            found.append(socket.recv(timeout=seconds))
        except TimeoutError:
            return found
    return found


def everything(served, name, looks):
    """Return all that can be got of a table over the wire, without what differs between any two tables."""
    told = []
    with served.socket() as socket:
        for do in ("follow", *(["look"] if looks else []), "leave"):
            socket.send(json.dumps({"page": "play", "name": name, "do": do}))
            told += heard(socket)
        for do in ("search", "exact", "curve"):
            asked = {"page": "analyse", "do": do, "slot": "0", "kind": "game", "name": name, "at": 0, "spec": "random"}
            socket.send(json.dumps(asked))
            told += heard(socket)
    for path in (f"play/games/{name}", f"watch/reel?kind=game&name={name}"):
        told.append(json.dumps(served.ask("GET", f"/api/{path}")))
    told += [json.dumps(served.ask("GET", f"/api/watch/frame?kind=game&name={name}&at={at}")) for at in range(2)]
    for path in ("position", "child"):
        body = {"kind": "game", "name": name, "at": 0, "action": 0}
        told.append(json.dumps(served.ask("POST", f"/api/analyse/{path}", body)))
    games = served.ask("GET", "/api/play/games")[1]["games"]
    told.append(json.dumps([{**game, "changed": 0} for game in games if game["name"] == name]))
    return [text.replace(name, "NAME") for text in told]


@pytest.mark.parametrize("game_id", [VARIANTS[0], *(pytest.param(v, marks=pytest.mark.slow) for v in VARIANTS[1:])])
@pytest.mark.parametrize("people", [1, 4], ids=["one person", "one screen"])
def test_nothing_that_is_sent_depends_on_hidden_cards(served: Served, game_id, people):
    game = stammtisch.load_game(game_id)
    seats = [PERSON] * people + [machine()] * (4 - people)
    first, *others = (
        everything(served, seat_table(served, game_id, state, seats), people > 1) for state in deals(game, people)
    )
    assert any("svg" in text for text in first)
    for other in others:
        assert other == first


def hands_shown(text):
    """Return the seats of which cards can be told."""
    found = re.findall(r'data-kind=\\?"(\w+)\\?" data-place=\\?"hand (\d)', text)
    return {int(seat) for card, seat in found if card in CARDS}


def test_no_page_frame_request_or_picture_shows_a_hidden_card(served: Served, browser: Browser):
    game = stammtisch.load_game("jass-schieber")
    pictures = []
    for state in deals(game, 9)[:2]:
        name = seat_table(served, "jass-schieber", state, [PERSON, *[machine()] * 3])
        page = browser.page(served)
        seen = []
        page.on("websocket", lambda socket, seen=seen: socket.on("framereceived", lambda f: seen.append(str(f))))
        page.on("response", lambda answer, seen=seen: seen.append(body_of(answer)))
        page.reload()
        own = [f"#/play/{name}", f"#/watch/game/{name}", f"#/watch/game/{name}/0", f"#/analyse/game/{name}/0"]
        for path in (*own, *PAGES):
            page.goto(f"http://127.0.0.1:{served.port}/{path}")
            page.wait_for_selector("main > *")
            page.wait_for_timeout(300)
            if "analyse/game" in path:
                assert "not analysed" in page.locator("main .error-line").inner_text()
            seen.append(page.content())
        page.goto(f"http://127.0.0.1:{served.port}/#/play/{name}")
        page.wait_for_selector(".board > svg .piece")
        pictures.append(
            page.evaluate(
                """async () => {
                    const { pictureText, pictureBlob } = await import("/static/board.js");
                    const svg = document.querySelector(".board > svg");
                    const bytes = new Uint8Array(await (await pictureBlob(svg)).arrayBuffer());
                    return [pictureText(svg), bytes.join()];
                }"""
            )
        )
        assert any(hands_shown(text) for text in seen)
        assert {seat for text in seen for seat in hands_shown(text)} == {0}
        page.context.close()
    assert pictures[0] == pictures[1]


def body_of(answer):
    """Return what a request was answered, where that is text."""
    kind = answer.headers.get("content-type", "")
    try:
        return answer.text() if "json" in kind or "svg" in kind else ""
    except Exception:  # the page has gone on meanwhile
        return ""
