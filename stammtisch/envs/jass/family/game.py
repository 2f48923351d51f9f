"""``JassGame``: set-up, text form and boards that the games of the Jass room share."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.core.constants import CHANCE
from stammtisch.envs.core.facts import Fact
from stammtisch.envs.core.game import Game, Option
from stammtisch.envs.core.rules import OwnRules, own, uncompiled
from stammtisch.envs.core.state import State
from stammtisch.envs.core.streams import Seed
from stammtisch.envs.jass.family.defaults import TRAINING
from stammtisch.envs.jass.family.names import CARDS, MODES, card_id
from stammtisch.envs.jass.family.view import cards_in, plays
from stammtisch.errors import BadText

TO_BE_DEALT = "cards are to be dealt"
# Other words for modes.
SPOKEN = {
    "push": "schieben",
    "schiebe": "schieben",
    "obe": "obeabe",
    "unde": "undeufe",
    "rosen": "hearts",
    "schellen": "diamonds",
    "eichel": "clubs",
    "schilten": "spades",
    **{f"trump {colour}".lower(): name for colour, name in zip("HDCS", MODES, strict=False)},
}

_NAMES = {
    "french": ("hearts", "diamonds", "clubs", "spades"),
    "swiss": ("Rosen", "Schellen", "Eichel", "Schilten"),
}
_NO_TRUMPS = {
    4: "Obeabe",
    5: "Undeufe",
    7: "Slalom from Obeabe",
    8: "Slalom from Undeufe",
    9: "Guschti from Obeabe",
    10: "Guschti from Undeufe",
    11: "no trumps named yet",
}


def mode_name(pack: str, mode: int) -> str:
    """Say a mode in the language of a pack."""
    return f"trumps {_NAMES[pack][mode]}" if mode < 4 else _NO_TRUMPS[mode]


def told(name: str, kind: str, about: str) -> Fact:
    """Return the accessor of something public that the views have too."""
    return Fact(kind, about, lambda state: getattr(state.game.view_class(state.game, state._row, 0), name))


def _hand(state: State) -> list[int]:
    if state.player < 0:
        return []
    return cards_in(int(state._row[own(state.game.rules).HAND + state.player]))


class JassGame(Game):
    """A game of the Jass family.

    A record is a line of its own (``_head``), the hands as dealt, what was said before the play (the line ``SAID``, in
    games where something is said) and the cards played.
    """

    rules: OwnRules
    FAMILY = "jass"
    RENDER = "stammtisch.envs.jass.family.render"
    CHANCE_KIND = "sampled"
    HIDDEN = True
    TRAINING = TRAINING
    SAID: ClassVar[str] = ""
    FACTS = {
        "mode": told("mode", "int | None", "mode of this deal, None as long as there is none"),
        "hand": Fact("list[int]", "cards of the player to move, in a view the own ones", lambda state: _hand(state)),
        "table": told("table", "list[tuple[int, int]]", "seat and card of the running trick in playing order"),
        "history": told("history", "list[Trick]", "finished tricks: leader, cards, winner and points"),
        "forehand": told("forehand", "int", "seat that has the first say"),
        "scores": told("scores", "tuple[int, ...]", "points in this deal so far, of teams or of seats"),
        "totals": told("totals", "tuple[int, ...]", "points of the whole game so far, likewise"),
        "voids": told("voids", "list[list[int]]", "colours of which each seat has shown to hold no card"),
    }
    NEUTRAL_OPTIONS = ("pack", "start", "pay", "observation")
    OPTIONS = {"pack": Option("french", "cards in pictures", ("french", "swiss"))}

    # Set-up

    def new_state(
        self, seed: Seed = None, *, deal: Sequence[Sequence[int]] | None = None, forehand: int | None = None
    ) -> State:
        """Return the start position: before the deal, or with a deal that is given.

        Args:
            seed: decides the forehand with ``start="random"``.
            deal: four hands of nine card ids, by seat.
            forehand: the seat that begins; by default what ``start`` says.
        """
        state = super().new_state(seed)
        if deal is None and forehand is None:
            return state
        row = state.row
        if forehand is not None:
            if forehand not in range(4):
                raise ValueError(f"no player {forehand!r} in {self.id}; seats are 0..3")
            row[self.rules.FOREHAND] = forehand
        if deal is not None:
            self._lay_out(row, deal)
            if forehand is not None and row[self.rules.FOREHAND] != forehand:
                raise ValueError(f"forehand is seat {row[self.rules.FOREHAND]}, who holds {self.options['start']}")
        return self.from_row(row)

    def _lay_out(self, row: NDArray[np.int64], deal: Sequence[Sequence[int]]) -> None:
        """Put four hands into a row that waits for the deal."""
        rules: Any = self.rules
        cards = [card for hand in deal for card in hand]
        if [len(hand) for hand in deal] != [9] * 4 or sorted(cards) != list(range(len(CARDS))):
            raise ValueError(f"a deal of {self.id} is four hands of nine different cards 0..35, not {deal!r}")
        for seat, hand in enumerate(deal):
            row[rules.HAND + seat] = sum(1 << int(card) for card in hand)
        uncompiled(rules.begin)(row)

    # Text

    def to_text(self, state: State) -> str:
        rules, row = self.rules, state._row
        played = plays(rules, row)
        hands = [cards_in(int(row[rules.HAND + p] | row[rules.PLAYED + p])) for p in range(4)]
        lines = [self._head(row), "hands " + (" / ".join(_names(hand) for hand in hands) if hands[0] else "-")]
        if self.SAID:
            lines.append(f"{self.SAID} " + (" ".join(self._said(row)) or "-"))
        lines.append("play " + (" / ".join(_names(played[i : i + 4]) for i in range(0, len(played), 4)) or "-"))
        return "\n".join(lines)

    def _head(self, row: NDArray[np.int64]) -> str:
        """Write the first line of a record."""
        raise NotImplementedError

    def _read_head(self, row: NDArray[np.int64], line: str) -> None:
        """Read the first line of a record into a new row."""
        raise NotImplementedError

    def _said(self, row: NDArray[np.int64]) -> list[str]:
        """Return what was said before the play, a word for each action."""
        raise NotImplementedError

    def _say(self, action: int) -> str:
        """Say an action that is no card, in one word."""
        raise NotImplementedError

    def from_text(self, text: str) -> State:
        """Read a record such as ``to_text`` writes: who begins, hands as dealt, what was said, cards played."""
        lines = [" ".join(line.split()) for line in text.strip().splitlines() if line.strip()]
        names = ["hands", self.SAID, "play"] if self.SAID else ["hands", "play"]
        if len(lines) != 1 + len(names) or [line.partition(" ")[0] for line in lines[1:]] != names:
            number = {3: "three", 4: "four"}[1 + len(names)]
            wanted = ", ".join(f'"{name} …"' for name in names)
            raise BadText(f"a record of {self.id} has {number} lines: who begins, {wanted}")
        row = super().new_state(0).row
        self._read_head(row, lines[0])
        forehand = row[self.rules.FOREHAND]
        hands, *said = (line.partition(" ")[2] for line in lines[1:])
        try:
            if hands != "-":
                self._lay_out(row, [[card_id(name) for name in hand.split()] for hand in hands.split("/")])
        except ValueError as error:
            raise BadText(f"not a deal: {error}") from error
        if row[self.rules.FOREHAND] != forehand:
            raise BadText(f"forehand is seat {row[self.rules.FOREHAND]}, who holds {self.options['start']}")
        state = self.from_row(row)
        for word in " ".join(said).split():
            if word in "-/":
                continue
            if state.player == CHANCE:
                raise BadText(f'cannot read "{word}": no cards are dealt')
            state.apply(self.parse_action(state, word))
        return state

    def action_text(self, state: State, action: int) -> str:
        if state.player == CHANCE:
            return f"deal {action}"
        return CARDS[action] if action < len(CARDS) else self._say(action)

    def board_text(self, state: State) -> str:
        from stammtisch.envs.jass.family.render import board_text

        return board_text(state)

    def headline(self, state: State) -> str:
        """Say what is being played, or what is to be done before."""
        raise NotImplementedError

    def score_line(self, state: State) -> str:
        """Say how the players stand."""
        raise NotImplementedError


def _names(cards: Sequence[int]) -> str:
    return " ".join(CARDS[card] for card in cards)
