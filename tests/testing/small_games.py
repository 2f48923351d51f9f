"""Two games with nothing but rules and text; their variants break promises."""

import numpy as np

from stammtisch import CHANCE, TERMINAL, BadText, Game


class RowGame(Game):
    """A game whose record is its row."""

    def to_text(self, state):
        row = state.row.tolist()
        return " ".join(map(str, row[1:] if self.variant["fault"] == 7 else row))

    def from_text(self, text):
        try:
            row = [int(word) for word in text.split()]
        except ValueError:
            raise BadText(f"a record of {self.id} has integers, not {text!r}") from None
        if self.variant["fault"] == 7:
            row = [0, *row]
        if len(row) != self.rules.STATE_LEN or not self.is_position(*row):
            raise BadText(f"not a position of {self.id}: {text!r}")
        return self.from_row(np.array(row, np.int64))


class Nim(RowGame):
    """One heap."""

    RULES = "tests.testing.nim_rules"

    def is_position(self, turn, stones, last):
        if turn == TERMINAL:
            return stones == 0 and last in (0, 1)
        return 0 < stones <= 9 and (turn, last) in ((0, 1), (1, 0))

    def action_text(self, state, action):
        return "some" if self.variant["fault"] == 8 else f"take {action + 1}"


class HighCard(RowGame):
    """Two hidden cards."""

    RULES = "tests.testing.cards_rules"
    CHANCE_KIND = "sampled"
    HIDDEN = True

    def is_position(self, turn, first, second, folded):
        if turn == CHANCE:
            return first == second == folded == 0
        dealt = {first, second} <= set(range(10)) and first != second
        return dealt and (turn, folded) in ((0, 2), (1, 2), (TERMINAL, 0), (TERMINAL, 1), (TERMINAL, 2))

    def action_text(self, state, action):
        return ("fold", "bet")[action]
