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
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from types import GeneratorType
from typing import Any

from sac_kafka.spark.calls.constants import MAX_ELEMENTS, Constants, has_own_object
from sac_kafka.spark.frames import leave_out_caller, stand_in

MAX_VALUES = 2_000
"""Limit of examined values: half of them from the beginning, row by row, half from rows at equal distances after these."""
MAX_COLUMNS = 1_000
"""Limit of examined columns of a frame or table."""
MAX_OBJECTS = 200
"""Limit of values that are also recognized by identity, and kept alive for it."""
MAX_OBJECT_LENGTH = 64
"""Maximum length of a text that is recognized by identity."""
MAX_PROVED = 100_000
"""Largest pandas frame, in values, whose columns are compared to prove that they are unchanged."""
MAX_PROVED_BYTES = 4_000_000
"""Most bytes and characters of such a frame's texts."""
MAX_HASHED = 1_000
"""Longest text whose characters all count; of longer ones as many, of the beginning and the end."""
MAX_TABLE_BYTES = 4_000_000
"""Most bytes of an Arrow table's examined rows."""

OF_NO_COLUMN = "\0"
"""In place of a name."""
_PLAIN_BELOW = 1_000
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


@dataclass(slots=True, eq=False)
class SeenColumn:
    """The values of one column by their hashes: `telling` ones, and `plain` ones that many data have.

    Plain are whole numbers below 1,000. `literals` are those of both that the program may have written itself, `has_flags` is
    True for truth values, which tell nothing.
    """

    telling: set[int] = field(default_factory=set)
    plain: set[int] = field(default_factory=set)
    literals: set[int] = field(default_factory=set)
    has_flags: bool = False


@dataclass(slots=True, eq=False)
class SeenValues:
    """The examined values by the name of their column; "" if that has no name.

    `names` are those of all columns, where the data has some. `is_known` is False where the data was not looked at. `objects`
    are values by the identity of their objects, which are kept, so that no other object has it; only those of which Python
    creates a new object for every value that it reads (`has_own_object`).
    """

    columns: dict[str, SeenColumn] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    is_known: bool = True
    objects: dict[int, object] = field(default_factory=dict)

    @property
    def telling(self) -> Set[int]:
        """The telling values of all columns."""
        return _united([each.telling for each in self.columns.values()])

    @property
    def plain(self) -> Set[int]:
        """The plain values of all columns."""
        return _united([each.plain for each in self.columns.values()])

    @property
    def literals(self) -> Set[int]:
        """The values of all columns that the program may have written itself."""
        return _united([each.literals for each in self.columns.values()])

    def add(
        self,
        rows: Iterable[object],
        limit: int,
        counts: Callable[[object], bool] | None = None,
        program: Constants | None = None,
        *,
        names: tuple[str, ...] = (),
        column: str | None = None,
        are_literals: bool = False,
    ) -> int:
        """Add the values of rows, or of one column, at most `limit`, and return their number.

        Values that do not count are added by identity alone. Constants of the program are left out. `names` are those of rows
        that have none.
        """
        number = 0
        for name, value, is_literal in itertools.islice(_values(rows, program, column, names), limit):
            number += 1
            if len(self.objects) < MAX_OBJECTS and has_own_object(value) and _is_short(value):
                self.objects[id(value)] = value
            if counts is not None and not counts(value):
                continue
            known = self.columns.get(name)
            if known is None:
                known = self.columns[name] = SeenColumn()
            if type(value) is bool:
                known.has_flags |= not is_literal
                continue
            if value == "" or value == b"":
                continue
            is_plain = isinstance(value, _NUMBERS) and -_PLAIN_BELOW < value < _PLAIN_BELOW and value == int(value)
            hashed = value_hash(value)
            (known.plain if is_plain else known.telling).add(hashed)
            if is_literal or are_literals or (program is not None and program.is_made_of(value)):
                known.literals.add(hashed)
        return number

    def shared_objects(self, other: SeenValues) -> Iterator[object]:
        """Yield the objects that both hold."""
        for identity, value in self.objects.items():
            if other.objects.get(identity) is value:
                yield value

    def without(self, values: Iterable[object]) -> SeenValues:
        """Return the same without some of its values."""
        gone = {value_hash(value) for value in values}
        return replace(
            self,
            columns={
                name: replace(each, telling=each.telling - gone, plain=each.plain - gone)
                for name, each in self.columns.items()
            },
        )

    def only(self, names: Set[object]) -> SeenValues:
        """Return the same of some columns only."""
        kept = {name: each for name, each in self.columns.items() if name in names}
        return replace(self, columns=kept, names=self.names & names)

    def with_more(self, telling: Iterable[int]) -> SeenValues:
        """Return the same with more values of no column, given as hashes."""
        return replace(self, columns={**self.columns, OF_NO_COLUMN: SeenColumn(set(telling))})


def _united(sets: Sequence[set[int]]) -> Set[int]:
    return sets[0] if len(sets) == 1 else set().union(*sets)


def _is_short(value: object) -> bool:
    return not isinstance(value, (str, bytes)) or len(value) <= MAX_OBJECT_LENGTH


