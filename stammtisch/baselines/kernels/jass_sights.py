"""What the seat to move sees of a position without names of colours; a kernel source."""

from collections.abc import Callable
from typing import Any

from stammtisch.envs.core.rules import OwnRules
from stammtisch.envs.jass.family.sight import card_sight

RULES: OwnRules
short_kernel: Callable[[Callable[..., Any]], Any]

legal_cards_of = RULES.legal_cards_of
WON = RULES.WON


@short_kernel
def see(s, p, sets, order, obs):
    """Fill the sight of seat ``p``, to play a card, and its frame; see ``card_sight``."""
    allowed = legal_cards_of(s, p)
    card_sight(s, p, allowed, s[WON + (p & 1)], s[WON + 1 - (p & 1)], sets, order, obs)
