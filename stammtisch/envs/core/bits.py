"""Sets of small numbers as the bits of an integer."""

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from stammtisch.envs.core.jit import IS_OFF


def _bit_count(typing_context: Any, mask: Any) -> Any:
    """Return how many bits are set."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), lower


def _lowest(typing_context: Any, mask: Any) -> Any:
    """Return the place of the lowest bit of a mask that is not empty."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), lower


def _plain_bit_count(mask: Any) -> int:
    return (int(mask) & (1 << 64) - 1).bit_count()


def _plain_lowest(mask: Any) -> int:
    return (int(mask) & -int(mask)).bit_length() - 1


bit_count: Any = _plain_bit_count if IS_OFF else intrinsic(_bit_count)
lowest: Any = _plain_lowest if IS_OFF else intrinsic(_lowest)


@njit
def bit_at(mask, k):  # type: ignore[no-untyped-def]
    """Return the place of the ``k``-th bit of a mask that has more than ``k``, counted from the lowest."""
    for _ in range(k):
        mask &= mask - 1
    return lowest(mask)
