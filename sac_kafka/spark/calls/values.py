"""What of some data is looked at, to know it again: hashes of a bounded number of its values, and the names of its columns.

The hashes are Python's own, of this process: no value and no hash leaves it. Nothing is imported for it: data of pandas,
numpy or pyarrow is known by the modules that made it.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import math
import sys
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from types import GeneratorType
from typing import Any

from sac_kafka.frames import leave_out_caller, stand_in

MAX_VALUES = 2_000
"""Values that are looked at of some data, row by row from its beginning."""
MAX_OBJECTS = 200
"""Values of some data that are known by identity, too, and kept for it."""
LONGEST_OBJECT = 64
"""Characters of a text that is known by identity."""
MAX_PROVED = 100_000
"""Values of a pandas frame that are held against what they were, so that its columns are known to be unchanged."""

_PLAIN_BELOW = 1_000
_SHARED_BELOW = 10_000
"""Python has one object for each of the small whole numbers: 256 by now, some more in later versions."""
_DEEPEST = 10
_NUMBERS = (int, float, decimal.Decimal)
_LOOKED_AT = frozenset(
    {
        *_NUMBERS,
        str,
        bytes,
        datetime.date,
        datetime.datetime,
        datetime.time,
        datetime.timedelta,
        uuid.UUID,
    }
)
"""Classes whose objects are looked at; what a class of the user's would do when it is asked nobody knows."""
_END = object()


@dataclass(frozen=True, slots=True)
class SeenValues:
    """Values by their hashes: `telling` ones, and `plain` ones that many data have (whole numbers below 1,000).

    `names` are those of columns, where the data has some. `is_known` is False where the data was not looked at. `objects` are
    values by the identity of their objects, which are kept, so that no other object has it; only those that Python makes
    anew whenever it reads such a value (`has_own_object`).
    """

    telling: Set[int] = frozenset()
    plain: Set[int] = frozenset()
    names: frozenset[str] = frozenset()
    is_known: bool = True
    objects: Mapping[int, object] = field(default_factory=dict)

    def shared_objects(self, other: SeenValues) -> Iterator[object]:
        """Yield the objects that both hold."""
        for identity, value in self.objects.items():
            if other.objects.get(identity) is value:
                yield value

    def without(self, values: Iterable[object]) -> SeenValues:
        """Return the same without some of its values."""
        gone = {value_hash(value) for value in values}
        return replace(self, telling=self.telling - gone, plain=self.plain - gone)


def has_own_object(value: Any) -> bool:  # noqa: ANN401 an object of a class that is looked at
    """Return True for a value of which every reader makes an object of its own: a constant of the program is another one.

    Small whole numbers, empty texts and single characters are one object wherever they come from.

    >>> [has_own_object(each) for each in (7, 123456, "", "E", "EU", datetime.date(2026, 1, 1), True)]
    [False, True, False, False, True, True, False]
    """
    if type(value) is int:
        return abs(value) >= _SHARED_BELOW
    if type(value) in (str, bytes):
        return 1 < len(value) <= LONGEST_OBJECT
    return type(value) in _LOOKED_AT


@dataclass(frozen=True, slots=True)
class ColumnProof:
    """Where a column of a frame stands, and a hash of all its `values`."""

    position: int
    values: int


@dataclass(slots=True)
class _Found:
    telling: set[int] = field(default_factory=set)
    plain: set[int] = field(default_factory=set)
    left: int = MAX_VALUES
    counts: Callable[[object], bool] | None = None  # values that do not are known by identity alone
    objects: dict[int, object] = field(default_factory=dict)

    def note(self, row: object) -> bool:
        """Add the values of a row; return False where no more are looked at."""
        for value in itertools.islice(_values((row,)), self.left):
            self.left -= 1
            self.add(value)
        return self.left > 0

    def add(self, value: Any) -> None:  # noqa: ANN401 an object of a class that is looked at
        if len(self.objects) < MAX_OBJECTS and has_own_object(value):
            self.objects[id(value)] = value
        if self.counts is not None and not self.counts(value):
            return
        if isinstance(value, _NUMBERS):
            (self.plain if -_PLAIN_BELOW < value < _PLAIN_BELOW and value == int(value) else self.telling).add(
                value_hash(value)
            )
        elif value != "" and value != b"":
            self.telling.add(value_hash(value))


def value_hash(value: object) -> int:
    """Return the hash that a value is compared by: equal for times that are one instant."""
    return hash(_without_zone(value) if isinstance(value, datetime.datetime) else value)


def _without_zone(time: datetime.datetime) -> datetime.datetime:
    """Return a time as PySpark gives those of rows: without a zone, in the one of this process."""
    if time.tzinfo is None:
        return time
    of_pandas = getattr(time, "to_pydatetime", None)
    try:
        return (time if of_pandas is None else of_pandas(warn=False)).astimezone().replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):  # the first and the last years
        return time


