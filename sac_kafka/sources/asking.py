"""Calls of a plug-in's functions: whatever they do, the hook goes on as if they had said nothing.

What they raise, and what they give that is no dataset, is counted and told once. One that does not come back in time is not
asked again: its thread may go on for ever, and there is to be one of these, not many.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping, Set

from sac_kafka.deadlines import MONOTONIC, Clock, within
from sac_kafka.errors import LateError
from sac_kafka.guard import Guard
from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.lineage.model import Column, Dataset
from sac_kafka.plan.declaration import offered_names
from sac_kafka.sources.errors import PluginError

SECONDS = 2.0
"""What a function of a plug-in may take: it only has to look at what it is given."""

_KINDS = typing.get_args(Dataset)
_TOLD_APART = ("path", "name", "topic", "table")
"""Fields that no dataset is without."""


class AskedPlugin:
    """One plug-in, as it is asked: `called` is its name in logs and counters."""

    def __init__(self, called: str, guard: Guard, seconds: float = SECONDS, clock: Clock = MONOTONIC) -> None:
        self._called = called
        self._guard = guard
        self._seconds = seconds
        self._clock = clock
        self._is_late = False

    def guarded(self, row: Source) -> Source:
        """The row, with functions that never raise, never hang and give what they are to give."""
        reads = {cls: self._asking(f"reads of {_class(cls)}", read, _reading) for cls, read in row.reads.items()}
        dataset = None if row.dataset is None else self._asking("dataset", row.dataset, _dataset)
        return dataclasses.replace(row, reads=reads, dataset=dataset)

    def _asking(
        self, what: str, function: Callable[..., object], taken: Callable[[object], typing.Any]
    ) -> Callable[..., typing.Any]:
        def ask(found: object, columns: tuple[Column, ...]) -> object:
            with self._guard(f"{what} of {self._called}"):
                return taken(self._within(lambda: function(found, columns)))
            return None

        return ask

    def _within(self, call: Callable[[], object]) -> object:
        if self._is_late:
            raise LateError("it is not asked any more, because it did not answer before")
        try:
            return within(self._seconds, call, self._clock)
        except LateError:
            self._is_late = True
            raise


def _class(cls: type) -> str:
    names = offered_names(cls) or (cls.__qualname__,)
    return names[0]


def _dataset(given: object) -> Dataset | None:
    if given is None:
        return None
    if not isinstance(given, _KINDS):
        raise PluginError(f"it gave no dataset but {type(given).__name__}")
    wrong = _misfit(given)
    if wrong is not None:
        raise PluginError(f"it gave a {type(given).__name__} whose {wrong} is none")
    for field in _TOLD_APART:
        if getattr(given, field, "-") == "":
            raise PluginError(f"it gave a {type(given).__name__} whose {field} is empty")
    return typing.cast(Dataset, given)


def _reading(given: object) -> Reading | None:
    if not isinstance(given, Reading):
        return reading_of(_dataset(given))
    wrong = _misfit(given)
    if wrong is not None:
        raise PluginError(f"it gave a Reading whose {wrong} is none")
    for dataset in given.datasets:
        _dataset(dataset)
    return given


@functools.cache
def _hints(cls: type) -> dict[str, object]:
    return typing.get_type_hints(cls)


def _misfit(given: typing.Any) -> str | None:  # noqa: ANN401 a dataclass of any kind
    """The field of a dataclass that is not of its type; None where all are."""
    of: type = type(given)
    for name, hint in _hints(of).items():
        value = getattr(given, name)
        if not _fits(value, hint):
            return name
    return None


def _fits(value: object, hint: object) -> bool:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(parts) == 2 and parts[1] is Ellipsis:
            return all(_fits(each, parts[0]) for each in value)
        return len(value) == len(parts) and all(map(_fits, value, parts))
    if isinstance(origin, type):
        if not isinstance(value, origin):
            return False
        if isinstance(value, Mapping):
            return all(_fits(k, parts[0]) and _fits(v, parts[1]) for k, v in value.items())
        return all(_fits(each, parts[0]) for each in value) if isinstance(value, Set) else True
    if not isinstance(hint, type) or not isinstance(value, hint):
        return False
    if isinstance(value, str):
        return not any("\ud800" <= c <= "\udfff" for c in value)  # no message can carry it
    return _misfit(value) is None if dataclasses.is_dataclass(value) else True
