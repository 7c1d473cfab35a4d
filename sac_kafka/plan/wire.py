"""Decode the listener's text: `spark/java/ProjectionListener.java` defines its lines, `Projection.java` the records of an event.

The pipeline sees nothing else of the JVM, so a batch that was recorded to a file can be replayed without Java.
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
from sac_kafka.plan import specification  # noqa: F401 its import declares the classes
from sac_kafka.plan.declaration import DECLARED, Accessor, accessors
from sac_kafka.plan.execution import Event
from sac_kafka.plan.expressions import Attribute, AttributeReference, Expression, UnknownExpression
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Projected:
    """A projected event; `notes` count what was not projected, by description."""

    event: Event
    microseconds: int
    notes: dict[str, int]


@dataclasses.dataclass(frozen=True, slots=True)
class Marker:
    """A flush marker: everything posted before it has been projected."""

    id: int


@dataclasses.dataclass(frozen=True, slots=True)
class End:
    """The application has ended, or the listener was detached: no lines follow."""


@dataclasses.dataclass(frozen=True, slots=True)
class Stuck:
    """A projection timed out and was abandoned; `stack` is the stack trace of its thread."""

    stack: str


@dataclasses.dataclass(frozen=True, slots=True)
class Counters:
    """The listener's own counters so far: what was dropped, by reason."""

    counts: dict[str, int]


@dataclasses.dataclass(frozen=True, slots=True)
class Registration:
    """A Python process of the driver has attached; `text` is what it has registered (`lineage.runs.attribution`)."""

    process: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class SessionOwner:
    """A session, or the run of a streaming query, was created by a Python process.

    `properties` are those of the thread that used the session, before its first jobs, which identify a notebook or task.
    """

    id: str
    process: str
    properties: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class Parted:
    """A Python process has ended that was served by this one; an error or a signal may have ended it."""

    process: str
    has_failed: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """A question of a Python process that is served by this one."""

    id: int
    text: str


Line = Projected | Marker | End | Stuck | Counters | Registration | SessionOwner | Parted | Question


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class UnknownObject:
    """An object of a class that is not declared: only its class is projected."""

    class_name: str


