"""Reads the listener's text: `spark/java/Projection.java` says what a line is.

The text is all that the pipeline ever sees of the JVM, so a batch that was recorded to a file replays without Java.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from sac_kafka.errors import ProjectionError
from sac_kafka.plan.declaration import Accessor, accessors
from sac_kafka.plan.execution import Event
from sac_kafka.plan.expressions import Attribute, AttributeReference, Expression, UnknownExpression
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.specification import declared


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Projected:
    """An event that was projected; `notes` say what did not travel (what: how often)."""

    event: Event
    microseconds: int
    notes: dict[str, int]


@dataclasses.dataclass(frozen=True, slots=True)
class Marker:
    """A flush marker came out of the queue: all that was posted before it has been projected."""

    id: int


@dataclasses.dataclass(frozen=True, slots=True)
class End:
    """The application has ended, or the listener was detached: nothing follows."""


@dataclasses.dataclass(frozen=True, slots=True)
class Stuck:
    """A projection did not come back in time and was abandoned; `stack` is where its thread stood."""

    stack: str


@dataclasses.dataclass(frozen=True, slots=True)
class Counters:
    """The listener's own counters so far: what was dropped and why."""

    counts: dict[str, int]


Line = Projected | Marker | End | Stuck | Counters


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class UnknownObject:
    """An object of a class that is not declared: nothing of it travels but its class."""

    class_name: str


