"""Fingerprint data to recognize it later: hashes of a bounded number of values, and the names of columns.

The hashes are Python's, for this process; no value and no hash leaves it. Nothing is imported: data of pandas, numpy or
pyarrow is recognized by the modules that created it.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import math
import sys
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import GeneratorType
from typing import Any

from sac_kafka.spark.frames import leave_out_caller, stand_in

MAX_VALUES = 2_000
"""Limit of examined values, row by row from the beginning."""
MAX_OBJECTS = 200
"""Limit of values that are also recognized by identity, and kept alive for it."""
MAX_OBJECT_LENGTH = 64
"""Maximum length of a text that is recognized by identity."""
MAX_PROVED = 100_000
"""Largest pandas frame, in values, whose columns are compared to prove that they are unchanged."""

_PLAIN_BELOW = 1_000
_SHARED_BELOW = 10_000
"""Python shares one object for each small integer: up to 256 now, more in later versions."""
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
"""Classes whose objects are examined; methods of a user's class could do anything."""
_END = object()


@dataclass(slots=True, eq=False)
class SeenValues:
    """Values by their hashes: `telling` ones, and `plain` ones that many data have (whole numbers below 1,000).

    `names` are those of columns, where the data has some. `is_known` is False where the data was not looked at. `objects` are
    values by the identity of their objects, which are kept, so that no other object has it; only those of which Python
    creates a new object for every value that it reads (`has_own_object`).
    """

    telling: set[int] = field(default_factory=set)
    plain: set[int] = field(default_factory=set)
    names: frozenset[str] = frozenset()
    is_known: bool = True
    objects: dict[int, object] = field(default_factory=dict)

    def add(self, rows: Iterable[object], limit: int, counts: Callable[[object], bool] | None = None) -> int:
        """Add the values of rows, at most `limit`, and return their number; those that do not count by identity alone."""
        number = 0
        for value in itertools.islice(_values(rows), limit):
            number += 1
            if len(self.objects) < MAX_OBJECTS and has_own_object(value):
                self.objects[id(value)] = value
            if counts is not None and not counts(value):
                continue
            is_plain = isinstance(value, _NUMBERS) and -_PLAIN_BELOW < value < _PLAIN_BELOW and value == int(value)
            if is_plain:
                self.plain.add(value_hash(value))
            elif value != "" and value != b"":
                self.telling.add(value_hash(value))
        return number

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
    """Return whether every reader creates a separate object for the value, so that a constant of the program is another one.

    Small whole numbers, empty texts and single characters are one object wherever they come from.

    >>> [has_own_object(each) for each in (7, 123456, "", "E", "EU", datetime.date(2026, 1, 1), True)]
    [False, True, False, False, True, True, False]
    """
    if type(value) is int:
        return abs(value) >= _SHARED_BELOW
    if type(value) in (str, bytes):
        return 1 < len(value) <= MAX_OBJECT_LENGTH
    return type(value) in _LOOKED_AT


@dataclass(frozen=True, slots=True)
class ColumnProof:
    """Where a column of a frame stands, and a hash of all its `values`."""

    position: int
    values: int


def value_hash(value: object) -> int:
    """Return the hash for comparing a value; equal for times of the same instant."""
    return hash(_without_zone(value) if isinstance(value, datetime.datetime) else value)


def _without_zone(time: datetime.datetime) -> datetime.datetime:
    """Return a time as PySpark returns it in rows: without a zone, in that of this process."""
    if time.tzinfo is None:
        return time
    of_pandas = getattr(time, "to_pydatetime", None)
    try:
        return (time if of_pandas is None else of_pandas(warn=False)).astimezone().replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):  # the first and the last years
        return time


def seen(data: Any, counts: Callable[[object], bool] | None = None) -> SeenValues:  # noqa: ANN401 whatever becomes rows
    """Fingerprint rows, a pandas frame, a numpy array or an Arrow table without changing them.

    `counts` selects the values to examine of rows in lists and tuples; None for all.
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
"""Called with a row; returns False when it needs no more rows."""


def noting(rows: GeneratorType[Any, Any, Any], guarded: Callable[[Watch], Watch]) -> tuple[SeenValues, Generator[Any]]:
    """Return the fingerprint of a generator's rows, which grows as they are read, and the generator to read from.

    `guarded` keeps errors of the hook from the user.
    """
    found, left = SeenValues(), MAX_VALUES

    def note(row: object) -> bool:
        nonlocal left
        left -= found.add((row,), left)
        return left > 0

    return found, stand_in(rows.gi_code, _passing)(rows, guarded(note), leave_out_caller)


def _passing(
    rows: Generator[Any], note: Callable[[Any], bool], leave_out: Callable[[BaseException], None]
) -> Generator[Any]:
    """Yield the rows of a generator and fingerprint the first ones; replaces that generator."""
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
    """Return False if there are certainly no rows; None would be taken for a frame that is gone."""
    return data is not None and (not hasattr(data, "__len__") or len(data) > 0)


def is_frame(data: object) -> bool:
    """Return whether data is a pandas frame."""
    return _is_of("pandas", "DataFrame", data)


def is_table(data: object) -> bool:
    """Return whether data is an Arrow table."""
    return _is_of("pyarrow", "Table", data)


def _is_of(module: str, name: str, data: object) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(data, kind)


def proofs(frame: Any) -> dict[str, ColumnProof]:  # noqa: ANN401 a frame of pandas
    """Return a proof of each column's content for a later comparison; only for values of built-in types.

    Empty for a large frame and for one with duplicate column names.
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
    found = SeenValues(names=names)
    found.add(rows, MAX_VALUES, counts)
    return found


def _values(rows: Iterable[object]) -> Iterator[Any]:
    """Yield the values of rows, including nested ones, that can be compared."""
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
    """Return the elements of a row, list or map, read by the built-in classes; None for a plain value."""
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
