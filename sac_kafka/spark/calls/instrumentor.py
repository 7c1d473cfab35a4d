"""Instrument methods of PySpark's classes: call a function before and after each call, until they are restored.

Results, exceptions, tracebacks, the names of methods and the call sites that Spark names jobs by stay unchanged. An error of the
hook is counted, and the call continues. The functions run in the user's thread and take microseconds, or one call of Py4J.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.machinery import ModuleSpec
from threading import get_ident
from types import GeneratorType, ModuleType
from typing import Any

from sac_kafka.guard import Guard
from sac_kafka.spark.frames import leave_out_caller, stand_in


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


@dataclass(slots=True, eq=False)
class ObservedCall:
    """A call of an instrumented method.

    Attributes:
        receiver: The object.
        arguments: The arguments by position.
        named: The arguments by name.
        given: The result, once the method has returned.
        held: What the function called before the method has returned.
    """

    receiver: Any
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    given: Any = None
    held: Any = None

    def first(self, name: str, default: object = None) -> Any:  # noqa: ANN401 any argument
        """Return the first argument, by position or by name."""
        return self.arguments[0] if self.arguments else self.named.get(name, default)


Observer = Callable[[ObservedCall], object]
"""Called before a method, after it has returned, or when it has raised."""


def _nothing(_call: ObservedCall) -> None:
    return None


class Instrumentor:
    """The instrumented methods of one hook; `guard` is the hook's."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._is_on = True
        self._wrapped: list[tuple[type, str, Any, Any]] = []
        self._later: list[ModuleFinder] = []

    def on_import(self, module: str, wrap: Callable[[], None]) -> None:
        """Call `wrap` when a module is imported, at once if it already is; never imports it."""

        def wrap_if_active() -> None:
            with self._guard("call"):
                if self._is_on:
                    wrap()

        if module in sys.modules:
            wrap_if_active()
        else:
            self._later.append(ModuleFinder(module, wrap_if_active))
            self._later[-1].install()

    def wrap(
        self,
        kind: type,
        name: str,
        after: Observer = _nothing,
        *,
        before: Observer = _nothing,
        failed: Observer = _nothing,
    ) -> None:
        """Instrument a method; does nothing if the class itself does not define it.

        Args:
            kind: The class.
            name: The method.
            after: Called if the method returns. If it returns a generator, this replaces the result; it must yield the same.
            before: Called before the method.
            failed: Called if the method raises.
        """
        method = kind.__dict__.get(name)
        if callable(method):
            self._put(kind, name, method, self._instrument(method, after, before, failed))

    def wrap_property(self, kind: type, name: str, after: Observer = _nothing, *, before: Observer = _nothing) -> None:
        """Instrument the function that computes a property; for a cached property, only its first call."""
        known = kind.__dict__.get(name)
        if isinstance(known, property) and known.fget is not None:
            self._put(kind, name, known, known.getter(self._instrument(known.fget, after, before)))
        elif isinstance(known, cached_property):
            replacement = cached_property(self._instrument(known.func, after, before))
            replacement.__set_name__(kind, name)
            self._put(kind, name, known, replacement)

    def under_guard(self, look: Callable[[Any], bool]) -> Callable[[Any], bool]:
        """Return a function that runs `look` on a user's value under the guard; False if it fails."""

        def own(value: Any) -> bool:  # noqa: ANN401 whatever it is
            with self._guard("call"):
                return look(value)
            return False

        return own

    def _put(self, kind: type, name: str, known: object, replacement: object) -> None:
        setattr(kind, name, replacement)
        self._wrapped.append((kind, name, known, replacement))

    def _instrument(
        self, method: Callable[..., Any], after: Observer, before: Observer, failed: Observer = _nothing
    ) -> Callable[..., Any]:
        guard, is_on, leave_out = self._guard, self._is_active, leave_out_caller
        observed, generator = ObservedCall, GeneratorType

        def wrapper(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 any method
            # `self` passed by keyword: not observed
            call = observed(args[0], args[1:], kwargs) if is_on() and args else None
            if call is not None:
                with guard("call"):
                    call.held = before(call)
            try:
                given = method(*args, **kwargs)
            except BaseException as error:
                if call is not None:
                    with guard("call"):
                        failed(call)
                leave_out(error)
                raise
            if call is not None:
                call.given = given
                with guard("call"):
                    replaced = after(call)
                    if type(replaced) is generator:
                        return replaced
            return given

        return stand_in(method, wrapper)

    def _is_active(self) -> bool:
        return self._is_on

    def restore(self) -> None:
        """Restore all methods; one that was wrapped by others since stays and does nothing. Idempotent."""
        self._is_on = False
        while self._later:
            self._later.pop().remove()
        while self._wrapped:
            kind, name, method, wrapped = self._wrapped.pop()
            if kind.__dict__.get(name) is wrapped:
                setattr(kind, name, method)
