"""Is told when a module has been imported, whoever imports it: heavy ones are never imported on our account."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from threading import get_ident
from types import ModuleType
from typing import Any


class ModuleFinder:
    """Finds one module as it would be found without it, and calls `then` when it has been loaded."""

    def __init__(self, module: str, then: Callable[[], None]) -> None:
        self._module = module
        self._then = then
        self._asking: set[int] = set()

    def install(self) -> None:
        """Be asked before all others."""
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Be asked no more. Idempotent."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Give the spec of the module; None, as for every other, where no other finder has it."""
        thread = get_ident()
        if name != self._module or thread in self._asking:  # others may ask all finders, too
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
    """Stands before the loader of one module; an object of its own, because a zip file has one loader for all modules."""

    def __init__(self, inner: Any, then: Callable[[], None]) -> None:  # noqa: ANN401 any loader
        self._inner = inner
        self._then = then

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 whatever the loader has
        if name.startswith("_"):  # a copy has none yet
            raise AttributeError(name)
        return getattr(self._inner, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Make it as without this."""
        return self._inner.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """Run it as without this, and tell."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._inner
        module.__loader__ = self._inner
        self._inner.exec_module(module)
        self._then()
