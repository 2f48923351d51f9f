"""Short kernels without the price of arrays: arguments that are lent by the caller, and room on the stack.

numba counts one more owner of every array argument, which takes longer than many a kernel. Here the fields of the array
are read and nobody counts: whoever calls a kernel from Python keeps its arguments alive until it returns. A kernel
family takes them so that says ``LENT = True``; it then depends on this file, which counts for what is kept on disk.
"""

import ctypes
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as _cgutils
from numba.core.datamodel import models
from numba.extending import NativeValue as _NativeValue
from numba.extending import intrinsic, register_model
from numba.extending import unbox as _unbox
from numba.np import arrayobj
from numba.np.numpy_support import as_dtype

from stammtisch.envs.core.jit import IS_OFF

# numba has no types
cgutils: Any = _cgutils
native_value: Any = _NativeValue
unbox: Any = _unbox
typeof: Any = numba.typeof
populate_array: Any = arrayobj.populate_array
named_tuple: Any = types.NamedTuple

_WANTED = 0x0001 | 0x0100  # flags of an array: C-contiguous, aligned
_HEAD = object.__basicsize__


class _Array(ctypes.Structure):
    """What follows the head of an array object, in every NumPy there is."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("nd", ctypes.c_int),
        ("dims", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("base", ctypes.c_void_p),
        ("descr", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


class _Descr(ctypes.Structure):
    """What follows the head of a dtype."""

    _fields_ = (("typeobj", ctypes.c_void_p), ("letters", ctypes.c_char * 4), ("type_num", ctypes.c_int))


def _is_laid_out_so() -> bool:
    """Whether an array object of this Python and this NumPy looks as it is read here."""
    probe = np.zeros((2, 3), np.int16)
    if ctypes.sizeof(ctypes.c_void_p) != 8 or type(probe).__basicsize__ < _HEAD + ctypes.sizeof(_Array):
        return False
    seen = _Array.from_address(id(probe) + _HEAD)
    if (seen.data, seen.nd, seen.descr) != (probe.ctypes.data, 2, id(probe.dtype)) or not seen.flags & _WANTED:
        return False
    shape = (ctypes.c_int64 * 2).from_address(seen.dims), (ctypes.c_int64 * 2).from_address(seen.strides)
    number = _Descr.from_address(seen.descr + _HEAD).type_num
    return (tuple(shape[0]), tuple(shape[1]), number) == (probe.shape, probe.strides, probe.dtype.num)


class Lent(types.Array):
    """The type of an argument that is such an array: C-contiguous, of one dtype, of any shape."""

    def __init__(self, array: types.Array):
        super().__init__(array.dtype, array.ndim, array.layout, not array.mutable, aligned=array.aligned)
        self.name = f"lent({self.name})"


register_model(Lent)(models.ArrayModel)


def _take_over(lent: Any, value: Any, c: Any) -> Any:
    builder = c.builder
    word, number, byte = ir.IntType(64), ir.IntType(32), ir.IntType(8)
    start = builder.bitcast(value, byte.as_pointer())

    def load(pointer: Any, place: int, kind: Any) -> Any:
        at = builder.gep(pointer, [ir.Constant(word, place)])
        return builder.load(builder.bitcast(at, kind.as_pointer()))

    def field(name: str, kind: Any) -> Any:
        return load(start, _HEAD + getattr(_Array, name).offset, kind)

    wanted = ir.Constant(number, _WANTED)
    fits = builder.and_(
        builder.icmp_signed("==", field("nd", number), ir.Constant(number, lent.ndim)),
        builder.icmp_signed("==", builder.and_(field("flags", number), wanted), wanted),
    )
    is_wrong = cgutils.alloca_once_value(builder, cgutils.true_bit)
    with builder.if_then(fits, likely=True):
        dtype = load(field("descr", byte.as_pointer()), _HEAD + _Descr.type_num.offset, number)
        expected = ir.Constant(number, as_dtype(lent.dtype).num)
        builder.store(builder.icmp_signed("!=", dtype, expected), is_wrong)
    view = c.context.make_array(lent)(c.context, builder)
    with builder.if_then(builder.load(is_wrong), likely=False):
        c.pyapi.err_set_string("PyExc_TypeError", f"can't unbox what was given as {lent}")
    with builder.if_then(builder.not_(builder.load(is_wrong)), likely=True):
        dims, strides = field("dims", byte.as_pointer()), field("strides", byte.as_pointer())
        populate_array(
            view,
            builder.bitcast(field("data", byte.as_pointer()), view.data.type),
            [load(dims, 8 * k, word) for k in range(lent.ndim)],
            [load(strides, 8 * k, word) for k in range(lent.ndim)],
            word(c.context.get_abi_sizeof(c.context.get_data_type(lent.dtype))),
            None,
        )
    return native_value(view._getvalue(), is_error=builder.load(is_wrong))


unbox(Lent)(_take_over)
_IS_LAID_OUT_SO = not IS_OFF and _is_laid_out_so()


def lent_type(argument: Any) -> Any:
    """Return the type that a kernel takes an argument for."""
    return _lent(typeof(argument)) if _IS_LAID_OUT_SO else typeof(argument)


def _lent(kind: Any) -> Any:
    if isinstance(kind, types.Array) and kind.layout == "C":
        return Lent(kind)
    if isinstance(kind, types.NamedTuple):
        return named_tuple([_lent(inner) for inner in kind.types], kind.instance_class)
    return kind


def _room(typing_context: Any, count: Any, dtype: Any) -> Any:
    """Return an array of so many numbers on the stack, which is gone when the function returns that asked for it.

    It may be lent to functions that it calls, but not returned. ``count`` is a constant.
    """
    if not isinstance(count, types.IntegerLiteral) or not isinstance(dtype, types.NumberClass):
        return None
    array, n = types.Array(dtype.dtype, 1, "C"), count.literal_value

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(array)(context, builder)
        number = context.get_data_type(array.dtype)
        size = ir.IntType(64)(context.get_abi_sizeof(number))
        start = cgutils.alloca_once(builder, number, size=n)
        populate_array(view, start, [ir.IntType(64)(n)], [size], size, None)
        return view._getvalue()

    return array(count, dtype), lower


def _plain_room(count: int, dtype: Any) -> Any:
    return np.empty(count, dtype)


room: Any = _plain_room if IS_OFF else intrinsic(prefer_literal=True)(_room)
