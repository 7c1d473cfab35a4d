"""Track one run of a streaming query from start to end: its flow, counts, and what was emitted."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

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
class QueryRun:
    """State of one run.

    Attributes:
        identity: As returned by `identity_of`; None until a batch has shown what the query writes.
        flow: Everything the query reads and writes, in earlier runs too.
        application: The application under the job name of the query's session.
        last: The run of the last write.
        failure: Why the last batch failed.
        rows_read: Rows by the description of the source.
        rows_written: Rows written so far, as far as they were counted.
        is_counted: False once a batch has written rows that were not counted.
        counts_itself: As in `add`.
        origin: As in `BatchFlows`.
        session: Id of the session in which the batches run.
        state_location: As in `IncrementalExecution`.
        unreported: Reasons already reported, as in `Extraction`.
        emissions: How often the query was emitted in this run because its flow changed.
        emitted_at_batch: Number of batches at the last of these emissions.
    """

    query_id: str
    run_id: str
    name: str | None
    started_ms: int | None = None
    identity: tuple[str, ...] | None = None
    checkpoint: str | None = None
    output_mode: str | None = None
    flow: UnitedFlow = dataclasses.field(default_factory=UnitedFlow)
    application: Application | None = None
    last: Run | None = None
    ended_ms: int | None = None
    failure: str | None = None
    batches: int = 0
    last_batch: int | None = None
    rows_read: Counter[str] = dataclasses.field(default_factory=Counter)
    rows_written: int | None = None
    is_counted: bool = True
    counts_itself: bool = False
    origin: Origin | None = None
    session: str | None = None
    state_location: str | None = None
    unreported: set[str] = dataclasses.field(default_factory=set)
    emissions: int = 0
    emitted_at_batch: int = 0

    def continue_from(self, before: QueryRun) -> None:
        """Continue from the state of an earlier run of the same query."""
        self.identity, self.checkpoint, self.flow = before.identity, before.checkpoint, before.flow
        self.application, self.last, self.output_mode = before.application, before.last, before.output_mode

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
        self.batches += 1
        self.session, self.state_location = query.session, query.state_location
        self.last_batch, self.counts_itself = query.batch_id, counts_itself
        self.ended_ms, self.output_mode, self.application = event.time, query.output_mode, application
        self.failure = None if event.failure is None else failure_text(event.failure)
        if self.started_ms is None:
            self.started_ms = opened.started_ms

    def add_flow(self, writes: Iterable[Process]) -> None:
        """Add the writes of a batch, or of its function."""
        for write in writes:
            self.flow = self.flow.with_more(write)
            self.last = write.run
            if self.counts_itself:
                self.add_rows_written(write.run.rows_written)

    def repeat(self, more: RepeatedBatches) -> None:
        """Add batches that repeat an earlier one, and Spark's counts of batches."""
        if more.batches:
            self.batches += more.batches
            self.last_batch, self.ended_ms, self.failure = more.batch_id, more.time, None
        for rows in more.rows_written if self.counts_itself else ():
            self.add_rows_written(rows if rows >= 0 else None)
        self.add_progress(more.sources, more.sink_rows)

    def add_progress(self, sources: Iterable[SourceProgress], sink_rows: int) -> None:
        """Add Spark's counts of one or more batches; `sink_rows` is -1 if the sink does not count."""
        for source in sources:
            if source.description in self.rows_read or len(self.rows_read) < MAX_SOURCES:
                self.rows_read[source.description] += source.rows
        if sink_rows >= 0:
            self.add_rows_written(sink_rows)

    def add_rows_written(self, rows: int | None) -> None:
        """Add rows that were written; None if they were not counted."""
        self.is_counted = self.is_counted and rows is not None
        self.rows_written = (self.rows_written or 0) + (rows or 0)

    @property
    def is_due(self) -> bool:
        """Whether a changed flow is emitted now; a query that changes with every batch must not flood the topic."""
        return self.emissions < CHANGES_AT_ONCE or self.batches >= 2 * self.emitted_at_batch

    def process(self, *, has_ended: bool, failure: str | None) -> Process | None:
        """Return the query as a process; None before a batch has shown what it writes."""
        if self.identity is None or self.application is None or self.last is None:
            return None
        run = dataclasses.replace(
            self.last,
            started_ms=self.started_ms,
            ended_ms=self.ended_ms if has_ended else None,
            failure=failure,
            rows_written=self.rows_written if self.is_counted else None,
            files_written=None,
            bytes_written=None,
            jobs=(),
            read=(),
        )
        stream = Stream(
            identity=self.identity,
            name=self.name,
            checkpoint=self.checkpoint,
            query_id=self.query_id,
            run_id=self.run_id,
            output_mode=self.output_mode,
            is_running=not has_ended,
            batches=self.batches,
            last_batch=self.last_batch,
            rows_read=tuple(self.rows_read.items()),
        )
        return self.flow.apply_to(Process(application=self.application, run=run, inputs=(), outputs=(), stream=stream))


def epoch_ms(timestamp: str) -> int | None:
    """Parse Spark's timestamp into epoch milliseconds; return None if it is malformed.

    >>> epoch_ms("2026-11-23T00:26:13.960Z")
    1795393573960
    """
    try:
        return int(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return None
