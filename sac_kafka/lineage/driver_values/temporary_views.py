"""Track temporary views whose definition contains values that the driver has read: these decide what is read through the view.

A statement over such a view contains none of the values itself. Its plan has the view's name and creation time: a DataFrame keeps
the definition from which it was created, even if the name has been redefined since. Views belong to sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sac_kafka.model.bounds import Bounded
from sac_kafka.plan.commands import CreateViewCommand
from sac_kafka.plan.commands_without_write import CreateTempViewUsing
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.nodes import LogicalPlan, walk
from sac_kafka.plan.operators import View

MAX_VIEWS = 1_000
"""Views that are remembered, over all sessions; the oldest is evicted first."""

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Defined:
    """The definition of a view: numbers of the reads whose values it contains, and its start and end in epoch milliseconds."""

    reads: tuple[int, ...]
    started_ms: int
    ended_ms: int

    def matches(self, view: View) -> bool:
        return view.table is None or self.started_ms <= view.table.create_time <= self.ended_ms


class TemporaryViews:
    """The temporary views of an application that were defined with values of reads."""

    def __init__(self) -> None:
        self._defined: Bounded[_Key, _Defined] = Bounded(MAX_VIEWS)  # by session and name, "" for global views

    def add(
        self, command: LogicalPlan | None, event: SparkListenerSQLExecutionEnd, started_ms: int, reads: tuple[int, ...]
    ) -> None:
        """Record a successful command that defines a view; `reads` are the numbers of the reads whose values it contains."""
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
        """Return the numbers of the reads whose values are in the views that executions have read."""
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
                if defined is not None and defined.matches(node):
                    yield from defined.reads


def _session(event: SparkListenerSQLExecutionEnd) -> str | None:
    return event.query_execution.session if event.query_execution is not None else None


def _key(name: str, session: str | None) -> _Key:
    return session or "", name.lower()
