"""Moves as the course says them, ``(x, y, special)``: 0 plain, 1..8 a chosen player, 20 bomb, 21 override stone."""

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own

PLAIN, BOMB, OVERRIDE = 0, 20, 21
Triple = tuple[int, int, int]


def to_triple(game: Game, action: int) -> Triple:
    """Return the move behind an action of the flat layout."""
    rules = own(game.rules)
    cell, special = divmod(action, rules.SPECIALS)
    y, x = divmod(cell, rules.WIDTH)
    return x, y, {rules.TAKE_BOMB: BOMB, rules.TAKE_OVERRIDE: OVERRIDE}.get(special, special)


def from_triple(game: Game, move: Triple) -> int:
    """Return the action of a move in the flat layout, -1 if no board of this size has it."""
    x, y, special = move
    rules = own(game.rules)
    special = {BOMB: rules.TAKE_BOMB, OVERRIDE: rules.TAKE_OVERRIDE}.get(special, special if special <= 8 else -1)
    if not (0 <= x < rules.WIDTH and 0 <= y < rules.HEIGHT) or special < 0:
        return -1
    return int((y * rules.WIDTH + x) * rules.SPECIALS + special)
