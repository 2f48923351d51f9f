"""The network inputs of the JassBot thesis (HSR, 2017), from any view."""

import numpy as np
from numpy.typing import NDArray

from stammtisch.envs.jass.family.cards import N_CARDS, SLALOM_OBE, UNDEUFE
from stammtisch.envs.jass.family.view import JassView

CARD_SIZES = (42, 150, 186, 1302)
TRUMP_SIZES = (36, 37)


def trump_encoding(view: JassView, size: int) -> NDArray[np.int8]:
    """Return the input of the trump network, ``int8[size]``: the hand, with 37 also whether it was pushed."""
    if size not in TRUMP_SIZES:
        raise ValueError(f"no trump encoding of size {size!r}; choose 36 or 37")
    encoded = np.zeros(size, np.int8)
    encoded[view.hand] = 1
    if size > N_CARDS:
        encoded[N_CARDS] = view.pushed
    return encoded


def card_encoding(view: JassView, size: int) -> NDArray[np.int8]:
    """Return the input of the card network, ``int8[size]``, as ``observation="jass-<size>"`` shows it."""
    if size not in CARD_SIZES:
        raise ValueError(f"no card encoding of size {size!r}; choose 42, 150, 186 or 1302")
    encoded = np.zeros(size, np.int8)
    encoded[view.hand] = 1
    for position, (_, card) in enumerate(view.table):
        if size == 42:
            encoded[card] = 2 + position
        else:
            encoded[N_CARDS * (1 + position) + card] = 1
    history = view.history
    for k, trick in enumerate(history):
        for position, card in enumerate(trick.cards):
            if size == 186:
                encoded[4 * N_CARDS + card] = 1
            elif size == 1302 and k < 8:
                encoded[N_CARDS * (4 + 4 * k + position) + card] = 1
    if view.mode is not None:
        slalom = view.mode > UNDEUFE
        order = 4 + (view.mode - SLALOM_OBE + len(history)) % 2 if slalom else view.mode
        encoded[size - 6 + order] = 1
    return encoded
