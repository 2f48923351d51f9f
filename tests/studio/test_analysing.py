"""Analysis in a real browser: exact values where an oracle knows them, and two agents side by side."""

import urllib.parse

import pytest

import stammtisch
from tests.studio.browser import Browser
from tests.studio.serving import Served, machine

pytestmark = pytest.mark.xdist_group("studio")
LATE = "x x o -\nx o o -\n- o o -\n- o - -\nblack to move"


def address(game: str, text: str) -> str:
    return f"#/analyse/position/{game}/{urllib.parse.quote('{}')}/{urllib.parse.quote(text)}"


def test_exact_values_stand_on_the_board(served: Served, browser: Browser):
    game = stammtisch.load_game("reversi-4x4")
    state = game.from_text(LATE)
    values = {game.way(state, action)[-1]: value for action, value in game.oracle().values(state).items()}
    assert len(values) > 1
    page = browser.page(served, address("reversi-4x4", LATE))
    page.wait_for_selector(".exact-known")
    assert "exact" in page.locator(".exact-known").inner_text().lower()
    page.wait_for_function("n => document.querySelectorAll('.value-mark').length === n", arg=len(values))
    marks = page.evaluate("[...document.querySelectorAll('.value-mark')].map(m => [m.dataset.spot, m.textContent])")
    shown = {spot: float(text.replace("−", "-")) for spot, text in marks}
    assert shown == {spot: pytest.approx(value, abs=0.005) for spot, value in values.items()}
    best = page.evaluate("[...document.querySelectorAll('.value-mark.best')].map(m => m.dataset.spot)")
    assert set(best) == {spot for spot, value in values.items() if value == max(values.values())}
    page.context.close()


def test_where_no_oracle_knows_the_page_says_so(served: Served, browser: Browser):
    page = browser.page(served, address("reversi-10x10", ""))
    page.wait_for_function("() => document.querySelector('.exact-line')?.textContent.includes('No exact values')")
    page.context.close()


def test_two_agents_are_compared_side_by_side(served: Served, browser: Browser):
    page = browser.page(served, address("reversi-4x4", ""))
    page.wait_for_selector(".analyst .values tbody tr")
    assert page.locator(".analyst .values").count() == 1
    page.click("#compare")
    page.wait_for_function("() => document.querySelectorAll('.analyst .values tbody').length === 2")
    first, second = page.locator(".analyst select").all()
    assert first.input_value() != second.input_value()
    page.wait_for_selector(".agreement")
    boxes = [each.bounding_box() for each in page.locator(".analyst").all()]
    assert boxes[0]["y"] == boxes[1]["y"]  # beside each other where there is room
    assert page.locator(".ring.other, .arrow.other").count() >= 1
    page.reload()
    page.wait_for_function("() => document.querySelectorAll('.analyst .values tbody').length === 2")
    page.locator(".analyst [aria-label='Close']").click()
    page.wait_for_selector("#compare")
    assert not browser.problems
    page.context.close()


def test_arrows_go_through_a_game_under_analysis(served: Served, browser: Browser):
    name = served.new_game("reversi-4x4", [machine(), machine()], delay=0)
    page = browser.page(served, f"#/play/{name}")
    page.wait_for_selector(".result:visible")
    page.goto(f"http://127.0.0.1:{served.port}/#/analyse/game/{name}/0")
    page.wait_for_selector(".values tbody tr")
    stands = page.locator(".piece").count()
    page.locator("h2").first.click()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("n => document.querySelectorAll('.piece').length === n + 1", arg=stands)
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("n => document.querySelectorAll('.piece').length === n", arg=stands)
    page.context.close()


def test_a_position_under_analysis_can_be_played_on(served: Served, browser: Browser):
    page = browser.page(served, address("reversi-4x4", LATE))
    page.wait_for_selector(".board > svg .piece")
    page.get_by_role("button", name="Play from here").click()
    page.wait_for_function("() => location.hash.startsWith('#/play/')")
    page.wait_for_selector(".player")
    page.wait_for_selector(".spot.legal")
    board, _, _ = LATE.rpartition("\n")
    assert page.locator(".piece").count() == board.count("x") + board.count("o")
    page.context.close()
