"""numba made ready to call kernels, without libraries that it only looks whether they are there.

Its module of array functions imports SciPy's linear algebra, with a Fortran parser and a hundred modules more, to learn
whether ``np.dot`` can be compiled. That is longer than everything of ours takes; whether SciPy is installed can be said
without importing it, and whoever compiles ``np.dot`` still gets it then.
"""

import importlib.util
import sys
from typing import Any

_ARRAYS = "numba.np.arraymath"


def make_ready() -> None:
    """Import numba's array functions; SciPy stays where it is until somebody compiles what needs it."""
    if _ARRAYS in sys.modules:
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    looks = getattr(linalg, "ensure_blas", None)
    if looks is None or _ARRAYS in sys.modules:
        return
    linalg.ensure_blas = _find_scipy
    try:
        arrays: Any = importlib.import_module(_ARRAYS)
        arrays.ensure_blas = looks
    finally:
        linalg.ensure_blas = looks


def _find_scipy() -> None:
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("SciPy is not installed")