def read(text: str) -> Iterator[Line]:
    """The lines of a batch.

    Raises:
        ProjectionError: A line is not what the listener writes; names its number.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line:
            with numbered(number):
                found = read_line(line)
            yield found


@contextmanager
def numbered(number: int) -> Iterator[None]:
    """Name the line that cannot be read inside: `read_line` may raise whatever such a line provokes."""
    try:
        yield
    except ProjectionError as e:
        raise ProjectionError(f"line {number} of the batch: {e}") from e
    except (ValueError, LookupError, TypeError, RecursionError) as e:
        raise ProjectionError(f"line {number} of the batch: {type(e).__name__}: {e}") from e


LONG_LINE = 64 * 1024
"""Characters of a line that is read record by record: one call for millions of them would stop all threads meanwhile."""
_EVENT = re.compile(r'\["event",(\d+),\[')
_DECODER = json.JSONDecoder()


def read_line(line: str) -> Line:
    """One line of a batch."""
    if len(line) > LONG_LINE and (head := _EVENT.match(line)):
        return _projected(int(head[1]), _records(line, head.end()))
    kind, *rest = json.loads(line)
    return _KINDS[kind](*rest)


def _records(line: str, position: int) -> Iterator[list[Any]]:
    """The records that begin there, each by a call of its own."""
    while True:
        record, position = _DECODER.raw_decode(line, position)
        yield record
        if not line.startswith(",", position):
            break
        position += 1
    if line[position:] != "]]":
        raise ValueError(f"character {position} of the line is not the end of its records")


def _projected(microseconds: int, records: Iterable[list[Any]]) -> Projected:
    reader = _Records()
    for record in records:
        reader.add(record)
    event = reader.made[-1]
    if not isinstance(event, Event):
        raise ProjectionError(f"the last record is no event but {getattr(event, 'class_name', type(event).__name__)}")
    return Projected(event=event, microseconds=microseconds, notes=reader.notes)


_KINDS: dict[str, Callable[..., Line]] = {
    "event": _projected,
    "marker": Marker,
    "end": End,
    "stuck": Stuck,
    "counters": Counters,
}


@dataclasses.dataclass(frozen=True, slots=True)
class _Class:
    """A class record: what is made of the objects of this class, and how its values are read."""

    name: str
    declared: type | None
    width: int  # of the record's values
    fields: tuple[tuple[int, Accessor], ...]  # position among these

    @classmethod
    def of(cls, name: str, names: list[str]) -> _Class:
        copy = declared(name)
        if copy is not None and _was_undeclared(copy, names):
            copy = None
        known = _OF_UNKNOWN if copy is None else {a.name: a for a in accessors(copy)}
        missing = [a.name for a in known.values() if copy and a.name not in names and not a.has_default]
        if missing:
            raise ProjectionError(f"{name}: the batch lacks {', '.join(missing)}; record it anew with this version")
        return cls(name, copy, len(names), tuple((i, known[n]) for i, n in enumerate(names) if n in known))


def _was_undeclared(declared: type, names: list[str]) -> bool:
    """True where a batch was recorded before the class was declared: what travels of an undeclared one is all there is."""
    wanted = {a.name for a in accessors(declared) if not a.has_default}
    if issubclass(declared, Expression):
        return bool(wanted) and names in ([], _OF_UNKNOWN_EXPRESSIONS)
    return issubclass(declared, LogicalPlan) and not wanted <= set(names) and names == _OF_UNKNOWN_PLANS


_OF_UNKNOWN_PLANS = ["expressions", "output"]
_OF_UNKNOWN_EXPRESSIONS = [a.name for a in accessors(UnknownExpression)]
_OF_UNKNOWN = {a.name: a for cls in (UnknownPlan, UnknownExpression) for a in accessors(cls)}


class _Records:
    """The objects of one event: references point backwards, so that one pass makes them all."""

    def __init__(self) -> None:
        self.classes: list[_Class] = []
        self.made: list[Any] = []
        self.notes: dict[str, int] = {}
        self._attributes: dict[int, AttributeReference] = {}

    def add(self, record: list[Any]) -> None:
        kind = record[0]
        if kind == "c":
            self.classes.append(_Class.of(record[1], record[2]))
        elif kind == "n":
            self.notes[record[1]] = record[2]
        else:
            self.made.append(self._object(kind, record))

    def _object(self, kind: str, record: list[Any]) -> Any:  # noqa: ANN401 any declared class
        of = self.classes[record[1]]
        if kind == "e":
            # Of an expression nothing is written for null at the end.
            values = self._values(of, [*record[3], *[None] * of.width]) if len(record) > 3 else {}
            make = of.declared or UnknownExpression
            return make(class_name=of.name, children=tuple(map(self._value, record[2])), **values)
        if kind == "o":
            return of.declared(**self._values(of, record[2])) if of.declared else UnknownObject(of.name)
        cut = len(record) > 5
        return (of.declared or UnknownPlan)(
            class_name=of.name,
            children=tuple(self.made[i] for i in record[2]),
            subqueries=tuple(self.made[i] for i in record[3]),
            is_command=kind == "w",
            columns_cut=cut,
            **self._values(of, record[4]),
        )

    def _values(self, of: _Class, values: list[Any]) -> dict[str, Any]:
        return {a.name: self._read(a, values[i]) for i, a in of.fields}

    def _read(self, a: Accessor, value: Any) -> Any:  # noqa: ANN401 whatever the field holds
        if a.kind == "attributes":
            return tuple(_attribute(v) for v in value or () if v is not None)
        if a.is_integer and isinstance(value, str):
            return int(value)
        if a.is_integer and isinstance(value, list):
            return tuple(map(int, value))
        if value is None:
            return () if a.is_sequence else None
        return self._value(value)

    def _value(self, value: Any) -> Any:  # noqa: ANN401 whatever the field holds
        if type(value) is int:
            return self.made[value] if value >= 0 else self._attribute(-value - 1)
        if type(value) is list:
            return tuple(map(self._value, value))
        if type(value) is dict:
            return MappingProxyType(value)
        return value

    def _attribute(self, expr_id: int) -> AttributeReference:
        known = self._attributes.get(expr_id)
        if known is None:
            known = AttributeReference(class_name="AttributeReference", children=(), expr_id=expr_id)
            self._attributes[expr_id] = known
        return known


def _attribute(value: list[Any]) -> Attribute:
    expr_id, name, type_, nullable = value
    return Attribute(int(expr_id), name, type_, nullable)
