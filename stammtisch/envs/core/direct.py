"""Kernels called at their compiled entry points: numba's dispatcher alone takes longer than a small kernel."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stammtisch.envs.core.loader import KernelModule


class Direct:
    """The kernels and sizes of a family, under their own names.

    The first call of a kernel compiles it for its arguments; later ones must bring the same kinds of arguments, and
    arrays that are C-contiguous as the first ones: of a family that says ``LENT = True`` (``lent.py``) dtypes,
    dimensions and order of arrays are still checked, of others the size of their items.
    """

    def __init__(self, family: KernelModule):
        self._family = family
        for name, value in vars(family).items():
            if not name.startswith("_"):
                setattr(self, name, self._compiling(name, value) if _is_kernel(value) else value)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __reduce__(self) -> tuple[Any, ...]:
        return Direct, (self._family,)

    def _compiling(self, name: str, dispatcher: Any) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            from numba import typeof

            from stammtisch.envs.core.lent import lent_type

            type_of = lent_type if getattr(self._family, "LENT", False) else typeof
            compiled = dispatcher.compile(tuple(map(type_of, arguments)))
            setattr(self, name, compiled)
            return compiled(*arguments)

        return call


def _is_kernel(value: Any) -> bool:
    from stammtisch.envs.core.jit import has_no_entry

    return hasattr(value, "overloads") and not has_no_entry(value)
