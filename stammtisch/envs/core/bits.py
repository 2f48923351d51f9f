"""Sets of small numbers as the bits of an integer."""

from typing import Any

from llvmlite import ir
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name
from numba import config, njit, types
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
def _counted_bit_at(mask, k):
    for _ in range(k):
        mask &= mask - 1
    return lowest(mask)


def _deposited_bit_at(typing_context: Any, mask: Any, k: Any) -> Any:
    """Return what ``bit_at`` does in two instructions."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        deposit = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, (word, word)))
        bit = builder.call(deposit, (builder.shl(ir.Constant(word, 1), arguments[1]), arguments[0]))
        return builder.cttz(bit, ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64, types.int64), lower


def _deposits() -> bool:
    """Whether code is compiled for a processor that deposits bits, and fast."""
    chosen = vars(config)
    if IS_OFF or chosen["CPU_NAME"] is not None or chosen["CPU_FEATURES"] is not None:
        return False
    slow = ("znver1", "znver2", "bdver4")
    return bool(get_host_cpu_features().get("bmi2", False)) and get_host_cpu_name() not in slow


_bit_at: Any = intrinsic(_deposited_bit_at) if _deposits() else _counted_bit_at


@njit
def bit_at(mask, k):
    """Return the place of the ``k``-th bit of a mask that has more than ``k``, counted from the lowest."""
    return _bit_at(mask, k)
