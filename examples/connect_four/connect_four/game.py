"""Connect Four: names, options, text form and symmetries."""

import numpy as np

from stammtisch import TERMINAL, BadText, Game, Option
from stammtisch.envs.core.game import Symmetry
from stammtisch.envs.core.state import State

DISCS = "xo"


class ConnectFour(Game):
    """Drop discs into columns; whoever first has four in a line wins.

    ## Description
    The board stands upright. In turn each player drops a disc into a column that is not full; it falls to the lowest
    empty cell. Four discs of one player in a line, along a row, a column or a diagonal, win; a full board is a draw.

    ## Action Space
    `Discrete(columns)`: the column, counted from the left; people count from 1.

    ## Observation Space
    `(3, 6, columns) int8` in 0..1, the top row first: own discs, the opponent's discs, ones if it is one's turn.

    ## Rewards
    +1 for four in a line, -1 for those of the opponent, 0 for a draw.

    ## Arguments
    | Name | Type | Default | Meaning |
    |---|---|---|---|
    | `columns` | int | 7 | width of the board: 5, 6, 7 or 8 |
    """

    RULES = "connect_four.rules"
    HEURISTIC = "connect_four.heuristic"
    POLICIES = ("heuristic",)
    FEATURES = "connect_four.features"
    CODINGS = 1
    RENDER = "connect_four.render"
    OPTIONS = {"columns": Option(7, "width of the board", (5, 6, 7, 8))}
    TRAINING = {
        "ntuple": {"connect-four": {"episodes": 200_000, "alpha": 0.5, "alpha_final": 0.05, "opening": 4}},
        "sb3": {"connect-four": {"gamma": 1.0, "symmetry": True, "eval_opening": 4}},
    }

    @property
    def symmetries(self) -> list[Symmetry]:
        """The board as it is, and mirrored."""
        rules = self.rules
        columns = np.arange(rules.COLUMNS)
        observation = np.arange(rules.OBS_LEN).reshape(rules.OBS_SHAPE)
        return [Symmetry(observation[:, :, order].ravel(), order) for order in (columns, columns[::-1].copy())]

    def to_text(self, state: State) -> str:
        """Write the rows from the top, ``x`` for the first player, ``o`` for the second, ``-`` for nothing."""
        return "\n".join(" ".join(cells) for cells in board(state))

    def board_text(self, state: State) -> str:
        numbers = " ".join(str(column + 1) for column in range(self.rules.COLUMNS))
        return f"{numbers}\n{self.to_text(state)}\n{verdict(state)}"

    def from_text(self, text: str) -> State:
        """Read what ``to_text`` writes; whose turn it is follows from the number of discs."""
        rules = self.rules
        lines = [line.split() for line in text.strip().splitlines()]
        if [len(line) for line in lines] != [rules.COLUMNS] * rules.ROWS:
            raise BadText(f"a board of {self.id} has {rules.ROWS} lines of {rules.COLUMNS} cells x, o or -")
        row = np.zeros(rules.STATE_LEN, np.int64)
        for column in range(rules.COLUMNS):
            cells = [line[column] for line in reversed(lines)]
            for height, cell in enumerate(cells):
                if cell not in (*DISCS, "-"):
                    raise BadText(f'cannot read cell "{cell}" in {self.id}; write x, o or -')
                if cell == "-" and any(above != "-" for above in cells[height:]):
                    raise BadText(f"a disc in column {column + 1} of {self.id} hangs in the air")
                if cell != "-":
                    row[rules.DISCS + DISCS.index(cell)] |= rules.bit(column, height)
        counts = [int(discs).bit_count() for discs in row[rules.DISCS :]]
        if counts[0] - counts[1] not in (0, 1):
            raise BadText(f"{counts[0]} x and {counts[1]} o cannot be on a board of {self.id}: x begins, then in turn")
        to_move = counts[0] - counts[1]
        lined = [bool(rules.has_line(discs)) for discs in row[rules.DISCS :]]
        if lined[to_move]:
            raise BadText(f"the {DISCS[to_move]} of {self.id} are in a line although the other player moved last")
        row[rules.TURN] = TERMINAL if any(lined) or sum(counts) == rules.CELLS else to_move
        return self.from_row(row)

    def action_text(self, state: State, action: int) -> str:
        """Say the column, counted from 1."""
        return str(action + 1)


def board(state: State) -> list[str]:
    """Return the rows from the top, one letter per cell."""
    rules, row = state.game.rules, state.row

    def letter(column: int, height: int) -> str:
        owner = [p for p in range(2) if row[rules.DISCS + p] & rules.bit(column, height)]
        return DISCS[owner[0]] if owner else "-"

    return ["".join(letter(c, r) for c in range(rules.COLUMNS)) for r in reversed(range(rules.ROWS))]


def verdict(state: State) -> str:
    """Say whose turn it is or who has won."""
    if state.player != TERMINAL:
        return f"{DISCS[state.player]} to move"
    first = state.returns()[0]
    return "draw" if first == 0 else f"{DISCS[int(first < 0)]} wins"
