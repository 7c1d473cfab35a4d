"""Attribute what the executions of a batch count to the writes of its function.

A batch that repeats an earlier one is not projected; the listener only adds up its counters, by their position in the batch. The
positions are, per execution in the order of their ends: one for each writing command, then one for a writer without a command.
`sackafka.PlanDigest` counts in the same order.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sac_kafka.lineage.executions import CHANGING_ROWS, analyzed_plan
from sac_kafka.lineage.runs.metrics import write_metrics
from sac_kafka.model.metrics import NOT_COUNTED, WriteMetrics
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.streaming_events import RepeatedWrites

Positions = tuple[int, ...]
"""Counters that add up to the metrics of a write; () if it was not counted."""
_METRICS = 3


class ExecutionCounters:
    """Counters of executions, in the order of their ends; `writers` are those of them that wrote, by execution id."""

    def __init__(self, events: Sequence[SparkListenerSQLExecutionEnd], writers: Iterable[int]) -> None:
        self._metrics: list[WriteMetrics] = []
        self._commands: dict[int, Positions] = {}
        self._others: dict[int, Positions] = {}
        for event in events:
            self._commands[event.execution_id] = self._add(write_metrics(event.query_execution))
            has_counted = len(event.counted) == _METRICS
            self._others[event.execution_id] = self._add([WriteMetrics(*event.counted)] if has_counted else ())
        self._parts = _parts(events, frozenset(writers))

    def _add(self, metrics: Sequence[WriteMetrics]) -> Positions:
        start = len(self._metrics)
        self._metrics.extend(metrics)
        return tuple(range(start, start + len(metrics)))

    def total(self, positions: Positions) -> WriteMetrics:
        """Return the sum of these counters."""
        return total(self._metrics[at] for at in positions)

    def positions(self, event: SparkListenerSQLExecutionEnd, command: int | None) -> Positions:
        """Return the counters of a write: those of its command, by number; else those of executions that ran for it alone.

        A command that changes rows has no number: it also counts the unchanged rows that it rewrites.
        """
        own = self._commands[event.execution_id]
        if command is not None and command < len(own) and self._metrics[own[command]] != NOT_COUNTED:
            return (own[command],)
        parts = self._parts.get(event.execution_id, ())
        if not all(part.is_alone for part in parts):  # threads that share the batch
            return ()
        commands = [at for part in parts for at in self._commands[part.event.execution_id]]
        if len(commands) == 1:
            return (commands[0],)
        if isinstance(analyzed_plan(event), CHANGING_ROWS):
            return ()
        return tuple(at for part in parts if part.event.failure is None for at in self._others[part.event.execution_id])


class _Part(NamedTuple):
    """An execution that a writer may have run; `is_alone` if no other writer may have."""

    event: SparkListenerSQLExecutionEnd
    is_alone: bool


def _parts(events: Sequence[SparkListenerSQLExecutionEnd], writers: frozenset[int]) -> Mapping[int, Sequence[_Part]]:
    """Return the executions that started after a writer and ended before it, by the writer's execution."""
    result: dict[int, list[_Part]] = {}
    order = {event.execution_id: at for at, event in enumerate(events)}
    for event in events:
        inner = event.execution_id
        around = () if inner in writers else tuple(w for w in writers if w < inner and order[w] > order[inner])
        for writer in around:
            result.setdefault(writer, []).append(_Part(event, len(around) == 1))
    return result


def total(metrics: Iterable[WriteMetrics]) -> WriteMetrics:
    """Return the sum of metrics; NOT_COUNTED if there are none."""
    found = tuple(metrics)
    return functools.reduce(operator.add, found) if found else NOT_COUNTED


def repeated_total(positions: Positions, repeated: RepeatedWrites) -> WriteMetrics:
    """Return the sum of these counters over batches that repeat one; NOT_COUNTED if one of them is missing."""
    counted = write_metrics(repeated)
    return total(counted[at] for at in positions) if max(positions, default=0) < len(counted) else NOT_COUNTED
