"""Run a function when a module is imported by others; the hook itself never imports heavy modules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from threading import get_ident
from types import ModuleType
from typing import Any


class ModuleFinder:
    """A meta path finder that calls `then` after one module was loaded, and otherwise changes nothing."""

    def __init__(self, module: str, then: Callable[[], None]) -> None:
        self._module = module
        self._then = then
        self._asking: set[int] = set()

    def install(self) -> None:
        """Register as the first finder."""
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Unregister. Idempotent."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec that the other finders have for the module; None for any other module."""
        thread = get_ident()
        if name != self._module or thread in self._asking:  # other finders may query all finders as well
            return None
        self._asking.add(thread)
        try:
            for finder in list(sys.meta_path):
                find = getattr(finder, "find_spec", None)
                spec: ModuleSpec | None = None if find is None else find(name, path, target)
                if spec is not None:
                    if hasattr(spec.loader, "exec_module"):
                        spec.loader = _Loader(spec.loader, self._then)  # type: ignore[assignment] # passes all on
                    return spec
        finally:
            self._asking.discard(thread)
        return None


class _Loader:
    """Wraps the loader of one module; a separate object, because a zip file has one loader for all its modules."""

    def __init__(self, inner: Any, then: Callable[[], None]) -> None:  # noqa: ANN401 any loader
        self._inner = inner
        self._then = then

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 whatever the loader has
        if name.startswith("_"):  # a copy has none yet
            raise AttributeError(name)
        return getattr(self._inner, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as the wrapped loader does."""
        return self._inner.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module as the wrapped loader does, then call the function."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._inner
        module.__loader__ = self._inner
        self._inner.exec_module(module)
        self._then()
