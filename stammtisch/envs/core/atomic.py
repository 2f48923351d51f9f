"""Words in memory by which threads tell each other something without Python, and calls by address.

What was written before ``put`` or ``put_if`` is seen by whoever sees their word by ``seen``.
"""

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_WORD = ir.IntType(64)
_ALIGNED = 8
_YIELD = 1


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    view = context.make_array(array_type)(context, builder, array)
    return builder.gep(view.data, [index])


def _is_word(array: Any, index: Any) -> bool:
    words = isinstance(array, types.Array) and array.dtype == types.int64 and array.ndim == 1
    return words and isinstance(index, types.Integer)


def _seen(typing_context: Any, array: Any, index: Any) -> Any:
    """Return ``array[index]`` as another thread left it."""
    if not _is_word(array, index):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *arguments)
        return builder.load_atomic(pointer, "acquire", _ALIGNED)

    return types.int64(array, types.int64), lower


def _put(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Set ``array[index]``, for another thread to see."""
    if not _is_word(array, index):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], pointer, "release", _ALIGNED)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), lower


def _put_if(typing_context: Any, array: Any, index: Any, old: Any, new: Any) -> Any:
    """Set ``array[index]`` to ``new`` if it is ``old``; return whether it was. No other thread comes in between."""
    if not _is_word(array, index):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *arguments[:2])
        found = builder.cmpxchg(pointer, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(array, types.int64, types.int64, types.int64), lower


def _add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Add to ``array[index]`` and return what it was before. No other thread comes in between."""
    if not _is_word(array, index):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *arguments[:2])
        return builder.atomic_rmw("add", pointer, arguments[2], "acq_rel")

    return types.int64(array, types.int64, types.int64), lower


def _pause(typing_context: Any) -> Any:
    """Rest for some cycles between two looks at a word."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        machine, module = platform.machine().lower(), builder.module
        if machine in ("x86_64", "amd64"):
            builder.call(module.declare_intrinsic("llvm.x86.sse2.pause", (), ir.FunctionType(ir.VoidType(), [])), [])
        elif machine in ("aarch64", "arm64"):
            number = ir.IntType(32)
            hint = module.declare_intrinsic("llvm.aarch64.hint", (), ir.FunctionType(ir.VoidType(), [number]))
            builder.call(hint, [ir.Constant(number, _YIELD)])
        return context.get_dummy_value()

    return types.void(), lower


def _call(typing_context: Any, function: Any, book: Any, lo: Any, hi: Any) -> Any:
    """Call the kernel at the address ``function`` (``jit.address_of``) with three integers."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function_type = ir.FunctionType(ir.IntType(8).as_pointer(), [_WORD] * 3)
        builder.call(builder.inttoptr(arguments[0], function_type.as_pointer()), arguments[1:])
        return context.get_dummy_value()

    return types.void(*(types.int64,) * 4), lower


seen: Any = intrinsic(_seen)
put: Any = intrinsic(_put)
put_if: Any = intrinsic(_put_if)
add: Any = intrinsic(_add)
pause: Any = intrinsic(_pause)
call: Any = intrinsic(_call)
