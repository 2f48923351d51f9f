"""Rows asked for before they are needed, for loops over many rows.

What another core wrote last takes long to come; a loop that asks a few rows ahead does not wait for it.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from stammtisch.envs.core.jit import IS_OFF

_LINE = 64  # bytes of a cache line
_MOST_LINES = 16  # that are asked for of a row: those of many long rows would drive each other out
_WRITE, _KEEP, _DATA = 1, 3, 1  # arguments of llvm.prefetch


def lines_of(size: int) -> int:
    """Return how many cache lines to ask for, of a row of so many bytes: all on which it can lie, within reason."""
    return min((size + 2 * (_LINE - 1)) // _LINE, _MOST_LINES)


def _fetch_row(typing_context: Any, array: Any, index: Any, lines: Any) -> Any:
    """Ask for so many cache lines, a constant, of the row ``array[index]``, to be written."""
    if not isinstance(array, types.Array) or not isinstance(index, types.Integer):
        return None
    if not isinstance(lines, types.IntegerLiteral):
        return None

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], function_type)
        start = builder.mul(arguments[1], builder.extract_value(view.strides, 0))
        how = [ir.Constant(number, value) for value in (_WRITE, _KEEP, _DATA)]
        for line in range(lines.literal_value):
            at = builder.add(start, ir.Constant(start.type, line * _LINE))
            builder.call(prefetch, [builder.gep(builder.bitcast(view.data, byte), [at]), *how])
        return context.get_dummy_value()

    return types.void(array, types.int64, lines), lower


def _ignore(array: Any, index: Any, lines: int) -> None:
    """Python does not fetch ahead."""


fetch_row: Any = _ignore if IS_OFF else intrinsic(prefer_literal=True)(_fetch_row)