def seen(data: Any, counts: Callable[[object], bool] | None = None) -> SeenValues:  # noqa: ANN401 whatever becomes rows
    """Return what is looked at of rows, a frame of pandas, an array of numpy or a table of Arrow; they stay as they are.

    Args:
        data: The rows.
        counts: Which values are looked at of rows in lists and tuples; None for all.
    """
    if is_frame(data):
        rows = max(1, MAX_VALUES // max(1, len(data.columns)))
        names = frozenset(name for name in itertools.islice(data.columns, MAX_VALUES) if isinstance(name, str))
        return _seen(data.iloc[:rows].itertuples(index=False, name=None), names)
    if is_table(data):
        rows = max(1, MAX_VALUES // max(1, data.num_columns))
        return _seen(data.slice(0, rows).to_pydict().values(), frozenset(data.column_names[:MAX_VALUES]))
    if _is_of("numpy", "ndarray", data):
        return _seen(data[:MAX_VALUES].tolist() if data.ndim else ())
    if isinstance(data, (list, tuple)):
        first = data[0] if data else None
        names = frozenset(getattr(first, "__fields__", ()) if isinstance(first, tuple) else ())
        return _seen((data,), names, counts)
    return SeenValues(is_known=False)


Watch = Callable[[Any], bool]
"""Is given a row; returns False where it wants no more."""


def noting(rows: GeneratorType[Any, Any, Any], guarded: Callable[[Watch], Watch]) -> tuple[SeenValues, Generator[Any]]:
    """Return what is looked at of rows that are still to come, which grows as they do, and the generator to take them from.

    `guarded` keeps an error of ours from the user.
    """
    found, code = _Found(), rows.gi_code
    passing = stand_in(code, _passing)(rows, guarded(found.note), leave_out_caller)
    return SeenValues(found.telling, found.plain, objects=found.objects), passing


def _passing(
    rows: Generator[Any], note: Callable[[Any], bool], leave_out: Callable[[BaseException], None]
) -> Generator[Any]:
    """Pass rows on, and have the first ones noted; it stands in for the generator that it takes them from."""
    try:
        for row in rows:
            goes_on = note(row)
            yield row
            if not goes_on:
                break
        yield from rows
    except BaseException as error:
        leave_out(error)
        raise


def has_rows(data: Any) -> bool:  # noqa: ANN401 as above
    """False where there are none for certain."""
    return not hasattr(data, "__len__") or len(data) > 0


def is_frame(data: object) -> bool:
    """True for a frame of pandas."""
    return _is_of("pandas", "DataFrame", data)


def is_table(data: object) -> bool:
    """True for a table of Arrow."""
    return _is_of("pyarrow", "Table", data)


def _is_of(module: str, name: str, data: object) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(data, kind)


def proofs(frame: Any) -> dict[str, ColumnProof]:  # noqa: ANN401 a frame of pandas
    """What each column is by now, so that it can be held against it later; not of values that only their class can compare.

    Nothing of a frame that is large, and of one with columns of the same name.
    """
    if frame.size > MAX_PROVED or not frame.columns.is_unique:
        return {}
    found = ((name, i, _proof(frame.iloc[:, i].to_numpy())) for i, name in enumerate(frame.columns))
    return {name: ColumnProof(i, proof) for name, i, proof in found if isinstance(name, str) and proof is not None}


def _proof(values: Any) -> int | None:  # noqa: ANN401 an array of numpy
    if values.dtype.kind in "biufcmM":
        return hash((values.dtype.str, values.tobytes()))
    cells = values.tolist()
    return hash(tuple(cells)) if all(cell is None or type(cell) in _LOOKED_AT for cell in cells) else None


def _seen(
    rows: Iterable[object], names: frozenset[str] = frozenset(), counts: Callable[[object], bool] | None = None
) -> SeenValues:
    found = _Found(counts=counts)
    for value in itertools.islice(_values(rows), MAX_VALUES):
        found.add(value)
    return SeenValues(frozenset(found.telling), frozenset(found.plain), names, objects=found.objects)


def _values(rows: Iterable[object]) -> Iterator[Any]:
    """The values of rows, and those within them, that can be told from others."""
    waiting = [iter(rows)]
    for _ in range(10 * MAX_VALUES):
        value = next(waiting[-1], _END)
        if value is _END:
            waiting.pop()
            if not waiting:
                return
            continue
        within = _within(value)
        if within is not None:
            if len(waiting) < _DEEPEST:
                waiting.append(within)
        elif _is_looked_at(value):
            yield value


def _within(value: Any) -> Iterator[object] | None:  # noqa: ANN401 any cell
    """What a row, a list or a map holds, by the ways of the built-in classes; None of a value."""
    if isinstance(value, tuple):
        return tuple.__iter__(value)
    if isinstance(value, list):
        return list.__iter__(value)
    if isinstance(value, dict):
        return iter(dict.values(value))
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return iter((value.item(),))
    return None


def _is_looked_at(value: object) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is decimal.Decimal:
        return value.is_finite()
    is_time = isinstance(value, datetime.datetime) and type(value).__module__.startswith("pandas.")
    return type(value) in _LOOKED_AT or (is_time and value == value)  # no time (NaT) equals none
