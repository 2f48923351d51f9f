"""The studio in a real browser: whole games by clicking, machines, hidden hands, take back, set-up, replay, hint."""

import json
import re
import urllib.parse

import pytest

from stammtisch.envs.jass.family.names import CARDS
from tests.studio.browser import Browser, play_to_the_end
from tests.studio.serving import PERSON, Served, follow, machine, tell

pytestmark = pytest.mark.xdist_group("studio")


@pytest.mark.parametrize("game", ["reversi-4x4", "morris-3", "einstein-3x3"])
def test_a_whole_game_by_clicking(served: Served, browser: Browser, game: str):
    name = served.new_game(game, [PERSON, machine()], delay=0)
    page = browser.page(served, f"#/play/{name}")
    reloaded = []

    def reload_once(moves: int) -> None:
        if moves == 2 and not reloaded:
            reloaded.append(True)
            page.reload()
            page.wait_for_selector(".board > svg")

    assert play_to_the_end(page, reload_once) > 0
    assert page.locator(".result h2").inner_text()
    page.click("#rematch")
    page.wait_for_function("name => !location.hash.includes(name)", arg=name)
    page.wait_for_selector(".player")
    assert page.locator(".player").last.inner_text().strip().endswith("You")
    assert not browser.problems
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", ["muehle", "reversi-8x8", "einstein-5x5", "reversixt-2", "jass-molotow", "jass-differenzler"]
)
def test_a_whole_large_game_by_clicking(served: Served, browser: Browser, game: str):
    seats = 4 if game.startswith("jass") else 2
    name = served.new_game(game, [PERSON, *[machine() for _ in range(seats - 1)]], delay=0)
    page = browser.page(served, f"#/play/{name}")
    play_to_the_end(page)
    assert not browser.problems
    page.context.close()


def test_machines_play_to_the_end_with_pause_and_step(served: Served, browser: Browser):
    name = served.new_game("reversi-4x4", [machine(), machine()], delay=5)
    page = browser.page(served, f"#/play/{name}")
    page.click("#pause")
    page.wait_for_selector("#step:not([disabled])")
    before = page.locator(".moves li").count()
    page.locator("input[type=range]").evaluate("each => { each.value = 100; each.dispatchEvent(new Event('change')); }")
    page.click("#step")
    page.wait_for_function("n => document.querySelectorAll('.moves li').length === n + 1", arg=before)
    page.click("#pause")
    page.wait_for_selector(".result:visible")
    assert page.locator(".moves li").count() > 5
    page.context.close()


def hands_shown(svg: str) -> set[int]:
    """Return the seats of which a picture shows cards in the hand."""
    found = re.findall(r'data-kind="(\w+)" data-place="hand (\d)', svg)
    return {int(seat) for card, seat in found if card in CARDS}


def test_people_at_one_screen_see_only_their_own_hand(served: Served, browser: Browser):
    name = served.new_game("jass-schieber", [PERSON] * 4, delay=0)
    page = browser.page(served)
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))))
    page.reload()
    page.goto(f"http://127.0.0.1:{served.port}/#/play/{name}")
    seen = []

    def look(moves: int) -> None:
        page.wait_for_selector("#look:visible, .result:visible")
        html = page.content()
        if 'result" hidden' in html or page.locator("#look:visible").count():
            assert hands_shown(html) == set()
        seen.append(moves)
        if len(seen) == 9:
            raise StopIteration

    with pytest.raises(StopIteration):
        play_to_the_end(page, look)
    views = [m for m in map(json.loads, filter(lambda text: text.startswith("{"), frames)) if m.get("what") == "table"]
    assert len(views) >= 9
    for view in views:
        assert hands_shown(view["svg"]) <= {view["viewer"]}
        assert all(entry["text"] in ("deal", "…") or entry["seat"] >= 0 for entry in view["moves"])
        assert "seed" not in view
    status, answer = served.ask("GET", f"/api/play/games/{name}")
    assert status == 400, answer
    status, answer = served.ask("GET", f"/api/watch/frame?kind=game&name={name}&at=1")
    assert status == 200
    assert hands_shown(answer["svg"]) == set()
    assert answer["text"] == ""
    with served.socket() as socket:
        socket.send(
            json.dumps(
                {
                    "page": "analyse",
                    "do": "search",
                    "slot": "0",
                    "kind": "game",
                    "name": name,
                    "at": 1,
                    "spec": "random",
                }
            )
        )
        assert json.loads(socket.recv(timeout=60))["what"] == "failed"
    page.context.close()


def test_take_back_hint_and_keys(served: Served, browser: Browser):
    name = served.new_game("reversi-4x4", [PERSON, machine()], delay=0)
    page = browser.page(served, f"#/play/{name}")
    page.wait_for_selector(".spot.legal")
    page.locator(".spot.legal").first.focus()
    page.keyboard.press("ArrowRight")
    page.locator(".spot.legal").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('.moves li').length >= 2")
    page.click("#back")
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 0")
    page.click("#hint")
    page.wait_for_selector(".ring.hint, .arrow.hint", state="attached")
    assert "Hint" in page.locator(".explain").inner_text()
    page.reload()
    page.wait_for_selector(".spot.legal")
    assert page.locator(".moves li").count() == 0
    assert page.locator(".spot.legal").first.get_attribute("aria-label")
    page.click("#resign")
    page.click("dialog .danger")
    page.wait_for_selector(".result:visible")
    page.context.close()


