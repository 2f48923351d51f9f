"""EinStein würfelt nicht!: names, options, text form and set-up."""

import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import CHANCE
from stammtisch.envs.core.facts import Fact
from stammtisch.envs.core.game import Game, Option
from stammtisch.envs.core.rules import OwnRules, own
from stammtisch.envs.core.spiel import SpielTwin
from stammtisch.envs.core.state import State
from stammtisch.envs.einstein.defaults import TRAINING
from stammtisch.errors import BadText

_DIRECTIONS = ("right", "down", "diagonal")
_LETTERS = "abcd"
_SPIEL_WAYS = ((5, 3, 4), (2, 1, 0))  # OpenSpiel's number of right, down and diagonal, for either player


class EinStein(Game):
    """Race or capture: bring one numbered stone into the far corner; the die says which stone may move.

    ## Description
    Every player has three (small boards) or six numbered stones in its home corner. A turn is a roll of the die and one
    step of the stone with that number towards the opposite corner: along the row, along the column or diagonally. If
    that stone is gone, the stone with the next lower or the next higher number moves instead, at the player's choice.
    Whatever stands on the target cell, friend or foe, is captured. Rules: Ingo Althöfer, 2004; boards for three and
    four players as in the GBG framework.

    ## Players
    | Index | Home corner | Partners | Moves first |
    |---|---|---|---|
    | 0 | top left | 2 (four players), 1 (three players) | yes |
    | 1 | bottom right | 3 (four players), 0 (three players) | |
    | 2 | bottom left | 0 (four players) | |
    | 3 | top right | 1 | |

    ## Action Space
    `Discrete(3 * pieces)`, with three players one more.

    | Action | Meaning |
    |---|---|
    | 3 * (piece - 1) + 0 | right, as player 0 sees it; turned into the mover's corner for the others |
    | 3 * (piece - 1) + 1 | down, likewise |
    | 3 * (piece - 1) + 2 | diagonal, likewise |
    | 18 (three players only) | forced pass: the die names only stones that are stuck |

    Chance outcomes are `die - 1`, all equally likely.

    ## Observation Space
    `(planes, size, size) int8` in 0..1, the board turned so that the observer's home is at the top left. Seats are
    counted from the observer on: own stones, those of the next player in turn, and so on. N players, P pieces each.

    | Plane | Meaning |
    |---|---|
    | P * j + i | stone i + 1 of the j-th player from the observer on |
    | N * P + i | all ones if the die shows i + 1 |
    | N * P + P + j | all ones if the j-th player from the observer on is to move |
    | N * P + P + N + p (three players only) | all ones if the observer sits in seat p |

    With `observation="coding-0"`, `"coding-1"` or `"coding-2"`: `(size * size + 2,) int8`; one value per cell in the
    observer's frame, then the die (0 = not rolled) and the mover counted from the observer on. Owner j has value j
    (coding 0), 3 j + third of the numbers (coding 1) or 6 j + number - 1 (coding 2); an empty cell has the next free
    value N, 3 N or 6 N.

    ## Action Mask
    `(num_actions,) int8`; in the observation of the AEC face, in `info["action_mask"]` of the others; zeros when it is
    not your turn.

    ## Rewards
    | Outcome | Reward |
    |---|---|
    | own team wins | +1 |
    | own team loses | -1 |

    ## Starting State
    Fixed layout, or with `random_start=True` one of 3! or 6! numberings drawn by the seed, the same for every player,
    turned into its corner.

    ## Episode End
    1. A stone stands on its player's goal corner: its team wins (three players: only player 2 has a goal corner).
    2. A player has no stone left: its team loses, whoever captured the last one.
    A move that does both counts as reaching the goal. There are no draws and no truncation.

    ## Information
    `chance`: outcomes rolled since the last action; see the faces for the other keys.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `random_start` | bool | False | shuffle the numbers of the start layout |
    | `choice` | str | "standard" | "gbg": only the nearest number moves when the rolled one is gone |
    | `ending` | str | "goal" | "gbg": the lower seat decides when a move reaches the goal and wipes out the partner |
    | `observation` | str | "planes" | "coding-0", "coding-1", "coding-2" for the n-tuple codings |

    Example: `stammtisch.load_game("einstein-5x5", random_start=True)`.

    ## Version History
    * v0: first release
    """

    rules: OwnRules
    FAMILY = "einstein"
    RULES = "stammtisch.envs.einstein.rules"
    HEURISTIC = "stammtisch.envs.einstein.heuristic"
    FEATURES = "stammtisch.envs.einstein.features"
    ORACLE = "stammtisch.envs.einstein.oracle"
    TABLES = "stammtisch.envs.einstein.tables"
    RENDER = "stammtisch.envs.einstein.render"
    CODINGS = 4
    TRAINING = TRAINING
    POLICIES = ("heuristic",)
    CHANCE_KIND = "explicit"
    FACTS = {
        "die": Fact("int | None", "what was rolled; None before the roll", lambda state: _die(state)),
        "stones": Fact(
            "list[tuple[int, int, int]]",
            "cell, player and number of every stone on the board",
            lambda state: stones(state),
        ),
    }
    NEUTRAL_OPTIONS = ("random_start", "observation")
    CELL_IN_TEXT = r"\. ?|[a-d][1-6]"
    OPTIONS = {
        "random_start": Option(False, "shuffle the numbers of the start layout"),
        "choice": Option("standard", "which stone replaces a captured one", ("standard", "gbg")),
        "ending": Option("goal", "goal reached and partner wiped out at once", ("goal", "gbg")),
        "observation": Option("planes", "encoding", ("planes", "coding-0", "coding-1", "coding-2")),
    }

    def _config(self) -> dict[str, int]:
        return {
            **self.variant,
            "random_start": int(self.options["random_start"]),
            "choice_gbg": int(self.options["choice"] == "gbg"),
            "ending_gbg": int(self.options["ending"] == "gbg"),
            "coding": self.OPTIONS["observation"].choices.index(self.options["observation"]) - 1,
        }

    def from_board(self, *, board: Sequence[tuple[int, int] | None], to_move: int = 0, die: int | None = None) -> State:
        """Set up a position.

        Args:
            board: one entry per cell, row by row: None or ``(player, piece)`` with pieces numbered from 1.
            to_move: seat whose turn it is.
            die: the number rolled, or None before the roll.
        """
        rules = self.rules
        if len(board) != rules.CELLS:
            raise ValueError(f"a board of {self.id} has {rules.CELLS} cells, not {len(board)}")
        if not 0 <= to_move < rules.N_PLAYERS:
            raise ValueError(f"no player {to_move!r} in {self.id}; seats are 0..{rules.N_PLAYERS - 1}")
        if die is not None and not 1 <= die <= rules.PIECES:
            raise ValueError(f"die {die!r} is not possible in {self.id}; it shows 1..{rules.PIECES} or None")
        row = np.zeros(rules.STATE_LEN, np.int64)
        row[rules.POS : rules.BOARD] = -1
        for cell, content in enumerate(board):
            if content is None:
                continue
            owner, piece = content
            if not (0 <= owner < rules.N_PLAYERS and 1 <= piece <= rules.PIECES):
                raise ValueError(
                    f"no stone {content!r} in {self.id}; players are 0..{rules.N_PLAYERS - 1}, pieces 1..{rules.PIECES}"
                )
            index = owner * rules.PIECES + piece - 1
            if row[rules.POS + index] >= 0:
                raise ValueError(f"stone {content!r} stands on the board twice")
            row[rules.POS + index] = cell
            row[rules.BOARD + cell] = 1 + index
            row[rules.LEFT + owner] += 1
        row[rules.TURN], row[rules.DIE] = to_move, die or 0
        row[rules.OVER] = self._decided(row)
        if row[rules.OVER]:
            row[rules.DIE] = 0
        return self.from_row(row)

    def spiel_twin(self) -> SpielTwin | None:
        """OpenSpiel begins at the bottom right, so its board is ours turned by half."""
        if self.id != "einstein-5x5" or self.changed_options():
            return None
        start = self.new_state(seed=0)
        numbers = {self.rules.CELLS - 1 - cell: (player, piece) for cell, player, piece in stones(start)}
        layouts = list(itertools.permutations(range(1, self.rules.PIECES + 1)))
        opening = [
            layouts.index(tuple(piece for _, (owner, piece) in sorted(numbers.items()) if owner == player))
            for player in (1, 0)
        ]
        return SpielTwin("einstein_wurfelt_nicht", _spiel_number, (1, 0), tuple(opening))

    def most_positions(self) -> int:
        """Return the bound of the thesis: ways to put 1, 2, … up to all stones on different cells, one after the other.

        With f cells and m stones of all players this is the sum of f! / (f - k)! for k = 1 … m.
        """
        stones_in_all: int = self.rules.N_PLAYERS * self.rules.PIECES
        return sum(math.perm(self.rules.CELLS, k) for k in range(1, stones_in_all + 1))

    def _decided(self, row: NDArray[np.int64]) -> int:
        """Return 1 + the winning team of a set-up position, 0 when play goes on."""
        rules = self.rules
        at_goal = {
            rules.TEAMS[(row[rules.BOARD + goal] - 1) // rules.PIECES]
            for p, goal in enumerate(rules.GOAL)
            if goal >= 0 and (row[rules.BOARD + goal] - 1) // rules.PIECES == p and row[rules.BOARD + goal] > 0
        }
        wiped_out = {rules.TEAMS[p] for p in range(rules.N_PLAYERS) if row[rules.LEFT + p] == 0}
        winners = at_goal or {1 - team for team in wiped_out}
        if len(winners) > 1:
            raise ValueError(f"both teams of {self.id} would have won in this position")
        return 1 + winners.pop() if winners else 0

    def cell_symbols(self) -> tuple[str, ...]:
        rules = self.rules
        stones = (f"{_LETTERS[p]}{piece}" for p in range(rules.N_PLAYERS) for piece in range(1, rules.PIECES + 1))
        return (". ", *stones)

    def to_text(self, state: State) -> str:
        rules, row = self.rules, state._row
        cells = [self._stone(int(c)) for c in row[rules.BOARD : rules.BOARD + rules.CELLS]]
        lines = [" ".join(cells[i : i + rules.SIZE]).rstrip() for i in range(0, rules.CELLS, rules.SIZE)]
        die = str(row[rules.DIE]) if row[rules.DIE] else "-"
        return "\n".join([*lines, f"die {die}, {_LETTERS[row[rules.TURN]]} to move"])

    def board_text(self, state: State) -> str:
        """Draw the record with coordinates around the board; ``from_text`` reads it too."""
        *rows, tail = self.to_text(state).splitlines()
        names = "  ".join(column_name(i) for i in range(self.rules.SIZE))
        return "\n".join([f"  {names}", *(f"{i} {row}" for i, row in enumerate(rows, 1)), tail])

    def _stone(self, content: int) -> str:
        if content == 0:
            return ". "
        owner, piece = divmod(content - 1, self.rules.PIECES)
        return f"{_LETTERS[owner]}{piece + 1}"

    def from_text(self, text: str) -> State:
        """Read a board such as ``to_text`` writes: cells ``a1`` (player 0, stone 1) or ``.``, then die and mover.

        Coordinates around the board, as ``str(state)`` has them, may be there or not.
        """
        lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
        tail = re.fullmatch(r"die (\d|-), ([a-d]) to move", lines[-1]) if lines else None
        if tail is None:
            raise BadText(f'a record of {self.id} ends with a line like "die 3, a to move", not {lines[-1:]}')
        board: list[tuple[int, int] | None] = []
        for cell in _without_coordinates(lines[:-1]):
            stone = re.fullmatch(r"([a-d])([1-6])", cell)
            if stone is None and cell != ".":
                raise BadText(f'cannot read cell "{cell}" in {self.id}; write "." or a stone such as "a1"')
            board.append((_LETTERS.index(stone[1]), int(stone[2])) if stone else None)
        die = None if tail[1] == "-" else int(tail[1])
        try:
            return self.from_board(board=board, to_move=_LETTERS.index(tail[2]), die=die)
        except ValueError as error:
            raise BadText(f"not a position: {error}") from error

    def action_text(self, state: State, action: int) -> str:
        if state.player == CHANCE:
            return f"roll {action + 1}"
        if action == self.rules.PASS:
            return "pass"
        return f"{action // 3 + 1} {_DIRECTIONS[action % 3]}"

    def stage(self, state: State) -> str:
        """Thirds of the stones that are still on the board."""
        rules: Any = self.rules
        lost = 1 - len(stones(state)) / (rules.PIECES * rules.N_PLAYERS)
        return ("opening", "middle", "end")[min(2, int(3 * lost + 1e-9))]


def column_name(column: int) -> str:
    """Return the letter of a column, from the left; a capital, since small letters are players."""
    return chr(ord("A") + column)


def _without_coordinates(lines: Sequence[str]) -> list[str]:
    """Return the cells of a board drawn in lines, without a line of column letters and row numbers before them."""
    cells = []
    for line in lines:
        words = line.split()
        if all(len(word) == 1 and word.isalpha() for word in words):
            continue
        cells += words[1:] if words[0].isdecimal() else words
    return cells


def _spiel_number(state: State, action: int) -> int:
    """Return OpenSpiel's number: cell, direction (three per player) and whether something is captured."""
    if state.player == CHANCE:
        return action
    rules: Any = state.game.rules
    player, (piece, way) = state.player, divmod(action, 3)
    cell = int(state._row[rules.POS + player * rules.PIECES + piece])
    target = cell + int(rules.STEP[player, way])
    captures = int(state._row[rules.BOARD + target] > 0)
    return 12 * (int(rules.CELLS) - 1 - cell) + 2 * _SPIEL_WAYS[player][way] + captures


def _die(state: State) -> int | None:
    return int(state._row[own(state.game.rules).DIE]) or None


def stones(state: State) -> list[tuple[int, int, int]]:
    """Return ``(cell, player, piece)`` of every stone on the board, pieces numbered from 1."""
    rules: Any = state.game.rules
    row = state._row
    found = []
    for cell in range(rules.CELLS):
        if row[rules.BOARD + cell]:
            owner, piece = divmod(int(row[rules.BOARD + cell]) - 1, rules.PIECES)
            found.append((cell, owner, piece + 1))
    return found
