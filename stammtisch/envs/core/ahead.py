"""Rows asked for before they are needed, for loops over many rows.

What another core wrote last takes long to come; a loop that asks a few rows ahead does not wait for it.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from stammtisch.envs.core.jit import IS_OFF

_LINE = 64  # bytes of a cache line
_LINES = 2  # of a row that are asked for; the rest is fetched by the core itself, which sees where a loop goes
_WRITE, _KEEP, _DATA = 1, 3, 1  # arguments of llvm.prefetch


def _fetch_row(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask for the row ``array[index]``, to be written."""
    if not isinstance(array, types.Array) or not isinstance(index, types.Integer):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], function_type)
        start = builder.mul(arguments[1], builder.extract_value(view.strides, 0))
        how = [ir.Constant(number, value) for value in (_WRITE, _KEEP, _DATA)]
        for line in range(_LINES):
            at = builder.add(start, ir.Constant(start.type, line * _LINE))
            builder.call(prefetch, [builder.gep(builder.bitcast(view.data, byte), [at]), *how])
        return context.get_dummy_value()

    return types.void(array, types.int64), lower


def _ignore(array: Any, index: Any) -> None:
    """Python does not fetch ahead."""


fetch_row: Any = _ignore if IS_OFF else intrinsic(_fetch_row)
