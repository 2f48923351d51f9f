"""Executes numba source files once per game, so that every game has compiled code of its own with a correct disk cache.

A *source* is an ordinary module, of this package or of one that brings a game, that is never imported by name. Its free
names are annotated at the top and bound here before the file runs: a rules file reads ``CONFIG`` (the sizes and options
of one variant), a kernel family reads ``RULES`` (an executed rules file) and, where it asks for them, ``POLICIES``.
Every source also gets ``kernel``, the decorator of its entry points, and ``short_kernel`` for those that are over
before it would pay to let go of Python's global lock.

Numba keys its disk cache by file, qualified name and line, and does not look at globals or at other files. The tag in
the qualified name therefore holds a hash of everything that can change the machine code: the source, all modules that
it imports from this package and from those it is developed with, and whatever was bound. The same hash names the
module, so that a second process finds it.

Any thread may load at any time: one executes a source, the others wait for the whole module.
"""

import functools
import hashlib
import importlib.util
import os
import pathlib
import sys
import threading
from ast import ImportFrom
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from stammtisch.envs.core.import_statements import import_statements

_PACKAGE = __name__.partition(".")[0]
_OWN_NAMES = ("SOURCE", "LABEL", "BINDINGS", "TAG", "kernel", "short_kernel")
_FIXED = {"llvmlite", "numba", "numpy", *sys.stdlib_module_names}  # imports that never change the code of a source
_lock = threading.RLock()  # a source may load another one
if hasattr(os, "register_at_fork"):  # a child must not inherit half a module, nor a lock that nobody will open
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


class KernelModule(ModuleType):
    """A source executed with its bindings; pickles and copies by naming them."""

    SOURCE: str
    LABEL: str
    BINDINGS: Mapping[str, Any]
    TAG: str

    def contents(self) -> dict[str, Any]:
        """Return what the source defined or imported, by name."""
        bound = {*_OWN_NAMES, *self.BINDINGS}
        return {name: value for name, value in vars(self).items() if not name.startswith("__") and name not in bound}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.SOURCE, self.LABEL, self.BINDINGS)


def load(source: str, label: str, **bindings: Any) -> KernelModule:
    """Execute ``source`` (a dotted module name) with ``bindings``; the same call again returns the same module.

    Args:
        source: for example ``stammtisch.envs.kernels.step``.
        label: short readable name that starts the tag, usually the game's id.
        bindings: free names of the source; integers, strings, tuples, mappings of these, or other kernel modules.
    """
    digest = hashlib.sha256(_closure(source).encode())
    for key in sorted(bindings):
        digest.update(f"{key}={_fingerprint(bindings[key])};".encode())
    tag = f"{label.replace('-', '_')}_{digest.hexdigest()[:12]}"
    name = f"{source}__{tag}"
    with _lock:
        if name not in sys.modules:
            _execute(source, name, label, tag, bindings)
        return sys.modules[name]  # type: ignore[return-value]


def _execute(source: str, name: str, label: str, tag: str, bindings: Mapping[str, Any]) -> None:
    """Run a source as the module ``name``."""
    path = _path_of(source)
    module = KernelModule(name)
    module.__dict__.update(
        bindings,
        __file__=str(path),
        __package__=source.rpartition(".")[0],
        SOURCE=source,
        LABEL=label,
        BINDINGS=bindings,
        TAG=tag,
        kernel=_kernel_decorator(tag, nogil=True),
        short_kernel=_kernel_decorator(tag, nogil=False),
    )
    sys.modules[name] = module  # numba looks the module up by name when it loads a cached kernel
    try:
        exec(compile(path.read_text("utf-8"), str(path), "exec"), module.__dict__)
        _compile_helpers_for_kernels(module)
    except BaseException:
        del sys.modules[name]
        raise


def _compile_helpers_for_kernels(module: KernelModule) -> None:
    from stammtisch.envs.core.jit import IS_OFF, without_entry

    if not IS_OFF:
        for value in module.contents().values():
            without_entry(value)


def _rebuild(source: str, label: str, bindings: Mapping[str, Any]) -> KernelModule:
    return load(source, label, **bindings)


def _kernel_decorator(tag: str, nogil: bool) -> Callable[[Callable[..., Any]], Any]:
    def kernel(function: Callable[..., Any]) -> Any:
        from stammtisch.envs.core.jit import IS_OFF, entry
        from stammtisch.envs.core.numba_start import make_ready

        if not IS_OFF:
            make_ready()
        function.__qualname__ = f"{tag}.{function.__name__}"
        return entry(function, nogil)

    return kernel


def _fingerprint(value: Any) -> str:
    if isinstance(value, KernelModule):
        return value.TAG
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{_fingerprint(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(_fingerprint(item) for item in value) + ")"
    if value is None or isinstance(value, int | float | str):
        return repr(value)
    raise TypeError(f"cannot bind {value!r} to a kernel source")


@functools.cache
def _path_of(module: str) -> pathlib.Path:
    path = _find(module)
    if path is None:
        raise ValueError(f'there is no source file of the module "{module}"; a game names its sources in its class')
    return path


def _find(module: str) -> pathlib.Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ModuleNotFoundError, ValueError):  # the latter for a module that was made by hand and has no file
        return None
    return None if spec is None or spec.origin is None else pathlib.Path(spec.origin)


@functools.cache
def _closure(source: str) -> str:
    """Hash of a source and of every module that it reaches by imports and that may change as it does."""
    seen = {source: _path_of(source)}
    texts: dict[str, bytes] = {}
    waiting = [source]
    while waiting:
        module = waiting.pop()
        path = seen[module]
        texts[module] = path.read_bytes()
        if path.suffix != ".py":
            continue
        for name in _imports(source, module, path, texts[module]):
            if name not in seen and (found := _find(name)) is not None:
                seen[name] = found
                waiting.append(name)
    digest = hashlib.sha256()
    for module in sorted(texts):
        digest.update(module.encode() + b"\0" + texts[module] + b"\0")
    return digest.hexdigest()


def _is_followed(source: str, module: str, name: str) -> bool:
    """Whether what ``module``, reached from ``source``, imports as ``name`` counts for the hash.

    Our own modules do, those of the importing package, and what an outside source's package imports from others: they
    may bring compiled helpers. What those others import from third ones does not.
    """
    start, here, there = (dotted.partition(".")[0] for dotted in (source, module, name))
    return there in (_PACKAGE, here) or (here == start != _PACKAGE and there not in _FIXED)


def _imports(source: str, module: str, path: pathlib.Path, text: bytes) -> Iterator[str]:
    """Yield the modules that count among those that ``module`` imports; of ``from a import b`` the inner one."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in import_statements(text):
        if isinstance(node, ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
            if _is_followed(source, module, base):
                inner = [f"{base}.{alias.name}" for alias in node.names]
                yield from (name if _find(name) is not None else base for name in inner)
        else:
            yield from (alias.name for alias in node.names if _is_followed(source, module, alias.name))
