"""Pictures of every page of the studio to be looked at: ``python docs/tools/studio_pictures.py FOLDER [PAGE …]``.

Every page is taken wide and on a phone, light and dark, in English and in German; the pictures of a page are put on two
sheets, ``FOLDER/PAGE-wide.png`` and ``FOLDER/PAGE-phone.png``. The data stays in ``FOLDER/studio`` and is used again.
"""

import io
import json
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

from PIL import Image

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.studio.browser import Browser  # noqa: E402
from tests.studio.serving import PERSON, Served, follow, machine, tell  # noqa: E402

TABLES = {"einstein-5x5": 2, "reversi-8x8": 2, "muehle": 2, "jass-schieber": 4, "reversixt-4": 4}
_SIZES = {"wide": (1280, 860), "phone": (390, 844)}
_MOVES = 7
_TALLEST = 1700
_BOARDS = ("play/", "watch/game", "analyse/game", "analyse/position")


class Stage:
    """A studio with games, a training, a validation and a suite in it.

    Args:
        folder: where it keeps them; what is there already is used.
    """

    def __init__(self, folder: pathlib.Path):
        self._notes = folder.parent / "stage.json"
        self.served = Served(folder)
        self.names: dict[str, str] = json.loads(self._notes.read_text()) if self._notes.exists() else self._made()
        self._notes.write_text(json.dumps(self.names))

    def _made(self) -> dict[str, str]:
        names = {}
        for game, seats in TABLES.items():
            names[game] = self._begun(game, [PERSON, *[machine("heuristic")] * (seats - 1)])
        names["curtain"] = self.served.new_game("jass-molotow", [PERSON] * 4, delay=0)
        names["over"] = self.served.new_game("reversi-6x6", [machine("heuristic"), machine()], delay=0)
        settings = {"episodes": 60_000, "eval_games": 100, "eval_every": 5_000}
        training = self._job("training", learner="ntuple", game="einstein-3x3", settings=settings, name="first")
        self._job("validation", game="einstein-3x3", agent="model:first", opponent="random", games=400)
        suite = self._job("suite", suite="quick", games=4)
        for _ in range(2):
            self._wait(suite)
        status, told = self.served.ask("POST", f"/api/jobs/{suite}/report", {})
        assert status == 200, told
        return {**names, "training": training, "suite": suite}

    def _begun(self, game: str, seats: list[dict[str, str]]) -> str:
        name = self.served.new_game(game, seats, delay=0)
        with self.served.socket() as socket:
            view, moves = follow(socket, name), 0
            while moves < _MOVES and not view["over"]:
                if view["legal"]:
                    choice = view["legal"][len(view["legal"]) // 2]["action"]
                    tell(socket, name, "move", action=choice, events=view["events"])
                    moves, view = moves + 1, {**view, "legal": []}
                message = json.loads(socket.recv(timeout=300))
                view = message if message["what"] == "table" else view
        return name

    def _job(self, kind: str, **order: Any) -> str:
        status, told = self.served.ask("POST", "/api/jobs", {"kind": kind, "order": order})
        assert status == 200, told
        self._wait(told["id"])
        return str(told["id"])

    def _wait(self, job: str) -> None:
        while (told := self.served.ask("GET", f"/api/jobs/{job}")[1])["state"] not in ("done", "failed"):
            time.sleep(1)
        assert told["state"] == "done", told


def _two_agents(page: Any) -> None:
    page.click("#compare")
    page.wait_for_selector(".analyst .values >> nth=1")
    page.wait_for_timeout(1500)


def _report(page: Any) -> None:
    with page.context.expect_page() as opened:
        page.click("[data-act=report]")
    opened.value.wait_for_load_state()
    page.report = opened.value


def _agents(page: Any) -> None:
    page.wait_for_selector("#start")
    page.locator(".seat-row select").first.select_option("")
    page.wait_for_selector("dialog")


def _share(page: Any) -> None:
    page.wait_for_selector(".board > svg")
    page.locator(".moves-card .row button").last.click()
    page.wait_for_selector("dialog")


Act = Callable[[Any], None]


def scenes(names: dict[str, str]) -> dict[str, tuple[str, Act | None]]:
    """Return what is taken: the address of each picture, and what is done there before."""
    tables: dict[str, tuple[str, Act | None]] = {game: (f"#/play/{names[game]}", None) for game in TABLES}
    return {
        "lobby": ("#/play", None),
        **tables,
        "curtain": (f"#/play/{names['curtain']}", None),
        "over": (f"#/play/{names['over']}", None),
        "setup": ("#/play/setup/muehle", None),
        "agents": ("#/play", _agents),
        "share": (f"#/play/{names['muehle']}", _share),
        "watch": ("#/watch", None),
        "replay": (f"#/watch/game/{names['over']}", None),
        "analyse": ("#/analyse", None),
        "thinking": (f"#/analyse/game/{names['reversi-8x8']}/6", _two_agents),
        "exact": ("#/analyse/position/reversi-4x4/%7B%7D/", _two_agents),
        "train": (f"#/train/{names['training']}", None),
        "models": ("#/models", None),
        "validate": ("#/validate", None),
        "benchmarks": ("#/benchmarks", None),
        "report": ("#/benchmarks", _report),
    }


def sheets(stage: Stage, browser: Browser, path: str, act: Act | None) -> tuple[Image.Image, Image.Image]:
    """Return the pictures of a page side by side: the wide ones and those of a phone."""
    shots = []
    for size in _SIZES.values():
        for colours in ("light", "dark"):
            for locale in ("en-GB", "de-DE"):
                page = browser.page(stage.served, path, *size, color_scheme=colours, locale=locale)
                if any(word in path for word in _BOARDS):
                    page.wait_for_selector(".board > svg")
                page.wait_for_selector("body:not(.busy) h1, body:not(.busy) .board > svg", state="attached")
                page.wait_for_timeout(900)
                if act is not None:
                    act(page)
                    page.wait_for_timeout(400)
                data = getattr(page, "report", page).screenshot(full_page=size[0] < 800)
                shots.append(Image.open(io.BytesIO(data)).convert("RGB"))
                page.context.close()
    tall = min(_TALLEST, max(shot.height for shot in shots[4:]))
    wide = Image.new("RGB", (1540, 1040), (128, 128, 128))
    for number, shot in enumerate(shots[:4]):
        wide.paste(shot.resize((768, 516), Image.Resampling.LANCZOS), (772 * (number % 2), 520 * (number // 2)))
    narrow = Image.new("RGB", (4 * 400 - 10, tall), (128, 128, 128))
    for number, shot in enumerate(shots[4:]):
        narrow.paste(shot.crop((0, 0, 390, min(shot.height, tall))), (400 * number, 0))
    return wide, narrow


def main() -> None:
    """Take the pages that are asked for, or all."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    stage, browser = Stage(folder / "studio"), Browser()
    try:
        for name, (path, act) in scenes(stage.names).items():
            if len(sys.argv) < 3 or name in sys.argv[2:]:
                for size, made in zip(_SIZES, sheets(stage, browser, path, act), strict=True):
                    made.save(folder / f"{name}-{size}.png")
                print(name, *browser.problems, flush=True)
    finally:
        browser.close()
        stage.served.stop()


if __name__ == "__main__":
    main()
