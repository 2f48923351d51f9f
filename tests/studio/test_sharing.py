"""What leaves a page: links, texts, SVG and PNG; none of them tells what is hidden. And dice that nobody misses."""

import io
import re

import numpy as np
import pytest

import stammtisch
from tests.studio.browser import Browser
from tests.studio.serving import PERSON, Served, machine

pytestmark = pytest.mark.xdist_group("studio")
CLIPBOARD = ["clipboard-read", "clipboard-write"]


def clipboard(page):
    return page.evaluate("navigator.clipboard.readText()")


def pieces(page):
    """Return what stands where, without its colours."""
    found = page.evaluate("[...document.querySelectorAll('.piece')].map(p => p.dataset.kind + ' ' + p.dataset.place)")
    return sorted(found)


def open_share(page):
    page.locator("[aria-label='Share']").click()
    page.wait_for_selector("dialog")


def press(page, label):
    page.get_by_role("button", name=label, exact=True).click()
    page.wait_for_selector(".note")


def test_a_position_is_shared_as_link_text_svg_and_png(served: Served, browser: Browser):
    name = served.new_game("reversi-4x4", [PERSON, machine()], delay=0)
    page = browser.page(served, f"#/play/{name}", permissions=CLIPBOARD)
    page.wait_for_selector(".spot.legal")
    page.locator(".spot.legal").first.click(force=True)
    page.wait_for_function("() => document.querySelectorAll('.moves li').length >= 2")
    page.wait_for_selector(".spot.legal")
    open_share(page)
    press(page, "Copy text")
    text = clipboard(page)
    assert stammtisch.load_game("reversi-4x4").from_text(text).player == 0
    press(page, "Copy SVG")
    svg = clipboard(page)
    assert svg.startswith("<svg")
    assert "spot" not in svg
    assert svg.count('class="piece"') == len(pieces(page))
    with page.expect_download() as kept:
        page.get_by_role("button", name="PNG", exact=True).click()
    picture = kept.value.path().read_bytes()
    assert picture.startswith(b"\x89PNG")
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(picture))
    assert min(image.size) > 400
    assert len(np.unique(np.asarray(image.convert("L")))) > 8  # something is drawn
    press(page, "Copy link")
    link = clipboard(page)
    assert link == page.locator("dialog input").input_value()
    stands = pieces(page)
    other = page.context.new_page()
    other.goto(link)
    other.wait_for_selector(".board > svg .piece")
    assert pieces(other) == stands
    page.context.close()


def test_while_cards_are_hidden_only_the_picture_of_ones_own_is_shared(served: Served, browser: Browser):
    name = served.new_game("jass-schieber", [PERSON, *[machine()] * 3], delay=0)
    page = browser.page(served, f"#/play/{name}", permissions=CLIPBOARD)
    page.wait_for_selector(".spot.legal, .say", state="attached")
    open_share(page)
    assert page.locator("dialog input").count() == 0
    assert page.get_by_role("button", name="Copy text", exact=True).count() == 0
    press(page, "Copy SVG")
    hands = re.findall(r'data-kind="([^"]+)" data-place="hand (\d)', clipboard(page))
    assert {seat for kind, seat in hands if not kind.startswith("back")} == {"0"}
    assert len(hands) > 27
    page.context.close()


def test_dice_are_thrown_over_the_board(served: Served, browser: Browser):
    name = served.new_game("einstein-3x3", [machine(), machine()], delay=2)
    page = browser.page(served, f"#/play/{name}")
    page.wait_for_function(
        """() => {
            const rolls = [...document.querySelectorAll(".moves li.chance")];
            const last = rolls.at(-1)?.textContent.match(/\\d/)?.[0];
            const dice = document.querySelector(".dice");
            return last && !dice.hidden && dice.querySelectorAll(".pip").length === Number(last);
        }"""
    )
    page.click("#pause")
    page.wait_for_selector(".dice", state="hidden")
    page.context.close()
