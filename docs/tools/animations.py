"""Short animated pictures of every family for the README: ``python docs/tools/animations.py``."""

import pathlib

import numpy as np
from PIL import Image

import stammtisch
from stammtisch.envs.core.constants import CHANCE, TERMINAL

IMAGES = pathlib.Path(__file__).parents[1] / "images"
FAMILIES = {
    "einstein": "einstein-5x5",
    "reversi": "reversi-8x8",
    "muehle": "muehle",
    "jass": "jass-schieber",
    "reversixt": "reversixt-2",
}
_FRAMES, _WIDTH, _COLOURS, _MS = 16, 220, 32, 650
_OPENING = 4  # moves at random


def frames(game_id: str) -> list[Image.Image]:
    """Return the first positions of a game between reference bots, as people see them."""
    game = stammtisch.load_game(game_id)
    agent = stammtisch.load_agent("heuristic", game, seed=3)
    rng = np.random.default_rng(3)
    state = game.new_state(3)
    shown: list[Image.Image] = []
    moves = 0
    while state.player != TERMINAL and len(shown) < _FRAMES:
        if state.player == CHANCE:
            state.sample_chance(rng)
        else:
            drawn = moves < _OPENING and not game.info.hidden
            state.apply(int(rng.choice(state.legal_actions())) if drawn else agent.act(state.view(state.player)))
            moves += 1
        seen, near = (state.seen_by(0), 0) if game.info.hidden else (state, None)
        shown.append(Image.fromarray(game.picture(seen, near).to_array()))
    return shown


def write(family: str) -> pathlib.Path:
    """Write the picture of a family, small enough for a README."""
    pictures = []
    for picture in frames(FAMILIES[family]):
        height = round(picture.height * _WIDTH / picture.width)
        small = picture.resize((_WIDTH, height), Image.Resampling.LANCZOS)
        pictures.append(small.quantize(_COLOURS, dither=Image.Dither.NONE))
    path = IMAGES / f"{family}.gif"
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=_MS, loop=0, optimize=True)
    return path


if __name__ == "__main__":
    for each in FAMILIES:
        made = write(each)
        print(f"{made} {made.stat().st_size:,} bytes", flush=True)
