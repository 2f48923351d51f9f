"""Compiled code and its other life: with ``NUMBA_DISABLE_JIT=1`` everything runs in Python, to be stepped through.

The results are the same. What Python would do otherwise than machine code is told here.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, njit

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
