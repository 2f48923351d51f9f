"""Writes the pictures of the README, one per family: ``python docs/tools/readme_pictures.py``."""

import pathlib

from game_pages import families, leading_id
from pictures import lone_picture, middle_of, played_game

from stammtisch.envs import load_game

_IMAGES = pathlib.Path(__file__).parents[1] / "images"


def main() -> None:
    """Draw a position of the leading game of every family."""
    for family, ids in families().items():
        moments = played_game(load_game(leading_id(ids)))
        (_IMAGES / f"{family}.svg").write_text(lone_picture(moments[middle_of(moments)].state), "utf-8")


if __name__ == "__main__":
    main()
