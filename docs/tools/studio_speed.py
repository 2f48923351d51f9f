"""How long people wait for the studio, in Chromium: ``python docs/tools/studio_speed.py [start] [clicks]``.

``start``: seconds from the command to the link and to the lobby that can be used, in a fresh tab of an open browser,
once with nothing in the browser's cache and once as on the next day. ``clicks``: milliseconds from the click to the
drawn board, one game per family against a machine. Read the figures on a quiet machine.
"""

import pathlib
import statistics
import sys
import tempfile
import time
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.studio.browser import Browser  # noqa: E402
from tests.studio.serving import PERSON, Served, machine  # noqa: E402

_RUNS, _CLICKS, _PORT = 5, 15, 8437
_GAMES = {"einstein-5x5": 2, "reversi-8x8": 2, "muehle": 2, "jass-molotow": 4, "reversixt-2": 2}
_CLICK = """async () => {
  const board = document.querySelector(".board");
  const found = (where) => [...document.querySelectorAll(where)];
  const targets = () => found(board.querySelector(".chooser") ? ".chooser button:not(.quiet)" : ".spot.legal, .say");
  for (let step = 0; step < 4; step++) {
    const before = board.querySelector("svg");
    const begun = performance.now();
    const drawn = new Promise((done) => {
      const seen = new MutationObserver(() => {
        if (board.querySelector("svg") === before) return;
        seen.disconnect();
        requestAnimationFrame(() => done(performance.now() - begun));
      });
      seen.observe(board, { childList: true });
    });
    targets()[0].dispatchEvent(new MouseEvent("click", { bubbles: true }));
    if (board.querySelector(".spot.chosen, .chooser")) continue;
    return await drawn;
  }
  return null;
}"""


def start(browser: Browser) -> None:
    """Start the studio again and again."""
    for title, fresh in (("empty cache", True), ("kept cache", False)):
        links, pages = [], []
        with tempfile.TemporaryDirectory() as folder:
            context = browser.chromium.new_context(viewport={"width": 1360, "height": 860})
            for number in range(_RUNS + 1):
                if fresh:
                    context.close()
                    context = browser.chromium.new_context(viewport={"width": 1360, "height": 860})
                begun = time.perf_counter()
                served = Served(pathlib.Path(folder) / "studio", _PORT)
                linked = time.perf_counter() - begun
                page = context.new_page()
                page.goto(served.link, wait_until="commit")
                page.wait_for_selector("#start:not([disabled])")
                used = time.perf_counter() - begun
                page.close()
                served.stop()
                if number:  # the first one makes the folder
                    links.append(linked)
                    pages.append(used)
            context.close()
        shown = " ".join(f"{seconds:.2f}" for seconds in sorted(pages))
        print(f"{title}: link {statistics.median(links):.2f} s, lobby {statistics.median(pages):.2f} s ({shown})")


def clicks(browser: Browser) -> None:
    """Play the first moves of one game of each family."""
    with tempfile.TemporaryDirectory() as folder:
        served = Served(pathlib.Path(folder) / "studio")
        for game, seats in _GAMES.items():
            name = served.new_game(game, [PERSON, *[machine()] * (seats - 1)], delay=0)
            page: Any = browser.page(served, f"#/play/{name}")
            waits: list[float] = []
            while len(waits) < _CLICKS:
                page.wait_for_selector(".spot.legal, .say, .result:visible", state="attached")
                if page.locator(".result:visible").count():
                    break
                page.wait_for_timeout(100)
                waited = page.evaluate(_CLICK)
                if waited is not None:
                    waits.append(waited)
            print(f"{game}: {len(waits)} moves, median {statistics.median(waits):.0f} ms, worst {max(waits):.0f} ms")
            page.context.close()
        served.stop()


def main() -> None:
    """Measure what is asked for, or all."""
    browser = Browser()
    try:
        for task in (start, clicks):
            if len(sys.argv) < 2 or task.__name__ in sys.argv[1:]:
                task(browser)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
