"""``SpielTwin``: a game of ours under the name and the numbers that OpenSpiel gives it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stammtisch.envs.core.state import State


class SpielTwin(NamedTuple):
    """The same game in OpenSpiel.

    Attributes:
        name: its name there.
        number: returns the number there of an action, or of an outcome of chance, in a position.
        seats: the player there of each of our seats.
        opening: actions there that lead to our start position.
    """

    name: str
    number: "Callable[[State, int], int]"
    seats: tuple[int, ...] = (0, 1)
    opening: tuple[int, ...] = ()
