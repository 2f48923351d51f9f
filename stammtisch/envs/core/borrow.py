"""Arrays without reference counts, for loops that look at many rows.

Inside a kernel every row of a batch is a new array that counts as one more owner of the memory, and counting can take
longer than the rules. The arguments of a kernel are kept alive by its caller, so that nobody need count them.
"""

import ctypes
from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from stammtisch.envs.core.jit import IS_OFF


def _lent(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a value whose arrays own nothing."""
    if isinstance(kind, types.BaseTuple):
        kinds: Any = kind
        lent = [_lent(context, builder, each, builder.extract_value(value, i)) for i, each in enumerate(kinds)]
        return context.make_tuple(builder, kind, lent)
    if isinstance(kind, types.Array):
        view = context.make_array(kind)(context, builder, value)
        null_of: Any = cgutils.get_null_value
        for field in ("meminfo", "parent"):
            setattr(view, field, null_of(getattr(view, field).type))
        return view._getvalue()
    context.nrt.incref(builder, kind, value)
    return value


def _borrowed(typing_context: Any, arrays: Any) -> Any:
    """Return ``arrays``, an argument of the kernel, as arrays that own nothing; neither do their rows.

    It may be an array, or a tuple that holds some, tuples of arrays among them.

    Never for an array that the same function made: it would be freed while it is in use. What it makes it may lend to a
    function that it calls.
    """
    if not isinstance(arrays, types.Array | types.BaseTuple):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _lent(context, builder, arrays, arguments[0])

    return arrays(arrays), lower


def _same(array: Any) -> Any:
    return array


def _byte_at(typing_context: Any, address: Any) -> Any:
    """Return the byte at an address in memory that the caller keeps alive, as a file that is mapped."""
    if not isinstance(address, types.Integer):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte: Any = cgutils.int8_t
        return builder.load(builder.inttoptr(arguments[0], byte.as_pointer()))

    return types.uint8(types.int64), lower


def _pointer_to(typing_context: Any, address: Any) -> Any:
    """Return an address in memory that the caller keeps alive as a pointer, for ``numba.carray``."""
    if not isinstance(address, types.Integer):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte: Any = cgutils.int8_t
        return builder.inttoptr(arguments[0], byte.as_pointer())

    return types.voidptr(types.int64), lower


def _plain_pointer_to(address: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(int(address))


def _plain_byte_at(address: Any) -> int:
    return ctypes.c_uint8.from_address(int(address)).value


pointer_to: Any = _plain_pointer_to if IS_OFF else intrinsic(_pointer_to)
byte_at: Any = _plain_byte_at if IS_OFF else intrinsic(_byte_at)
borrowed: Any = _same if IS_OFF else intrinsic(_borrowed)
