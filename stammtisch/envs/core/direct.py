"""Kernels called at their compiled entry points: numba's dispatcher alone takes longer than a small kernel."""

from collections.abc import Callable
from typing import Any

from stammtisch.envs.core.loader import KernelModule


class Direct:
    """The kernels and sizes of a family, under their own names.

    The first call of a kernel goes through numba's dispatcher, which compiles it; later ones do not. They must bring
    the same kinds of arguments, and arrays that are C-contiguous as the first ones: only dtypes are still checked.
    """

    def __init__(self, family: KernelModule):
        self._family = family
        for name, value in vars(family).items():
            if not name.startswith("_"):
                setattr(self, name, self._compiling(name, value) if hasattr(value, "overloads") else value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Direct, (self._family,)

    def _compiling(self, name: str, dispatcher: Any) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            from numba import typeof

            result = dispatcher(*arguments)
            compiled = dispatcher.overloads.get(tuple(map(typeof, arguments)))
            if compiled is not None:
                setattr(self, name, compiled.entry_point)
            return result

        return call
