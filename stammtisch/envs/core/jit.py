"""Compiled code and its other life: with ``NUMBA_DISABLE_JIT=1`` everything runs in Python, to be stepped through.

The results are the same. What Python would do otherwise than machine code is told here.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, jit, njit
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher as _Dispatcher

Dispatcher: Any = _Dispatcher  # numba does not tell what it has
_NO_ENTRY = "no_cpython_wrapper"  # an option of numba
IS_OFF = bool(vars(config)["DISABLE_JIT"])


def modular(function: Callable[..., Any]) -> Any:
    """Compile a function whose integers are meant to overflow, as those of hashes and random streams are.

    In Python they overflow as well, here without the warning that such a thing deserves elsewhere.
    """
    return np.errstate(over="ignore")(function) if IS_OFF else njit(function)


def entry(function: Callable[..., Any], nogil: bool) -> Any:
    """Compile a function that is called from Python, and keep it on disk."""
    if not IS_OFF:
        return njit(cache=True, nogil=nogil, error_model="numpy")(function)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        return _plain(function(*arguments))

    return call


def without_entry(helper: Any) -> None:
    """Let a function that kernels call, and those that it calls, be compiled without an entry for Python.

    Such an entry takes as long to compile as a short function. Python may call it all the same: for that it is compiled
    once more, as it would have been.
    """
    if not isinstance(helper, Dispatcher) or not isinstance(helper._cache, NullCache) or has_no_entry(helper):
        return
    options, states = dict(helper.targetoptions), helper._reduce_states

    @functools.cache
    def with_entry() -> Any:
        return jit(**options)(helper.py_func)

    def add_overload(compiled: Any) -> None:
        helper.overloads[tuple(compiled.signature.args)] = compiled  # and not where calls from Python look for it

    vars(helper).update(
        add_overload=add_overload,
        _compile_for_args=lambda *arguments, **named: with_entry(),
        _reduce_states=lambda: {**states(), "targetoptions": options},  # for other processes
    )
    helper.targetoptions.update({_NO_ENTRY: True, "no_cfunc_wrapper": True})
    for name in helper.__code__.co_names:
        without_entry(helper.py_func.__globals__.get(name))


def has_no_entry(helper: Any) -> bool:
    """Whether a compiled function is only compiled for other compiled functions."""
    return _NO_ENTRY in helper.targetoptions


def is_compiled(kernel: Any) -> bool:
    """Whether a kernel can be called without compiling it first."""
    return IS_OFF or bool(kernel.signatures)


def address_of(kernel: Any, integers: int) -> int:
    """Return the address of a compiled kernel that takes so many int64, for code that calls it without Python."""
    from numba import types

    signature = (types.int64,) * integers
    kernel.compile(signature)
    compiled = kernel.overloads[signature]
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
    return address


def _plain(result: Any) -> Any:
    """Return what compiled code would hand back: numbers of Python's own types."""
    if isinstance(result, tuple):
        return tuple(map(_plain, result))
    return result.item() if isinstance(result, np.generic) else result
