"""Names of cards and modes, and small helpers on card ids for scripts and lessons."""

from collections.abc import Iterable, Sequence

COLOURS = "HDCS"
RANKS = ("6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARDS: tuple[str, ...] = tuple(colour + rank for colour in COLOURS for rank in RANKS)
MODES = (
    "hearts",
    "diamonds",
    "clubs",
    "spades",
    "obeabe",
    "undeufe",
    "schieben",
    "slalom-obeabe",
    "slalom-undeufe",
    "guschti-obeabe",
    "guschti-undeufe",
)
LEGAL_RULES = ("server", "jass-kit", "void")


def card_id(name: str) -> int:
    """Return the id of a card.

    Example:
        >>> card_id("H10"), card_id("SA")
        (4, 35)
    """
    if name.upper() not in CARDS:
        raise ValueError(f'no card "{name}"; write a colour H, D, C, S and a rank 6..10, J, Q, K, A, as in "H10"')
    return CARDS.index(name.upper())


def legal_cards(hand: Iterable[int], trick: Sequence[int], mode: int, rule: str = "server") -> list[int]:
    """Return the cards of a hand that may be played, in ascending order.

    Args:
        hand: card ids held.
        trick: card ids on the table in playing order, none when leading.
        mode: 0..3 hearts, diamonds, clubs, spades as trumps, 4 Obeabe, 5 Undeufe.
        rule: ``"server"``, ``"jass-kit"`` for that engine's weaker under-trump rule, or ``"void"``: who has none of
            the colour led may under-trump.

    Example:
        >>> hand = [card_id(name) for name in ("H7", "HQ", "DA", "S7")]
        >>> [CARDS[c] for c in legal_cards(hand, [card_id("D10"), card_id("H10")], 0)]
        ['HQ', 'DA']
    """
    from stammtisch.envs.jass.family import cards

    held = _checked_set(hand, "hand")
    table = _checked_set(trick, "trick")
    if held & table:
        raise ValueError("a card cannot be in the hand and on the table")
    if len(trick) > 3:
        raise ValueError(f"a player sees at most three cards on the table, not {len(trick)}")
    if mode not in range(cards.N_ORDERS):
        raise ValueError(f"no mode {mode!r}; 0..3 make a colour trumps, 4 is Obeabe, 5 Undeufe")
    if rule not in LEGAL_RULES:
        raise ValueError(f"no rule {rule!r}; choose one of {', '.join(LEGAL_RULES)}")
    best = trick[0] if trick else 0
    for card in trick[1:]:
        if cards.beats(mode, card, best):
            best = card
    lead = trick[0] // cards.N_RANKS if trick else -1
    allowed = int(cards.legal_set(held, lead, mode if mode < 4 else -1, best, table, LEGAL_RULES.index(rule)))
    return [card for card in range(cards.N_CARDS) if allowed >> card & 1]


def _checked_set(cards: Iterable[int], where: str) -> int:
    found = 0
    for card in cards:
        if isinstance(card, bool) or card not in range(len(CARDS)):
            raise ValueError(f"no card {card!r} in the {where}; cards are 0..{len(CARDS) - 1}")
        if found >> card & 1:
            raise ValueError(f"{CARDS[card]} is twice in the {where}")
        found |= 1 << card
    return found