def read(text: str) -> Iterator[Line]:
    """Yield the decoded lines of a batch.

    Raises:
        ProjectionError: A line is malformed; the message has its number.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line:
            with add_line_number(number):
                found = read_line(line)
            yield found


@contextmanager
def add_line_number(number: int) -> Iterator[None]:
    """Convert any error of decoding a line into a ProjectionError with the number of the line."""
    try:
        yield
    except ProjectionError as e:
        raise ProjectionError(f"line {number} of the batch: {e}") from e
    except (ValueError, LookupError, TypeError, RecursionError) as e:
        raise ProjectionError(f"line {number} of the batch: {type(e).__name__}: {e}") from e


LONG_LINE = 64 * 1024
"""Length above which a line is decoded record by record: decoding it in one call would block all threads."""
_EVENT = re.compile(r'\["event",(\d+),\[')
_DECODER = json.JSONDecoder()


def _records(line: str, position: int) -> Iterator[list[Any]]:
    """Yield the records that start at a position, each decoded by a separate call."""
    while True:
        record, position = _DECODER.raw_decode(line, position)
        yield record
        if not line.startswith(",", position):
            break
        position += 1
    if line[position:] != "]]":
        raise ValueError(f"character {position} of the line is not the end of its records")


def _read_projection(microseconds: int, records: Iterable[list[Any]]) -> Projected:
    reader = _Records()
    for record in records:
        reader.add(record)
    event = reader.made[-1]
    if not isinstance(event, Event):
        raise ProjectionError(
            f"the last record is not an event but {getattr(event, 'class_name', type(event).__name__)}"
        )
    return Projected(event=event, microseconds=microseconds, notes=reader.notes)


_KINDS: dict[str, Callable[..., Line]] = {
    "event": _read_projection,
    "marker": Marker,
    "end": End,
    "stuck": Stuck,
    "counters": Counters,
    "python": Registration,
    "session": SessionOwner,
    "parted": Parted,
    "question": Question,
}


def read_line(line: str) -> Line:
    """Decode one line of a batch."""
    if len(line) > LONG_LINE and (head := _EVENT.match(line)):
        return _read_projection(int(head[1]), _records(line, head.end()))
    kind, *rest = json.loads(line)
    return _KINDS[kind](*rest)


_OF_UNKNOWN_PLANS = ["expressions", "output"]
_OF_UNKNOWN_EXPRESSIONS = [a.name for a in accessors(UnknownExpression)]
_OF_UNKNOWN = {a.name: a for cls in (UnknownPlan, UnknownExpression) for a in accessors(cls)}


@dataclasses.dataclass(frozen=True, slots=True)
class _Class:
    """A class record: the Python class of its objects, and how their values are decoded."""

    name: str
    declared: type | None
    width: int  # number of values
    fields: tuple[tuple[int, Accessor], ...]  # position of the value

    @classmethod
    def from_record(cls, name: str, names: list[str]) -> _Class:
        copy = DECLARED.get(name)
        known = _OF_UNKNOWN if copy is None else {a.name: a for a in accessors(copy)}
        missing = [a.name for a in known.values() if copy and a.name not in names and not a.has_default]
        if copy and (missing or names == _OF_UNKNOWN_EXPRESSIONS) and _was_undeclared(copy, names):
            copy, known = None, _OF_UNKNOWN
        elif missing:
            raise ProjectionError(f"{name}: the batch lacks {', '.join(missing)}; record it again with this version")
        return cls(name, copy, len(names), tuple((i, known[n]) for i, n in enumerate(names) if n in known))


def _was_undeclared(declared: type, names: list[str]) -> bool:
    """Return whether a batch was recorded before the class was declared, so that it has the fields of an undeclared one."""
    wanted = {a.name for a in accessors(declared) if not a.has_default}
    if issubclass(declared, Expression):
        return bool(wanted) and names in ([], _OF_UNKNOWN_EXPRESSIONS)
    return issubclass(declared, LogicalPlan) and not wanted <= set(names) and names == _OF_UNKNOWN_PLANS


class _Records:
    """The decoded objects of one event; references point backwards, so one pass is enough."""

    def __init__(self) -> None:
        self.classes: list[_Class] = []
        self.made: list[Any] = []
        self.notes: dict[str, int] = {}
        self._attributes: dict[int, AttributeReference] = {}

    def add(self, record: list[Any]) -> None:
        match record:
            case ["c", name, fields]:
                self.classes.append(_Class.from_record(name, fields))
            case ["n", text, count]:
                self.notes[text] = count
            case ["e", at, children, *fields]:
                cls = self.classes[at]
                # Trailing nulls of expressions are omitted.
                values = self._values(cls, [*fields[0], *[None] * cls.width]) if fields else {}
                make = cls.declared or UnknownExpression
                self.made.append(make(class_name=cls.name, children=tuple(map(self._value, children)), **values))
            case ["o", at, fields]:
                cls = self.classes[at]
                self.made.append(cls.declared(**self._values(cls, fields)) if cls.declared else UnknownObject(cls.name))
            case ["p" | "w" as kind, at, children, subqueries, fields, *cut]:
                cls = self.classes[at]
                self.made.append(
                    (cls.declared or UnknownPlan)(
                        class_name=cls.name,
                        children=tuple(self.made[i] for i in children),
                        subqueries=tuple(self.made[i] for i in subqueries),
                        is_command=kind == "w",
                        columns_cut=bool(cut),
                        **self._values(cls, fields),
                    )
                )
            case _:
                raise ValueError(f"a record of kind {record[0]!r:.20} with {len(record)} values")

    def _values(self, cls: _Class, values: list[Any]) -> dict[str, Any]:
        return {a.name: self._read(a, values[i]) for i, a in cls.fields}

    def _read(self, a: Accessor, value: Any) -> Any:  # noqa: ANN401 whatever the field holds
        if a.kind == "attributes":
            columns = (column for column in value or () if column is not None)
            return tuple(Attribute(int(expr_id), name, type_, null) for expr_id, name, type_, null in columns)
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