def test_drag_moves_a_man(served: Served, browser: Browser):
    text = "3 W---B---.\n2 B---.---W\n1 W---.---B\n  a b c\nW to move, in hand 0 0, turn 6"
    status, found = served.ask("POST", "/api/play/position", {"game": "morris-3", "text": text})
    if status != 200 or found["error"]:
        text = "3 W-B-.\n  |\\|/|\n2 B-.-W\n  |/|\\|\n1 W-.-B\n  a b c\nW to move, in hand 0 0, turn 6"
    name = served.new_game("morris-3", [PERSON, machine()], text=text, delay=0)
    page = browser.page(served, f"#/play/{name}")
    page.wait_for_selector(".spot.legal")
    way = page.evaluate("document.querySelector('.spot.legal').dataset.spot")
    start = page.locator(f".spot[data-spot='{way}']").bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(start["x"] + start["width"], start["y"] + start["height"], steps=4)
    page.wait_for_selector(".spot.chosen")
    goal = page.locator(".spot.legal").first.bounding_box()
    page.mouse.move(goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] / 2, steps=4)
    page.mouse.up()
    page.wait_for_function("() => document.querySelectorAll('.moves li').length >= 1")
    page.context.close()


def test_setting_up_replaying_and_analysing(served: Served, browser: Browser):
    page = browser.page(served, "#/play/setup/reversi-4x4")
    page.wait_for_selector(".board > svg")
    page.click("[data-symbol='x']")
    page.locator(".spot[data-spot='a1']").click(force=True)
    page.wait_for_function("() => document.getElementById('position-text').value.startsWith('x')")
    page.click("#begin")
    page.wait_for_selector(".spot.legal")
    play_to_the_end(page)
    moves = page.locator(".moves li").count()
    name = page.evaluate("location.hash").split("/")[-1]
    page.goto(f"http://127.0.0.1:{served.port}/#/watch/game/{name}/0")
    page.wait_for_selector(".moves li")
    page.wait_for_selector(".board > svg")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".moves li.now")
    page.keyboard.press("End")
    page.wait_for_function("n => document.querySelectorAll('.moves li')[n - 1].classList.contains('now')", arg=moves)
    page.reload()
    page.wait_for_selector("#next")
    page.goto(f"http://127.0.0.1:{served.port}/#/analyse/game/{name}/0")
    page.wait_for_selector(".values tbody tr")
    page.wait_for_selector(".value-mark", state="attached")
    page.click("#curve-start")
    page.wait_for_selector(".curve-dot, .blunder", state="attached")
    assert not browser.problems
    page.context.close()


def test_a_link_opens_its_position(served: Served, browser: Browser):
    text = "- - - -\n- x o -\n- o x -\n- - - -\nblack to move"
    link = f"#/analyse/position/reversi-4x4/{urllib.parse.quote('{}')}/{urllib.parse.quote(text)}"
    page = browser.page(served, link)
    page.wait_for_selector(".board > svg")
    assert page.locator(".piece").count() == 4
    page.context.close()


def test_german_dark_and_small(served: Served, browser: Browser):
    page = browser.page(served, "", 390, 844, locale="de-DE", color_scheme="dark")
    page.wait_for_selector("#start")
    assert page.locator("h1").inner_text() == "Was spielen wir?"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()


def test_games_go_on_after_a_hard_end(tmp_path, browser: Browser):
    served = Served(tmp_path / "data")
    try:
        name = served.new_game("reversi-4x4", [PERSON, machine()], delay=0)
        page = browser.page(served, f"#/play/{name}")
        page.wait_for_selector(".spot.legal")
        page.locator(".spot.legal").first.click(force=True)
        page.wait_for_function("() => document.querySelectorAll('.moves li').length >= 2")
        before = [entry.inner_text() for entry in page.locator(".moves li").all()]
        port = served.port
        served.kill()
        page.wait_for_selector(".link-state.shown")
        served.start(port)
        page.wait_for_selector(".link-state.shown", state="hidden")
        page.wait_for_selector(".spot.legal")
        assert [entry.inner_text() for entry in page.locator(".moves li").all()][: len(before)] == before
        play_to_the_end(page)
        page.context.close()
    finally:
        served.stop()


@pytest.mark.slow
def test_twenty_games_at_once_miss_no_click(served: Served):
    names = [served.new_game("reversi-4x4", [PERSON, machine()], delay=0) for _ in range(20)]
    sockets = [served.socket() for _ in names]
    try:
        for socket, name in zip(sockets, names, strict=True):
            view = follow(socket, name)
            tell(socket, name, "move", action=view["legal"][0]["action"], events=view["events"])
        for socket, name in zip(sockets, names, strict=True):
            view = follow(socket, name)
            while view["events"] < 2:
                view = json.loads(socket.recv(timeout=120))
            assert view["events"] >= 2
    finally:
        for socket in sockets:
            socket.close()
