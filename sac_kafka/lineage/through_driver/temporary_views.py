"""Temporary views whose definition holds values that the driver's Python had read: these decide what is read through the view.

A statement over such a view holds none of the values itself. Its plan has the name of the view, and when that was defined: a
DataFrame keeps the definition that it was made of, whatever has the name by now. Views belong to sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.plan.commands import CreateViewCommand
from sac_kafka.plan.commands_without_write import CreateTempViewUsing
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import View

MAX_VIEWS = 1_000
"""Views that are remembered, of all sessions; the oldest is forgotten first."""

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Defined:
    """The reads of a definition, by their numbers, and when it was made, in epoch milliseconds."""

    reads: tuple[int, ...]
    started_ms: int
    ended_ms: int

    def is_of(self, view: View) -> bool:
        return view.table is None or self.started_ms <= view.table.create_time <= self.ended_ms


class TemporaryViews:
    """The temporary views of an application that were defined with values of reads."""

    def __init__(self) -> None:
        self._defined: Bounded[_Key, _Defined] = Bounded(MAX_VIEWS)  # by session and name, "" for global views

    def add(
        self, command: LogicalPlan | None, event: SparkListenerSQLExecutionEnd, started_ms: int, reads: tuple[int, ...]
    ) -> None:
        """Take notice of a command that has succeeded; `reads` are those whose values it holds, by their numbers."""
        if not isinstance(command, (CreateViewCommand, CreateTempViewUsing)) or command.name is None:
            return
        if isinstance(command, CreateTempViewUsing):
            is_global = command.is_global
        elif command.view_type == "PersistedView":
            return
        else:
            is_global = command.view_type == "GlobalTempView"
        key = _key(command.name.table, None if is_global else _session(event))
        if reads:
            self._defined[key] = _Defined(reads, started_ms, event.time)
        else:
            self._defined.pop(key, None)

    def reads_of(self, events: Iterable[SparkListenerSQLExecutionEnd]) -> tuple[int, ...]:
        """Return the reads whose values are in the views that some executions have read, by their numbers."""
        if not self._defined:
            return ()
        return tuple(sorted({read for event in events for read in self._reads_in(event)}))

    def _reads_in(self, event: SparkListenerSQLExecutionEnd) -> Iterator[int]:
        query = event.query_execution
        if query is None or query.analyzed is None:
            return
        for node in walk(query.analyzed):
            if isinstance(node, View) and node.is_temp_view:
                is_global = node.identifier.database is not None
                defined = self._defined.get(_key(node.identifier.table, None if is_global else query.session))
                if defined is not None and defined.is_of(node):
                    yield from defined.reads


def _session(event: SparkListenerSQLExecutionEnd) -> str | None:
    return event.query_execution.session if event.query_execution is not None else None


def _key(name: str, session: str | None) -> _Key:
    return session or "", name.lower()
