"""Plain Python twins of Differenzler, Molotow and Coiffeur: one deal from its record, card by card."""

from tests.envs import jass_twin as twin

FIVE_AND_FOUR = {"GO": "OOOOOUUUU", "GU": "UUUUUOOOO", "LO": "OUOUOUOUO", "LU": "UOUOUOUOU"}


class Deal:
    """A deal that checks every card.

    Mode is a colour, O, U, one of FIVE_AND_FOUR, or "?" while no trumps are named (Molotow).
    """

    def __init__(self, hands, leader, mode, under=False, named_at_once=True):
        self.hands = [set(hand) for hand in hands]
        self.player, self.mode, self.under, self.named_at_once = leader, mode, under, named_at_once
        self.trick, self.taken = [], [[] for _ in range(4)]
        self.last = None

    @property
    def order(self):
        """The mode in which the running trick is played; Obeabe while no trumps are named."""
        if self.mode in FIVE_AND_FOUR:
            return FIVE_AND_FOUR[self.mode][sum(map(len, self.taken)) // 4]
        return "O" if self.mode == "?" else self.mode

    def legal(self):
        return twin.legal(self.hands[self.player], self.trick, self.order, under=self.under)

    def play(self, card):
        assert card in self.legal()
        self.hands[self.player].remove(card)
        self.trick.append(card)
        odd = [c for c in self.trick if c[0] != self.trick[0][0]]
        if self.mode == "?" and odd and self.named_at_once:
            self.mode = odd[0][0]
        self.player = (self.player + 1) % 4
        if len(self.trick) == 4:
            self.player = self.last = (self.player + twin.winner(self.trick, self.order)) % 4
            self.taken[self.player] += self.trick
            self.trick = []
            if self.mode == "?" and odd:
                self.mode = odd[0][0]

    def points(self):
        """Points of every seat from the cards taken, the last trick's five included once all are played."""
        kind = FIVE_AND_FOUR[self.mode][0] if self.mode in FIVE_AND_FOUR else self.mode
        found = [sum(twin.points(c, kind) for c in cards) for cards in self.taken]
        if sum(map(len, self.taken)) == 36:
            found[self.last] += 5
        return found


def can_be(hands, leader, plays, mode, under, named_at_once):
    """Tell whether every card in ``plays`` was legal for its player in a deal of ``hands``."""
    deal = Deal(hands, leader, mode, under, named_at_once)
    for card in plays:
        if card not in deal.legal():
            return False
        deal.play(card)
    return True
