"""Cards and modes as the protocol writes them, and the actions of the game that they mean."""

from collections.abc import Iterable, Mapping
from typing import Any

from stammtisch.envs.jass.family.cards import N_CARDS, N_COLOURS, N_RANKS, OBEABE, SCHIEBEN, UNDEUFE

COLOURS = ("HEARTS", "DIAMONDS", "CLUBS", "SPADES")
NUMBERS = range(6, 15)
MODES = ("TRUMPF", "OBEABE", "UNDEUFE", "SCHIEBE")

_PLAIN_MODES = {"OBEABE": OBEABE, "UNDEUFE": UNDEUFE, "SCHIEBE": SCHIEBEN}
_MODE_NAMES = {mode: name for name, mode in _PLAIN_MODES.items()}
_CARDS: tuple[dict[str, Any], ...] = tuple(
    {"number": NUMBERS[card % N_RANKS], "color": COLOURS[card // N_RANKS]} for card in range(N_CARDS)
)


def card_to_wire(card: int) -> dict[str, Any]:
    """Return a card as the protocol writes it.

    Example:
        >>> card_to_wire(5)
        {'number': 11, 'color': 'HEARTS'}
    """
    return _CARDS[card]


def cards_to_wire(cards: Iterable[int]) -> list[dict[str, Any]]:
    """Return cards in the same order as the protocol writes them."""
    return [_CARDS[card] for card in cards]


def card_from_wire(data: Mapping[str, Any]) -> int:
    """Return the id of a card; the data has passed its schema."""
    return N_RANKS * COLOURS.index(data["color"]) + int(data["number"]) - NUMBERS[0]


def cards_from_wire(data: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the ids of cards in the same order."""
    return [card_from_wire(card) for card in data]


def mode_to_wire(mode: int) -> dict[str, str]:
    """Return a mode, or the pass, as the protocol writes it.

    Example:
        >>> mode_to_wire(2), mode_to_wire(6)
        ({'mode': 'TRUMPF', 'trumpfColor': 'CLUBS'}, {'mode': 'SCHIEBE'})
    """
    if mode < N_COLOURS:
        return {"mode": "TRUMPF", "trumpfColor": COLOURS[mode]}
    return {"mode": _MODE_NAMES[mode]}


def mode_from_wire(data: Mapping[str, Any]) -> int:
    """Return the number of a mode, or of the pass.

    A trump mode without a colour, which the original server lets pass, is played in the order of Obeabe.
    """
    if data["mode"] != "TRUMPF":
        return _PLAIN_MODES[data["mode"]]
    return COLOURS.index(data["trumpfColor"]) if "trumpfColor" in data else OBEABE
