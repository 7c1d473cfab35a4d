"""Methods of PySpark's classes that tell us of their calls, too, until they are taken back.

What a method gives, raises and is called stays what it was, and so do the lines that Spark names jobs by and the frames of
an error; an error of ours is counted, and the call goes on. The user's thread does what is told here: microseconds, or one
call of Py4J.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from types import GeneratorType
from typing import Any

from sac_kafka.frames import leave_out_caller, stand_in
from sac_kafka.guard import Guard
from sac_kafka.spark.calls.importing import ModuleFinder

Before = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
"""Is given the object, and the arguments of a call; what it gives is handed to `After`."""
After = Callable[[Any, tuple[Any, ...], dict[str, Any], Any, Any], object]
"""Is given the object, the arguments, what the call has given, and what `Before` gave. Not called where the call raises.

A generator that it returns is handed out in place of what the call has given: it yields the same.
"""
Raised = Callable[[Any], None]
"""Is given what `Before` gave, where the call raises."""


def _nothing(_object: object, _arguments: object, _named: object) -> None:
    return None


def _passed(_held: object) -> None:
    return None


class Wrapping:
    """The methods that are wrapped for one hook; `guard` is its own."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._is_on = True
        self._wrapped: list[tuple[type, str, Any, Any]] = []
        self._later: list[ModuleFinder] = []

    def when_imported(self, module: str, wrap: Callable[[], None]) -> None:
        """Have `wrap` called once a module is imported, at once where it is; nothing is imported for it."""

        def guarded() -> None:
            with self._guard("call"):
                if self._is_on:
                    wrap()

        if module in sys.modules:
            guarded()
        else:
            self._later.append(ModuleFinder(module, guarded))
            self._later[-1].install()

    def wrap(self, kind: type, name: str, after: After, *, before: Before = _nothing, failed: Raised = _passed) -> None:
        """Have calls of a method told; nothing where the class itself does not define it."""
        method = kind.__dict__.get(name)
        if callable(method):
            self._put(kind, name, method, self._telling(method, after, before, failed))

    def wrap_property(self, kind: type, name: str, after: After, *, before: Before = _nothing) -> None:
        """Have what makes a property's value told likewise, of one that keeps it the first time only."""
        known = kind.__dict__.get(name)
        if isinstance(known, property) and known.fget is not None:
            self._put(kind, name, known, known.getter(self._telling(known.fget, after, before)))
        elif isinstance(known, cached_property):
            told = cached_property(self._telling(known.func, after, before))
            told.__set_name__(kind, name)
            self._put(kind, name, known, told)

    def guarded(self, look: Callable[[Any], bool]) -> Callable[[Any], bool]:
        """Return a function that looks at a value of the user's; False also where an error of ours has ended that."""

        def own(value: Any) -> bool:  # noqa: ANN401 whatever it is
            with self._guard("call"):
                return look(value)
            return False

        return own

    def _put(self, kind: type, name: str, known: object, told: object) -> None:
        setattr(kind, name, told)
        self._wrapped.append((kind, name, known, told))

    def _telling(
        self, method: Callable[..., Any], after: After, before: Before, failed: Raised = _passed
    ) -> Callable[..., Any]:
        guard, is_on, leave_out, generator = self._guard, self._tells, leave_out_caller, GeneratorType

        def wrapped(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 any method
            is_told, held = is_on() and bool(args), None  # whoever passes `self` by its name is not told of
            if is_told:
                with guard("call"):
                    held = before(args[0], args[1:], kwargs)
            try:
                given = method(*args, **kwargs)
            except BaseException as error:
                if is_told:
                    with guard("call"):
                        failed(held)
                leave_out(error)
                raise
            if is_told:
                with guard("call"):
                    told = after(args[0], args[1:], kwargs, given, held)
                    if type(told) is generator:
                        return told
            return given

        return stand_in(method, wrapped)

    def _tells(self) -> bool:
        return self._is_on

    def restore(self) -> None:
        """Take all of them back; one that somebody has wrapped since stays, and tells nothing. Idempotent."""
        self._is_on = False
        while self._later:
            self._later.pop().remove()
        while self._wrapped:
            kind, name, method, wrapped = self._wrapped.pop()
            if kind.__dict__.get(name) is wrapped:
                setattr(kind, name, method)
