"""Debian's Chromium, driven by Playwright; nothing is downloaded."""

import shutil
from typing import Any

from tests.studio.serving import PATIENCE_S, Served

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def find_chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """A browser that opens pages of studios and keeps what goes wrong in them."""

    def __init__(self) -> None:
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        self.chromium = self._playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        self.problems: list[str] = []

    def page(self, served: Served, path: str = "", width: int = 1360, height: int = 860, **options: Any) -> Any:
        """Open the studio by its link, then a page of it."""
        context = self.chromium.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **{"locale": "en-GB", **options}
        )
        context.set_default_timeout(PATIENCE_S * 1000)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto(served.link)
        page.wait_for_selector("nav a")
        if path:
            page.goto(f"http://127.0.0.1:{served.port}/{path}")
        return page

    def close(self) -> None:
        self.chromium.close()
        self._playwright.stop()


def play_to_the_end(page: Any, after_move: Any = None) -> int:
    """Click legal places and buttons until the game is over; return how many moves a person has made."""
    moves = 0
    while True:
        page.wait_for_selector(".spot.legal, .say, .chooser, #look:visible, .result:visible", state="attached")
        if page.locator(".result:visible").count():
            return moves
        if page.locator("#look:visible").count():
            page.click("#look")
            page.wait_for_selector(".spot.legal, .say", state="attached")
            continue
        before = page.locator(".moves li").count()
        if page.locator(".chooser").count():
            page.click(".chooser button >> nth=0")
        elif page.locator(".spot.legal").count():
            page.locator(".spot.legal").first.click(force=True)
        else:
            page.locator(".say").first.click()
        if page.locator(".spot.chosen").count() == 0 and page.locator(".chooser").count() == 0:
            page.wait_for_function("n => document.querySelectorAll('.moves li').length > n", arg=before)
            moves += 1
            if after_move is not None:
                after_move(moves)
