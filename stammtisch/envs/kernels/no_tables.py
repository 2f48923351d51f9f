"""What searches ask of endgame tables where there are none. Bound into the search families as ``TABLES``."""

from numba import njit

HAS_TABLES = False


@njit
def look_up(s, tables, out):
    """Fill nothing: no position is known; see the ``probe`` of a game that has tables."""
    return False
