"""Call a plug-in's functions so that their failures never affect the hook: a failed call returns None.

Exceptions and invalid results are counted and logged once. Each call runs in a separate thread, so that one
that hangs is abandoned. A plug-in that was slow once is not called again.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping, Set

from sac_kafka.deadlines import MONOTONIC, Call, Clock
from sac_kafka.errors import LateError
from sac_kafka.guard import Guard
from sac_kafka.hook.plugins.checking import PluginError
from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.model import Column, Dataset
from sac_kafka.plan.declaration import offered_names

MAX_SECONDS = 2.0
"""Maximum duration of a call of a plug-in's function, which should only inspect its arguments."""

_KINDS = typing.get_args(Dataset)
_IDENTIFYING_FIELDS = ("path", "name", "topic", "table")
"""Fields that must not be empty, because they identify a dataset."""


class GuardedPlugin:
    """Wrapper of the functions of one plug-in; `label` is its name in logs and counters."""

    def __init__(self, label: str, guard: Guard, clock: Clock = MONOTONIC) -> None:
        self._label = label
        self._guard = guard
        self._clock = clock
        self._is_late = False

    def guard_source(self, row: Source) -> Source:
        """Return the source with functions that never raise, and return only valid values."""
        reads = {cls: self._wrap(f"reads of {_class_name(cls)}", read, _reading) for cls, read in row.reads.items()}
        dataset = None if row.dataset is None else self._wrap("dataset", row.dataset, _dataset)
        return dataclasses.replace(row, reads=reads, dataset=dataset)

    def _wrap(
        self, name: str, function: Callable[..., object], validate: Callable[[object], typing.Any]
    ) -> Callable[..., typing.Any]:
        def call(found: object, columns: tuple[Column, ...]) -> object:
            with self._guard(f"{name} of {self._label}"):
                return validate(self._call_with_limit(function, found, columns))
            return None

        return call

    def _call_with_limit(self, function: Callable[..., object], *arguments: object) -> object:
        if self._is_late:
            raise LateError("not called any more, because an earlier call was too slow")
        call = Call(lambda: function(*arguments), self._clock)
        if not call.has_begun:  # the interpreter exits
            return function(*arguments)
        try:
            return call.result(MAX_SECONDS)
        except LateError as error:
            self._is_late = True
            raise LateError(f"{error}; it is not called again") from error


def _class_name(cls: type) -> str:
    names = offered_names(cls) or (cls.__qualname__,)
    return names[0]


def _dataset(value: object) -> Dataset | None:
    if value is None:
        return None
    if not isinstance(value, _KINDS):
        raise PluginError(f"returned {type(value).__name__}, which is not a dataset")
    invalid = _invalid_field(value)
    if invalid is not None:
        raise PluginError(f"returned a {type(value).__name__} with a wrong type in {invalid}")
    for field in _IDENTIFYING_FIELDS:
        if getattr(value, field, "-") == "":
            raise PluginError(f"returned a {type(value).__name__} with an empty {field}")
    return typing.cast(Dataset, value)


def _reading(value: object) -> Reading | None:
    if not isinstance(value, Reading):
        return reading_of(_dataset(value))
    invalid = _invalid_field(value)
    if invalid is not None:
        raise PluginError(f"returned a Reading with a wrong type in {invalid}")
    for dataset in value.datasets:
        _dataset(dataset)
    return value


@functools.cache
def _hints(cls: type) -> dict[str, object]:
    return typing.get_type_hints(cls)


def _invalid_field(instance: typing.Any) -> str | None:  # noqa: ANN401 any dataclass
    """Return the first field of a dataclass whose value does not match its annotation, None if all match."""
    cls: type = type(instance)
    for name, hint in _hints(cls).items():
        if not _matches(getattr(instance, name), hint):
            return name
    return None


def _matches(value: object, hint: object) -> bool:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_matches(value, part) for part in parts)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(parts) == 2 and parts[1] is Ellipsis:
            return all(_matches(each, parts[0]) for each in value)
        return len(value) == len(parts) and all(map(_matches, value, parts))
    if isinstance(origin, type):
        if not isinstance(value, origin):
            return False
        if isinstance(value, Mapping):
            return all(_matches(k, parts[0]) and _matches(v, parts[1]) for k, v in value.items())
        return all(_matches(each, parts[0]) for each in value) if isinstance(value, Set) else True
    if not isinstance(hint, type) or not isinstance(value, hint):
        return False
    if isinstance(value, str):
        return not any("\ud800" <= c <= "\udfff" for c in value)  # surrogates cannot be encoded as UTF-8
    return _invalid_field(value) is None if dataclasses.is_dataclass(value) else True
