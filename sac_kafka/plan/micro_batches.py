"""Micro-batches that say what an earlier one of their query's run said: each is one event, and nothing is made of its plans.

A query that runs for weeks has the same plans with each batch. What runs within a batch is held back as text until the
batch is over; then all of it is read, or none.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from sac_kafka.plan import wire
from sac_kafka.plan.execution import SparkListenerSQLExecutionStart
from sac_kafka.plan.same_plans import Records, digest, fields_of
from sac_kafka.plan.streaming_events import RepeatedBatch

MOST_OPEN = 1_000
MOST_KNOWN = 1_000
"""Batches that have begun and not ended, and batches that are known again; the oldest is forgotten first."""
MOST_HELD = 64
MOST_HELD_CHARACTERS = 8_000_000
"""Executions within one batch that are held back, and the text of all that are: what is more is read as it comes."""

_END = '"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd"'
_BATCH = re.compile(r'"org\.apache\.spark\.sql\.execution\.streaming\.(?:runtime\.)?IncrementalExecution"')


@dataclasses.dataclass(slots=True)
class _OpenBatch:
    """What was held back of a batch; `is_new` once it cannot be one that is known."""

    executions: list[int]
    texts: list[str] = dataclasses.field(default_factory=list)
    digests: list[bytes] = dataclasses.field(default_factory=list)
    rows_written: list[int] = dataclasses.field(default_factory=list)
    is_new: bool = False

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts))

    def read(self) -> Iterator[wire.Line]:
        """All that was held back, which then no longer is."""
        texts, self.texts = self.texts, []
        yield from map(wire.read_line, texts)


class MicroBatches:
    """Reads the lines of the listener, in order; one thread's."""

    def __init__(self) -> None:
        self._open: dict[int, _OpenBatch] = {}
        self._roots: dict[int, int] = {}  # of the executions of open batches
        self._held = 0  # characters
        self._known: dict[bytes, None] = {}

    def lines(self, text: str) -> Iterator[wire.Line]:
        """What a line of the listener says; what one within a batch says comes with the batch's end.

        Raises:
            ProjectionError: The line is none of the listener's, as of `wire.read_line`, which raises others, too.
        """
        if not self._roots or _END not in text:
            line = wire.read_line(text)
            if isinstance(line, wire.Projected) and isinstance(line.event, SparkListenerSQLExecutionStart):
                self._started(line.event)
            yield line
            return
        microseconds, records = wire.records_of(text)
        ended = fields_of(records, _event(records))
        execution = int(ended["execution_id"])
        root = self._roots.pop(execution, -1)
        batch = self._open.get(root)
        if batch is None:
            yield wire.read_line(text)
            return
        self._add(batch, text, records, ended)
        is_over = execution == root
        if is_over:
            self._close(root)
            if (event := self._repeated(batch, text, records, ended)) is not None:
                notes = {each[1]: each[2] for each in records if each[0] == "n"}
                yield wire.Projected(event=event, microseconds=microseconds, notes=notes)
                return
        if is_over or batch.is_new:
            self._held -= 0 if is_over else batch.characters
            yield from batch.read()

    def _started(self, event: SparkListenerSQLExecutionStart) -> None:
        if event.stream is None:
            return
        execution, root = event.execution_id, event.root_execution_id
        if root is None or root == execution:
            self._open[execution] = _OpenBatch([execution])
            self._roots[execution] = execution
            if len(self._open) > MOST_OPEN:
                self._close(next(iter(self._open)))
        elif root in self._open:
            self._open[root].executions.append(execution)
            self._roots[execution] = root

    def _close(self, root: int) -> None:
        batch = self._open.pop(root)
        self._held -= batch.characters
        for execution in batch.executions:
            self._roots.pop(execution, None)

    def _add(self, batch: _OpenBatch, text: str, records: Records, ended: dict[str, Any]) -> None:
        batch.texts.append(text)
        self._held += len(text)
        is_too_much = len(batch.texts) > MOST_HELD or self._held > MOST_HELD_CHARACTERS
        batch.is_new = batch.is_new or is_too_much or ended.get("failure") is not None
        if batch.is_new:
            return
        batch.digests.append(digest(records))
        query = fields_of(records, _referred(records, ended.get("query_execution")))
        batch.rows_written += map(int, query.get("rows_written") or ())

    def _repeated(self, batch: _OpenBatch, text: str, records: Records, ended: dict[str, Any]) -> RepeatedBatch | None:
        """The event that a batch is which is known; None where it is to be read."""
        if batch.is_new or _BATCH.search(text) is None:
            return None
        said = b"".join(batch.digests)
        if said not in self._known:
            self._known[said] = None
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
            return None
        query = fields_of(records, _referred(records, ended.get("query_execution")))
        return RepeatedBatch(
            executions=tuple(batch.executions),
            run_id=query["run_id"],
            batch_id=int(query["batch_id"]),
            time=int(ended["time"]),
            rows_written=tuple(batch.rows_written),
        )


def _event(records: Records) -> list[Any] | None:
    """The record of the event itself; what did not travel is counted behind it."""
    return next((each for each in reversed(records) if each[0] not in ("c", "n")), None)


def _referred(records: Records, number: object) -> list[Any] | None:
    """The record of an object by its number."""
    if not isinstance(number, int):
        return None
    return [each for each in records if each[0] not in ("c", "n")][number]
