"""Track one run of a streaming query from start to end: its flow, counts, and what was emitted."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.executions import Ended
from sac_kafka.lineage.model import Application, Process, Run, Stream
from sac_kafka.lineage.streams.united_flow import UnitedFlow
from sac_kafka.plan.errors import failure_text
from sac_kafka.plan.execution import IncrementalExecution
from sac_kafka.plan.streaming_events import RepeatedBatches, SourceProgress

CHANGES_AT_ONCE = 3
"""Changes of the flow that are emitted at once in a run; further ones wait until the number of batches has doubled."""
MAX_SOURCES = 20
"""Sources of a query whose rows are counted separately."""


@dataclasses.dataclass(slots=True)
class StreamingQuery:
    """What is known of a query, from this run and earlier ones.

    Attributes:
        id: Spark's id of the query.
        name: Its lasting name.
        identity: As returned by `identity_of`; None until a batch has shown what the query writes.
        flow: Everything the query reads and writes.
        application: The application under the job name of the query's session.
        last_write: The run of the last write.
    """

    id: str
    name: str | None
    identity: tuple[str, ...] | None = None
    checkpoint: str | None = None
    output_mode: str | None = None
    flow: UnitedFlow = dataclasses.field(default_factory=UnitedFlow)
    application: Application | None = None
    last_write: Run | None = None


class LastBatch(NamedTuple):
    """The last batch of a run."""

    id: int | None = None
    ended_ms: int | None = None
    failure: str | None = None


NO_BATCH = LastBatch()


@dataclasses.dataclass(slots=True)
class RowCounts:
    """Rows of one run.

    Attributes:
        read: Rows by the description of the source.
        are_own: As `counts_itself` in `QueryRun.add`.
    """

    read: Counter[str] = dataclasses.field(default_factory=Counter)
    are_own: bool = False
    _written: int | None = None
    _is_complete: bool = True

    @property
    def written(self) -> int | None:
        """Rows written so far; None once a batch has written rows that were not counted."""
        return self._written if self._is_complete else None

    def add_read(self, sources: Iterable[SourceProgress]) -> None:
        """Add rows that were read."""
        for source in sources:
            if source.description in self.read or len(self.read) < MAX_SOURCES:
                self.read[source.description] += source.rows

    def add_written(self, rows: int | None) -> None:
        """Add rows that were written; None if they were not counted."""
        self._is_complete = self._is_complete and rows is not None
        self._written = (self._written or 0) + (rows or 0)


@dataclasses.dataclass(slots=True)
class Emissions:
    """Emissions of a query in one run because its flow changed: how many, and the number of batches at the last one."""

    count: int = 0
    at_batch: int = 0

    def add(self, batches: int) -> None:
        """Record an emission after this number of batches."""
        self.count += 1
        self.at_batch = batches

    def is_due(self, batches: int) -> bool:
        """Return whether a changed flow is emitted now; a query that changes with every batch must not flood the topic."""
        return self.count < CHANGES_AT_ONCE or batches >= 2 * self.at_batch


@dataclasses.dataclass(slots=True)
class QueryRun:
    """State of one run.

    Attributes:
        origin: As in `BatchFlows`.
        session: Id of the session in which the batches run.
        state_location: As in `IncrementalExecution`.
        unreported: Reasons already reported, as in `Extraction`.
    """

    query: StreamingQuery
    run_id: str
    started_ms: int | None = None
    batches: int = 0
    last_batch: LastBatch = NO_BATCH
    rows: RowCounts = dataclasses.field(default_factory=RowCounts)
    origin: Origin | None = None
    session: str | None = None
    state_location: str | None = None
    unreported: set[str] = dataclasses.field(default_factory=set)
    emissions: Emissions = dataclasses.field(default_factory=Emissions)

    def add(
        self,
        root: Ended,
        query: IncrementalExecution,
        application: Application,
        *,
        counts_itself: bool,
    ) -> None:
        """Add a batch; `counts_itself` is False if its progress event states the number of rows written."""
        event, opened = root
        failure = None if event.failure is None else failure_text(event.failure)
        self.batches += 1
        self.last_batch = LastBatch(query.batch_id, event.time, failure)
        self.session, self.state_location = query.session, query.state_location
        self.rows.are_own = counts_itself
        self.query.output_mode, self.query.application = query.output_mode, application
        if self.started_ms is None:
            self.started_ms = opened.started_ms

    def add_flow(self, writes: Iterable[Process]) -> None:
        """Add the writes of a batch, or of its function."""
        for write in writes:
            self.query.flow = self.query.flow.with_more(write)
            self.query.last_write = write.run
            if self.rows.are_own:
                self.rows.add_written(write.run.rows_written)

    def repeat(self, more: RepeatedBatches) -> None:
        """Add batches that repeat an earlier one, and Spark's counts of batches."""
        if more.batches:
            self.batches += more.batches
            self.last_batch = LastBatch(more.batch_id, more.time)
        for rows in more.rows_written if self.rows.are_own else ():
            self.rows.add_written(rows if rows >= 0 else None)
        self.add_progress(more.sources, more.sink_rows)

    def add_progress(self, sources: Iterable[SourceProgress], sink_rows: int) -> None:
        """Add Spark's counts of one or more batches; `sink_rows` is -1 if the sink does not count."""
        self.rows.add_read(sources)
        if sink_rows >= 0:
            self.rows.add_written(sink_rows)

    def process(self, *, has_ended: bool, failure: str | None) -> Process | None:
        """Return the query as a process; None before a batch has shown what it writes."""
        query = self.query
        if query.identity is None or query.application is None or query.last_write is None:
            return None
        run = dataclasses.replace(
            query.last_write,
            started_ms=self.started_ms,
            ended_ms=self.last_batch.ended_ms if has_ended else None,
            failure=failure,
            rows_written=self.rows.written,
            files_written=None,
            bytes_written=None,
            jobs=(),
            read=(),
        )
        stream = Stream(
            identity=query.identity,
            name=query.name,
            checkpoint=query.checkpoint,
            query_id=query.id,
            run_id=self.run_id,
            output_mode=query.output_mode,
            is_running=not has_ended,
            batches=self.batches,
            last_batch=self.last_batch.id,
            rows_read=tuple(self.rows.read.items()),
        )
        return query.flow.apply_to(
            Process(application=query.application, run=run, inputs=(), outputs=(), stream=stream)
        )


def epoch_ms(timestamp: str) -> int | None:
    """Parse Spark's timestamp into epoch milliseconds; return None if it is malformed.

    >>> epoch_ms("2026-11-23T00:26:13.960Z")
    1795393573960
    """
    try:
        return int(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return None
