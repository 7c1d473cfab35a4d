"""Yield the values of rows and columns, including nested ones, that can be compared."""

from __future__ import annotations

import datetime
import decimal
import itertools
import math
import uuid
from collections.abc import Iterable, Iterator, Set
from typing import Any

from sac_kafka.spark.calls.constants import MAX_ELEMENTS, Constants, has_own_object

MAX_VALUES = 2_000
"""Limit of examined values: half of them from the beginning, row by row, half from rows at equal distances after these."""
MAX_COLUMNS = 1_000
"""Limit of examined columns of a frame or table."""

NUMBERS = (int, float, decimal.Decimal)
LOOKED_AT = frozenset(
    {
        *NUMBERS,
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
_DEEPEST = 10

Cell = tuple[str, Any, bool]
"""A value with the name of its column, and whether the program may have written it."""


def values_of(
    rows: Iterable[object], program: Constants | None, column: str | None, names: tuple[str, ...]
) -> Iterator[Cell]:
    """Yield the values of rows, or of a column, that can be compared, including nested ones."""
    literals = _literals(rows, None, program)
    first = ((column or "", each, i in literals[1]) for i, each in enumerate(rows) if i not in literals[0])
    waiting: list[Iterator[Cell]] = [first]
    for _ in range(10 * MAX_VALUES):
        cell = next(waiting[-1], None)
        if cell is None:
            waiting.pop()
            if not waiting:
                return
            continue
        name, value, _ = cell
        if program is not None and has_own_object(value) and program.holds(value):
            continue
        if isinstance(value, (tuple, list, dict)) or _is_scalar_of_numpy(value):
            if len(waiting) < _DEEPEST:
                is_row = column is None and len(waiting) == 1
                waiting.append(_within(value, name, program, names if is_row else None))
        elif _is_looked_at(value):
            yield cell


def _within(value: Any, name: str, program: Constants | None, row_names: tuple[str, ...] | None) -> Iterator[Cell]:  # noqa: ANN401 any cell
    """Return the elements of a row, list, map or scalar of numpy, read by the built-in classes.

    `row_names` are those of a row that has none itself; None for a value that is no row.
    """
    if isinstance(value, dict):
        size, elements = dict.__len__(value), iter(dict.values(value))
    elif isinstance(value, (tuple, list)):
        size = length_of(value)
        elements = tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value)
    else:
        return iter(((name, value.item(), False),))
    own = names_of(value) if row_names is not None or program is not None else None
    cells = list(elements) if program is not None and size <= MAX_ELEMENTS else elements
    literals = _literals(cells, own if own and len(own) == size else None, program)
    names = next((each for each in (own, row_names) if each and len(each) == size), None)
    named = zip(itertools.repeat(name) if row_names is None or names is None else names, cells, strict=False)
    return ((key, each, i in literals[1]) for i, (key, each) in enumerate(named) if i not in literals[0])


_NONE: tuple[Set[int], Set[int]] = (frozenset(), frozenset())


def _literals(
    elements: Iterable[object], names: tuple[str, ...] | None, program: Constants | None
) -> tuple[Set[int], Set[int]]:
    """Return the places of elements that the program has written itself, and of those that it may have written."""
    if program is None or not isinstance(elements, list) or not 0 < len(elements) <= MAX_ELEMENTS:
        return _NONE
    places, is_certain = program.places(elements, names)
    return (places, frozenset()) if is_certain else (frozenset(), places)


def names_of(row: Any) -> tuple[str, ...] | None:  # noqa: ANN401 any cell
    """Return the names of a row's elements, None if it has none; user's classes are not asked."""
    names: object = None
    if isinstance(row, dict):
        names = tuple(itertools.islice(dict.keys(row), MAX_COLUMNS))
    elif isinstance(row, tuple) and type(row) is not tuple:
        of_pyspark = type(row).__module__ == "pyspark.sql.types"
        names = tuple(getattr(row, "__fields__", ())) if of_pyspark else type(row).__dict__.get("_fields")
    if not isinstance(names, tuple) or not names or not all(type(name) is str for name in names):
        return None
    return names


def _is_scalar_of_numpy(value: Any) -> bool:  # noqa: ANN401 any cell
    return type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0


def _is_looked_at(value: object) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is decimal.Decimal:
        return value.is_finite()
    is_time = isinstance(value, datetime.datetime) and type(value).__module__.startswith("pandas.")
    is_one = type(value) in LOOKED_AT or type(value) is bool
    return is_one or (is_time and value == value)  # no time (NaT) equals none


def length_of(data: Any) -> int:  # noqa: ANN401 a list or a tuple
    """Return the length of a list or a tuple, whose class may be the user's."""
    return list.__len__(data) if isinstance(data, list) else tuple.__len__(data)


def item_of(data: Any, at: int) -> object:  # noqa: ANN401 a list or a tuple
    """Return an element of a list or a tuple, whose class may be the user's."""
    return list.__getitem__(data, at) if isinstance(data, list) else tuple.__getitem__(data, at)
