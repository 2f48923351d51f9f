"""Short animated pictures of every family for the README, taken in the studio: ``python docs/tools/animations.py``.

A person who points at random places plays against the reference bot in Chromium; what the page shows is what is filmed.
Names of families as arguments make only theirs.
"""

import io
import pathlib
import sys
import tempfile
import time
from typing import Any

from PIL import Image

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.studio.browser import Browser  # noqa: E402
from tests.studio.serving import PERSON, Served, machine  # noqa: E402

IMAGES = ROOT / "docs" / "images"
FAMILIES = {
    "einstein": ("einstein-5x5", 2),
    "reversi": ("reversi-8x8", 2),
    "muehle": ("muehle", 2),
    "jass": ("jass-molotow", 4),
    "reversixt": ("reversixt-2", 2),
}
_SECONDS, _VIEWPORT, _COLOURS = 13.0, (344, 760), 64
_CLICKER = """(pause) => {
  let turn = 7;
  const choose = (found) => { turn = (turn * 1103515245 + 12345) % 2147483648; return found[turn % found.length]; };
  setInterval(() => {
    const found = [...document.querySelectorAll(".chooser button:not(.quiet)")];
    const spots = found.length ? found : [...document.querySelectorAll(".spot.legal")];
    const all = spots.length ? spots : [...document.querySelectorAll(".say")];
    if (all.length) choose(all).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }, pause);
}"""


def film(served: Served, browser: Browser, game: str, seats: int) -> list[tuple[float, Image.Image]]:
    """Return moments of a game, each with the second in which it was seen."""
    name = served.new_game(game, [PERSON, *[machine("heuristic")] * (seats - 1)], delay=0.5)
    width, height = _VIEWPORT
    page: Any = browser.page(served, f"#/play/{name}", width, height, color_scheme="light", has_touch=False)
    page.emulate_media(reduced_motion="no-preference")
    page.wait_for_selector(".spot.legal, .say", state="attached")
    page.wait_for_timeout(900)
    box = page.locator(".board > svg").bounding_box()
    page.evaluate(_CLICKER, 1200)
    shots: list[tuple[float, Image.Image]] = []
    begun = time.monotonic()
    while (now := time.monotonic() - begun) < _SECONDS:
        shots.append((now, Image.open(io.BytesIO(page.screenshot(clip=box))).convert("RGB")))
        page.wait_for_timeout(60)
    page.context.close()
    return shots


def write(family: str, shots: list[tuple[float, Image.Image]]) -> pathlib.Path:
    """Write the picture of a family: what does not change is one long frame."""
    kept, since = [shots[0][1]], [shots[0][0]]
    for second, shot in shots[1:]:
        if shot.tobytes() != kept[-1].tobytes():
            kept.append(shot)
            since.append(second)
    times = [round(1000 * (later - now)) for now, later in zip(since, [*since[1:], shots[-1][0] + 1.2], strict=True)]
    some = kept[:: max(1, len(kept) // 12)]
    sheet = Image.new("RGB", (some[0].width, some[0].height * len(some)))
    for place, shot in enumerate(some):
        sheet.paste(shot, (0, place * shot.height))
    palette = sheet.quantize(_COLOURS)
    frames = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in kept]
    path = IMAGES / f"{family}.gif"
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True)
    return path


def main() -> None:
    """Film the families that are asked for, or all."""
    with tempfile.TemporaryDirectory() as folder:
        served, browser = Served(pathlib.Path(folder) / "studio"), Browser()
        try:
            for family in sys.argv[1:] or FAMILIES:
                made = write(family, film(served, browser, *FAMILIES[family]))
                print(f"{made} {made.stat().st_size:,} bytes", flush=True)
        finally:
            browser.close()
            served.stop()


if __name__ == "__main__":
    main()