@dataclass(frozen=True, slots=True)
class ColumnProof:
    """Where a column of a frame stands, and a hash of all its `values`."""

    position: int
    values: int


def value_hash(value: object) -> int:
    """Return the hash for comparing a value; equal for times of the same instant."""
    if isinstance(value, (str, bytes)) and len(value) > MAX_HASHED:
        return hash((len(value), value[: MAX_HASHED // 2], value[-MAX_HASHED // 2 :]))
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


def seen(
    data: Any,  # noqa: ANN401 whatever becomes rows
    counts: Callable[[object], bool] | None = None,
    program: Constants | None = None,
    names: Sequence[str] = (),
) -> SeenValues:
    """Fingerprint rows, a pandas frame, a numpy array or an Arrow table without changing them.

    `counts` selects the values to examine of rows in lists and tuples; None for all. `program` has the constants to leave out.
    `names` are those that columns without a name get.
    """
    if is_frame(data):
        part = data.iloc[_positions(len(data), len(data.columns)), :MAX_COLUMNS]
        own = [name if isinstance(name, str) else "" for name in part.columns]
        return _of_columns(own, part.to_numpy(dtype=object).T.tolist(), program, is_whole=len(part) == len(data))
    if is_table(data):
        return _of_table(data, program)
    if _is_of("numpy", "ndarray", data):
        rows = data[_positions(len(data), data.size // max(1, len(data)))].tolist() if data.ndim else []
        return _of_rows(rows, counts, program, names)
    if type(data) in _VIEWS:
        data = list(itertools.islice(data, MAX_VALUES))
    if isinstance(data, (list, tuple)):
        if program is not None and program.holds(data):
            return SeenValues()
        return _of_rows([_item(data, at) for at in _positions(_length(data), _width(data))], counts, program, names)
    return SeenValues(is_known=type(data) is range)


def _positions(rows: int, width: int) -> Sequence[int]:
    """Return the positions of the rows that are examined."""
    most = max(1, MAX_VALUES // max(1, min(width, MAX_COLUMNS)))
    if rows <= most:
        return range(rows)
    first = max(1, most // 2)
    return [*range(first), *range(first, rows, -(-(rows - first) // max(1, most - first)))]


def _length(data: Any) -> int:  # noqa: ANN401 a list or a tuple, whose class may be the user's
    return list.__len__(data) if isinstance(data, list) else tuple.__len__(data)


def _item(data: Any, at: int) -> object:  # noqa: ANN401 as above
    return list.__getitem__(data, at) if isinstance(data, list) else tuple.__getitem__(data, at)


def _width(data: Any) -> int:  # noqa: ANN401 as above
    first = _item(data, 0) if _length(data) else None
    return dict.__len__(first) if isinstance(first, dict) else _length(first) if isinstance(first, (list, tuple)) else 1


def _of_rows(
    rows: Sequence[object],
    counts: Callable[[object], bool] | None,
    program: Constants | None,
    names: Sequence[str] = (),
) -> SeenValues:
    own = isinstance(rows[0], tuple) and _names_of(rows[0]) if rows else None
    found = SeenValues(names=frozenset(own or ()))
    found.add(rows, MAX_VALUES, counts, program, names=tuple(names))
    return found


def _of_table(table: Any, program: Constants | None) -> SeenValues:  # noqa: ANN401 of pyarrow
    """Fingerprint an Arrow table; a column of nested values is not looked at, as each value may have any size."""
    most = max(1, MAX_VALUES // max(1, min(table.num_columns, MAX_COLUMNS)))
    part, rest = table.slice(0, most), None
    if table.num_rows > most:
        part = table.slice(0, max(1, most // 2))
        step = (table.num_rows - part.num_rows) // max(1, most - part.num_rows)
        rest = range(part.num_rows, table.num_rows, max(1, step))
    found, columns = list(table.column_names[:MAX_COLUMNS]), []
    for each, whole in zip(part.columns[:MAX_COLUMNS], table.columns, strict=False):
        is_small = not _is_nested(each.type) and each.nbytes <= MAX_TABLE_BYTES // max(1, len(found))
        more = (
            whole.take(_indices(rest)).to_pylist() if is_small and rest is not None and whole.num_chunks <= 10 else []
        )
        columns.append([*each.to_pylist(), *more] if is_small else [])
    return _of_columns(found, columns, program, is_whole=rest is None)


def _is_nested(kind: Any) -> bool:  # noqa: ANN401 a type of pyarrow
    return bool(kind.num_fields)


def _indices(positions: range) -> Any:  # noqa: ANN401 an array of pyarrow
    return sys.modules["pyarrow"].array(list(positions))


def _of_columns(
    names: Sequence[str], columns: Sequence[Sequence[object]], program: Constants | None, *, is_whole: bool
) -> SeenValues:
    """Fingerprint columns. Copies of constants are other objects, so those of the program are known by all of a column or row."""
    found = SeenValues(names=frozenset(filter(None, names)))
    is_written = program is not None and is_whole and _are_written(columns, program)
    for name, values in itertools.zip_longest(names, columns, fillvalue=""):
        if isinstance(values, str):
            break
        are_literals = is_written or (program is not None and _is_written(name, values, program, is_whole=is_whole))
        found.add(values, MAX_VALUES, None, program, column=name or "", are_literals=are_literals)
    return found


def _are_written(columns: Sequence[Sequence[object]], program: Constants) -> bool:
    """Return whether the program has displays of all rows."""
    rows = tuple(zip(*columns, strict=False))
    return bool(rows) and all(all(map(_has_safe_hash, row)) and program.is_literal(row) for row in rows)


def _is_written(name: str, values: Sequence[object], program: Constants, *, is_whole: bool) -> bool:
    """Return whether the program has a display of the values of a column, or gives it this value."""
    if not values or not all(map(_has_safe_hash, values)):
        return False
    return (is_whole and program.is_literal(values)) or (
        values.count(values[0]) == len(values) and program.is_named(name, values[0])
    )


def _has_safe_hash(value: object) -> bool:
    return value is None or type(value) in _LOOKED_AT or type(value) is bool


_VIEWS = frozenset({type({}.items()), type({}.keys()), type({}.values()), set, frozenset, deque})
"""Classes of collections without positions: only the first rows are examined."""

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
        if not found.names:
            found.names = frozenset((isinstance(row, tuple) and _names_of(row)) or ())
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
    if frame.size > MAX_PROVED or len(frame.columns) > MAX_COLUMNS or not frame.columns.is_unique:
        return {}
    left = [MAX_PROVED_BYTES]
    found = ((name, i, _proof(frame.iloc[:, i].to_numpy(), left)) for i, name in enumerate(frame.columns))
    return {name: ColumnProof(i, proof) for name, i, proof in found if isinstance(name, str) and proof is not None}


def _proof(values: Any, left: list[int]) -> int | None:  # noqa: ANN401 an array of numpy
    if values.dtype.kind in "biufcmM":
        return hash((values.dtype.str, values.tobytes()))
    cells = values.tolist()
    if not all(cell is None or type(cell) in _LOOKED_AT for cell in cells):
        return None
    left[0] -= sum(len(cell) for cell in cells if type(cell) in (str, bytes))
    return hash(tuple(cells)) if left[0] >= 0 else None


_Cell = tuple[str, Any, bool]
"""A value with the name of its column, and whether the program may have written it."""


def _values(
    rows: Iterable[object], program: Constants | None, column: str | None, names: tuple[str, ...]
) -> Iterator[_Cell]:
    """Yield the values of rows, or of a column, that can be compared, including nested ones."""
    literals = _literals(rows, None, program)
    first = ((column or "", each, i in literals[1]) for i, each in enumerate(rows) if i not in literals[0])
    waiting: list[Iterator[_Cell]] = [first]
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


def _within(value: Any, name: str, program: Constants | None, row_names: tuple[str, ...] | None) -> Iterator[_Cell]:  # noqa: ANN401 any cell
    """Return the elements of a row, list, map or scalar of numpy, read by the built-in classes.

    `row_names` are those of a row that has none itself; None for a value that is no row.
    """
    if isinstance(value, dict):
        size, elements = dict.__len__(value), iter(dict.values(value))
    elif isinstance(value, (tuple, list)):
        size = _length(value)
        elements = tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value)
    else:
        return iter(((name, value.item(), False),))
    own = _names_of(value) if row_names is not None or program is not None else None
    cells = list(elements) if program is not None and size <= MAX_ELEMENTS else elements
    literals = _literals(cells, own if own and len(own) == size else None, program)
    names = next((each for each in (own, row_names) if each and len(each) == size), None)
    named = zip(itertools.repeat(name) if row_names is None or names is None else names, cells, strict=False)
    return ((of, each, i in literals[1]) for i, (of, each) in enumerate(named) if i not in literals[0])


_NONE: tuple[Set[int], Set[int]] = (frozenset(), frozenset())


def _literals(
    elements: Iterable[object], names: tuple[str, ...] | None, program: Constants | None
) -> tuple[Set[int], Set[int]]:
    """Return the places of elements that the program has written itself, and of those that it may have written."""
    if program is None or not isinstance(elements, list) or not 0 < len(elements) <= MAX_ELEMENTS:
        return _NONE
    places, is_certain = program.places(elements, names)
    return (places, frozenset()) if is_certain else (frozenset(), places)


def _names_of(row: Any) -> tuple[str, ...] | None:  # noqa: ANN401 any cell
    """Return the names of a row's elements, None if it has none; user's classes are not asked."""
    names: object = None
    if isinstance(row, dict):
        names = tuple(itertools.islice(dict.keys(row), MAX_COLUMNS))
    elif isinstance(row, tuple) and type(row) is not tuple:
        of_pyspark = type(row).__module__ == "pyspark.sql.types"
        names = tuple(getattr(row, "__fields__", ())) if of_pyspark else type(row).__dict__.get("_fields")
    if not isinstance(names, tuple) or not names or not all(type(each) is str for each in names):
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
    is_one = type(value) in _LOOKED_AT or type(value) is bool
    return is_one or (is_time and value == value)  # no time (NaT) equals none
