"""Fingerprint data to recognize it later: hashes of a bounded number of values, and the names of columns.

The hashes are Python's, for this process; no value and no hash leaves it. Nothing is imported: data of pandas, numpy or
pyarrow is recognized by the modules that created it.
"""

from __future__ import annotations

import datetime
import itertools
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from types import GeneratorType
from typing import Any

from sac_kafka.spark.calls.cells import (
    LOOKED_AT,
    MAX_COLUMNS,
    MAX_VALUES,
    NUMBERS,
    item_of,
    length_of,
    names_of,
    values_of,
)
from sac_kafka.spark.calls.constants import Constants, has_own_object
from sac_kafka.spark.frames import leave_out_caller, stand_in

MAX_OBJECTS = 200
"""Limit of values that are also recognized by identity, and kept alive for it."""
MAX_OBJECT_LENGTH = 64
"""Maximum length of a text that is recognized by identity."""
MAX_PROVED = 100_000
"""Largest pandas frame, in values, whose columns are compared to prove that they are unchanged."""
COLUMN_AS_VALUES = 100
"""The number of values that cost as much to compare as a column does by itself."""
MAX_PROVED_BYTES = 4_000_000
"""Most bytes and characters of such a frame's texts."""
MAX_HASHED = 1_000
"""Longest text whose characters all count; of longer ones as many, of the beginning and the end."""
MAX_TABLE_BYTES = 4_000_000
"""Most bytes of an Arrow table's examined rows."""

OF_NO_COLUMN = "\0"
"""In place of a name."""
_PLAIN_BELOW = 1_000


@dataclass(slots=True, eq=False)
class SeenColumn:
    """The values of one column by their hashes: `telling` ones, and `plain` ones that many data have.

    Plain are whole numbers below 1,000. `literals` are those of both that the program may have written itself, `has_flags` is
    True for truth values, which identify nothing.
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
        return _unite([column.telling for column in self.columns.values()])

    @property
    def plain(self) -> Set[int]:
        """The plain values of all columns."""
        return _unite([column.plain for column in self.columns.values()])

    @property
    def literals(self) -> Set[int]:
        """The values of all columns that the program may have written itself."""
        return _unite([column.literals for column in self.columns.values()])

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

        Values that do not count are added by identity alone. Constants of the program are omitted. `names` are those of rows
        that have none.
        """
        number = 0
        for name, value, is_literal in itertools.islice(values_of(rows, program, column, names), limit):
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
            is_plain = isinstance(value, NUMBERS) and -_PLAIN_BELOW < value < _PLAIN_BELOW and value == int(value)
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


def _unite(sets: Sequence[set[int]]) -> Set[int]:
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

    `counts` selects the values to examine of rows in lists and tuples; None for all. `program` has the constants to omit.
    `names` are those that columns without a name get.
    """
    if is_frame(data):
        part = data.iloc[_positions(len(data), len(data.columns)), :MAX_COLUMNS]
        own = [name if isinstance(name, str) else "" for name in part.columns]
        return _of_columns(own, part.to_numpy(dtype=object).T.tolist(), program, is_whole=len(part) == len(data))
    if is_table(data):
        return _of_table(data, program)
    if _is_of("numpy", "ndarray", data):
        if data.ndim not in (1, 2):
            return SeenValues(is_known=False)
        part = data if data.ndim == 1 else data[:, :MAX_COLUMNS]
        return _of_rows(part[_positions(len(part), part.size // max(1, len(part)))].tolist(), counts, program, names)
    if type(data) in _VIEWS:
        data = list(itertools.islice(data, MAX_VALUES))
    if isinstance(data, (list, tuple)):
        if program is not None and program.holds(data):
            return SeenValues()
        return _of_rows([item_of(data, at) for at in _positions(length_of(data), _width(data))], counts, program, names)
    return SeenValues(is_known=type(data) is range)


def _positions(rows: int, width: int) -> Sequence[int]:
    """Return the positions of the rows that are examined."""
    most = max(1, MAX_VALUES // max(1, min(width, MAX_COLUMNS)))
    if rows <= most:
        return list(range(rows))
    first = max(1, most // 2)
    return [*range(first), *range(first, rows, -(-(rows - first) // max(1, most - first)))]


def _width(data: Any) -> int:  # noqa: ANN401 as above
    first = item_of(data, 0) if length_of(data) else None
    return (
        dict.__len__(first) if isinstance(first, dict) else length_of(first) if isinstance(first, (list, tuple)) else 1
    )


def _of_rows(
    rows: Sequence[object],
    counts: Callable[[object], bool] | None,
    program: Constants | None,
    names: Sequence[str] = (),
) -> SeenValues:
    own = isinstance(rows[0], tuple) and names_of(rows[0]) if rows else None
    found = SeenValues(names=frozenset(own or ()))
    found.add(rows, MAX_VALUES, counts, program, names=tuple(names))
    return found


def _of_table(table: Any, program: Constants | None) -> SeenValues:  # noqa: ANN401 of pyarrow
    """Fingerprint an Arrow table, without columns of nested or large values: each may have any size."""
    at = _positions(table.num_rows, table.num_columns)
    arrow = sys.modules["pyarrow"]
    indices = arrow.array(at, arrow.int64())
    names, columns = list(table.column_names[:MAX_COLUMNS]), []
    most = MAX_TABLE_BYTES // max(1, len(names))
    for column in table.columns[:MAX_COLUMNS]:
        is_small = not column.type.num_fields and column.nbytes * len(at) <= most * max(1, table.num_rows)
        part = column.take(indices) if is_small else column.slice(0, 0)
        columns.append(part.to_pylist() if part.nbytes <= most else [])
    return _of_columns(names, columns, program, is_whole=len(at) == table.num_rows)


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
    if isinstance(value, (str, bytes)) and len(value) > MAX_HASHED:
        return False
    return value is None or type(value) in LOOKED_AT or type(value) is bool


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
            found.names = frozenset((isinstance(row, tuple) and names_of(row)) or ())
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
    columns = len(frame.columns)
    if frame.size + COLUMN_AS_VALUES * (columns - 1) > MAX_PROVED or not frame.columns.is_unique:
        return {}
    left = [MAX_PROVED_BYTES]
    found = ((name, i, _proof(column.to_numpy(), left)) for i, (name, column) in enumerate(frame.items()))
    return {name: ColumnProof(i, proof) for name, i, proof in found if isinstance(name, str) and proof is not None}


def _proof(values: Any, left: list[int]) -> int | None:  # noqa: ANN401 an array of numpy
    if values.dtype.kind in "biufcmM":
        return hash((values.dtype.str, values.tobytes()))
    cells = values.tolist()
    if not all(cell is None or type(cell) in LOOKED_AT for cell in cells):
        return None
    left[0] -= sum(len(cell) for cell in cells if type(cell) in (str, bytes))
    return hash(tuple(cells)) if left[0] >= 0 else None
