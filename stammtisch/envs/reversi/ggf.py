"""Reversi positions as GGF, the game format that NBoard programs exchange: ``(;GM[Othello]…BO[8 … *];)``."""

import re
from typing import cast

from stammtisch.envs.core.game import Game
from stammtisch.envs.core.rules import own
from stammtisch.envs.core.state import State
from stammtisch.envs.reversi.game import Reversi, owners
from stammtisch.errors import BadText

_DISCS = "*O"
_PART = re.compile(r"([A-Z]{1,2})\[([^\]]*)\]")
_MOVE = re.compile(r"[A-Za-z]\d{1,2}|PA|pa|Pass|pass|PASS")


def write_ggf(state: State, time_s: float = 0.0) -> str:
    """Write a position as a game without moves.

    Args:
        state: the position.
        time_s: seconds per move, if any are to be told.
    """
    size = own(state.game.rules).SIZE
    cells = "".join("-" if owner is None else _DISCS[owner] for owner in owners(state))
    rows = " ".join(cells[at : at + size] for at in range(0, len(cells), size))
    minutes, seconds = divmod(max(1, round(time_s * size * size)) if time_s else 300, 60)
    clock = f"{minutes:02}:{seconds:02}"
    return (
        f"(;GM[Othello]PC[stammtisch]PB[black]PW[white]RE[?]TI[{clock}]TY[{size}]"
        f"BO[{size} {rows} {_DISCS[state.player]}];)"
    )


def read_ggf(game: Game, text: str) -> State:
    """Read the position at the end of a game.

    Raises:
        BadText: it cannot be read, or has an illegal move.
    """
    parts = _PART.findall(text)
    boards = [value for name, value in parts if name == "BO"]
    words = boards[0].split() if boards else []
    if len(words) < 3 or words[-1] not in _DISCS or words[0] != str(own(game.rules).SIZE):
        raise BadText(f"a game of {game.id} has a part BO[{own(game.rules).SIZE} cells * or O]")
    cells = "".join(words[1:-1]).replace("*", "x").replace("O", "o")
    try:
        state: State = cast(Reversi, game).from_board(board=cells, to_move=_DISCS.index(words[-1]))
    except ValueError as error:
        raise BadText(f"not a position: {error}") from error
    for name, value in parts:
        if name in ("B", "W"):
            state.apply(state.parse_action(read_move(value)))
    return state


def read_move(text: str) -> str:
    """Return the move of ``D3/0.50/1.2``, as our games call it.

    Raises:
        BadText: there is none.
    """
    found = _MOVE.match(text.strip())
    if found is None:
        return text.strip().partition("/")[0]
    move = found[0].lower()
    return "pass" if move in ("pa", "pass") else move
