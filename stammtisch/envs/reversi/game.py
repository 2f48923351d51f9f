"""Reversi: names, options, text form and set-up."""

import re

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import TERMINAL
from stammtisch.envs.core.facts import Fact
from stammtisch.envs.core.game import Game, Option, Symmetry
from stammtisch.envs.core.rules import OwnRules, own
from stammtisch.envs.core.spiel import SpielTwin
from stammtisch.envs.core.state import State
from stammtisch.envs.reversi.defaults import TRAINING
from stammtisch.errors import BadText

_DISCS = "xo"
_COLORS = ("black", "white")
_COLUMNS = "abcdefghij"


class Reversi(Game):
    """Enclose the opponent's discs to turn them; whoever has more discs when nobody can place any more wins.

    ## Description
    Players place discs of their colour in turn. A disc may only be put on an empty cell from which, in at least one of
    the eight directions, an unbroken line of opposing discs leads to another disc of one's own. All lines closed in
    this way turn to the mover's colour; discs that have just been turned close no further lines. A player who cannot
    place passes, and only such a player may. Rules: Othello as played in tournaments, on boards of 4x4 to 10x10
    cells, except that empty cells count for nobody.

    ## Players
    | Index | Name | Moves first |
    |---|---|---|
    | 0 | black, `x` | yes |
    | 1 | white, `o` | |

    ## Action Space
    `Discrete(size * size + 1)`. Cells are named by column letter and row number, a1 at the top left.

    | Action | Meaning |
    |---|---|
    | row * size + col | place a disc on that cell |
    | size * size | pass |

    ## Observation Space
    `(3, size, size) int8` in 0..1, with `voluntary_pass=True` `(4, size, size) int8` in 0..2. The board is not turned.

    | Plane | Meaning |
    |---|---|
    | 0 | the observer's discs |
    | 1 | the opponent's discs |
    | 2 | all ones if the observer is to move |
    | 3 (voluntary pass only) | number of passes in a row up to now, on every cell; 2 after the end |

    ## Action Mask
    `(num_actions,) int8`; in the observation of the AEC face, in `info["action_mask"]` of the others; zeros when it is
    not your turn.

    ## Rewards
    | Outcome | Reward | With `reward="discs"` |
    |---|---|---|
    | more discs than the opponent | +1 | (own discs - opponent's discs) / cells |
    | as many | 0 | 0 |
    | fewer | -1 | (own discs - opponent's discs) / cells |

    ## Starting State
    Two discs of each colour in the middle; white on the diagonal from the top left to the bottom right (8x8: d4 and
    e5), black on the other one. The seed decides nothing.

    ## Episode End
    1. Neither player can place: the board is full, one colour has vanished, or both are blocked.
    2. With `voluntary_pass=True` also when both players pass one after the other.
    There is no truncation.

    ## Information
    Nothing besides the keys of the faces.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `voluntary_pass` | bool | False | passing is always allowed, and two passes in a row end the game |
    | `reward` | str | "win" | "discs": the difference of discs divided by the number of cells |

    Example: `stammtisch.load_game("reversi-8x8", reward="discs")`.

    ## Version History
    * v0: first release
    """

    rules: OwnRules
    FAMILY = "reversi"
    RULES = "stammtisch.envs.reversi.rules"
    HEURISTIC = "stammtisch.envs.reversi.heuristic"
    FEATURES = "stammtisch.envs.reversi.features"
    SOLUTIONS = "stammtisch.envs.reversi.endgame"
    ORACLE = "stammtisch.envs.reversi.oracle"
    REACH = ("empties", 12)
    TABLES = "stammtisch.envs.reversi.openings"
    RENDER = "stammtisch.envs.reversi.render"
    CELL_IN_TEXT = r"[xo-]"
    CODINGS = 2
    TRAINING = TRAINING
    POLICIES = ("heuristic",)
    FACTS = {
        "discs": Fact("tuple[int, int]", "number of black and of white discs", lambda state: disc_counts(state)),
        "board": Fact(
            "list[int | None]", "player whose disc lies on each cell, row by row", lambda state: owners(state)
        ),
    }
    GGF = "stammtisch.envs.reversi.ggf"
    COLORS = _COLORS
    PROTOCOLS = ("gtp", "nboard")
    OPTIONS = {
        "voluntary_pass": Option(False, "allow passing at any time; two passes in a row end the game"),
        "reward": Option("win", "what the end of the game pays", ("win", "discs")),
    }

    def _config(self) -> dict[str, int]:
        return {
            **self.variant,
            "voluntary_pass": int(self.options["voluntary_pass"]),
            "reward_discs": int(self.options["reward"] == "discs"),
        }

    def spiel_twin(self) -> SpielTwin | None:
        if self.id != "reversi-8x8" or self.changed_options():
            return None
        return SpielTwin("othello", lambda state, action: action)

    @property
    def symmetries(self) -> list[Symmetry]:
        """The four rotations of the board, then the same after a reflection; the identity first."""
        rules = self.rules
        cells = np.arange(rules.CELLS).reshape(rules.SIZE, rules.SIZE)
        found = []
        for board in (cells, cells.T):
            for quarter_turns in range(4):
                source = np.rot90(board, quarter_turns).ravel()  # what was on source[c] comes to c
                planes = [source + plane * rules.CELLS for plane in range(rules.PLANES)]
                found.append(Symmetry(np.concatenate(planes), np.append(np.argsort(source), rules.PASS)))
        return found

    def from_board(self, *, board: str, to_move: int = 0, passed: bool = False) -> State:
        """Set up a position; it is over if neither side can place.

        Args:
            board: the cells row by row, ``x`` black (player 0), ``o`` white, ``-`` empty; white space is ignored.
            to_move: seat whose turn it is.
            passed: whether the opponent has just passed; matters with ``voluntary_pass=True`` only.
        """
        rules = self.rules
        cells = "".join(board.split()).lower()
        strange = sorted(set(cells) - set("xo-"))
        if strange:
            raise ValueError(f'cannot read cell "{strange[0]}" in {self.id}; write x (black), o (white) or - (empty)')
        if len(cells) != rules.CELLS:
            raise ValueError(f"a board of {self.id} has {rules.CELLS} cells, not {len(cells)}")
        if to_move not in (0, 1):
            raise ValueError(f"no player {to_move!r} in {self.id}; seats are 0..1")
        if passed and not rules.VOLUNTARY_PASS:
            raise ValueError(f"whether the opponent of {self.id} has just passed matters with voluntary_pass=True only")
        row = np.zeros(rules.STATE_LEN, np.int64)
        for seat, disc in enumerate(_DISCS):
            at = rules.DISCS + seat * rules.WORDS
            row[at : at + rules.WORDS] = self._words(cells, disc)
        # A pass of the opponent leaves the discs alone and works out everything else.
        row[rules.TURN] = 1 - to_move
        self.stepping.play(row, rules.PASS)
        row[rules.PASSES] = int(passed and row[rules.TURN] != TERMINAL)
        return self.from_row(row)

    def _words(self, cells: str, disc: str) -> NDArray[np.int64]:
        """Pack the cells that hold ``disc`` into the words of a board."""
        bits = np.array([c == disc for c in cells], np.uint64).reshape(self.rules.WORDS, -1)
        shifted = bits << np.arange(self.rules.WORD_CELLS, dtype=np.uint64)
        words: NDArray[np.int64] = shifted.sum(axis=1).view(np.int64)
        return words

    def cell_symbols(self) -> tuple[str, ...]:
        return ("-", *_DISCS)

    def to_text(self, state: State) -> str:
        return "\n".join([*map(" ".join, self._lines(state)), self._whose_turn(state)])

    def board_text(self, state: State) -> str:
        columns = " ".join(_COLUMNS[: self.rules.SIZE])
        lines = [f"{number:2} {' '.join(line)}" for number, line in enumerate(self._lines(state), 1)]
        black, white = disc_counts(state)
        return "\n".join([f"   {columns}", *lines, f"{self._whose_turn(state)}, black {black}, white {white}"])

    def _lines(self, state: State) -> list[str]:
        cells = "".join("-" if owner is None else _DISCS[owner] for owner in owners(state))
        return [cells[i : i + self.rules.SIZE] for i in range(0, self.rules.CELLS, self.rules.SIZE)]

    def _whose_turn(self, state: State) -> str:
        if state.player == TERMINAL:
            return "game over"
        passed = " after a pass" if state._row[self.rules.PASSES] else ""
        return f"{_COLORS[state.player]} to move{passed}"

    def from_text(self, text: str) -> State:
        """Read a board such as ``to_text`` writes: cells ``x``, ``o`` or ``-``, then whose turn it is.

        A single line of all cells and ``x`` or ``o`` for the side to move, as test suites write positions, is read too.
        """
        if line := re.fullmatch(r"([xo-]+) ([xo])", text.strip(), re.IGNORECASE):
            text = f"{line[1]}\n{_COLORS[_DISCS.index(line[2].lower())]} to move"
        board, _, last = text.strip().rpartition("\n")
        tail = re.fullmatch(r"(?:(black|white) to move( after a pass)?|game over)", last.strip())
        if tail is None:
            raise BadText(f'a record of {self.id} ends with a line like "black to move" or "game over", not "{last}"')
        try:
            state = self.from_board(
                board=board, to_move=_COLORS.index(tail[1]) if tail[1] else 0, passed=tail[2] is not None
            )
        except ValueError as error:
            raise BadText(f"not a position: {error}") from error
        rules = self.rules
        if tail[1] and state.player == TERMINAL:
            raise BadText(f'not a position: neither side of {self.id} can place, so that the record ends "game over"')
        if not tail[1] and state.player != TERMINAL:
            if not rules.VOLUNTARY_PASS:
                raise BadText(f'not a position: "game over" in {self.id} although there is a cell to place on')
            ended = state.row
            ended[rules.TURN], ended[rules.PASSES] = TERMINAL, 2
            ended[rules.MOVES :] = 0
            return self.from_row(ended)
        return state

    def action_text(self, state: State, action: int) -> str:
        if action == self.rules.PASS:
            return "pass"
        row, col = divmod(action, self.rules.SIZE)
        return f"{_COLUMNS[col]}{row + 1}"

    def stage(self, state: State) -> str:
        """Cells that are left, by fours."""
        lowest = (int(self.rules.empties(state._row)) - 1) // 4 * 4 + 1
        return f"{lowest} to {lowest + 3} empty cells"


def owners(state: State) -> list[int | None]:
    """Return the player whose disc lies on each cell, row by row; None where there is none."""
    rules, row = own(state.game.rules), state._row
    found: list[int | None] = []
    for cell in range(rules.CELLS):
        word, bit = divmod(cell, rules.WORD_CELLS)
        seats = (p for p in range(2) if int(row[rules.DISCS + p * rules.WORDS + word]) >> bit & 1)
        found.append(next(seats, None))
    return found


def disc_counts(state: State) -> tuple[int, int]:
    """Return the number of black and of white discs."""
    cells = owners(state)
    return cells.count(0), cells.count(1)
