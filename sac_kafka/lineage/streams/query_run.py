"""One run of a streaming query, from its start to its end: what it did, and what of that was said."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.executions import Ended
from sac_kafka.lineage.model import Application, Process, Run, Stream
from sac_kafka.lineage.runs.failures import failure_text
from sac_kafka.lineage.streams.united_flow import UnitedFlow
from sac_kafka.plan.execution import IncrementalExecution
from sac_kafka.plan.streaming_events import RepeatedBatches, SourceProgress

CHANGES_AT_ONCE = 3
"""So many times in a run the flow is said with the batch that shows it; then when there are twice as many batches."""
MAX_SOURCES = 20
"""Sources of a query whose rows are counted one by one."""


@dataclasses.dataclass(slots=True)
class QueryRun:
    """What is known of a run.

    `identity` is None until a batch has shown what the query is, `flow` all that it flows, in earlier runs too. `last` is the
    last batch that said something, under the job `application`. `failure` is what the last batch failed with. `is_counted`
    is False once nobody counted the rows that a batch wrote, `counts_itself` is as of `add`. `unsaid` are as of `Extraction`,
    `made` is as of `BatchFlows`, `session` that in which the batches run, `state_location` as of `IncrementalExecution`.
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
    made: Origin | None = None
    session: str | None = None
    state_location: str | None = None
    unsaid: set[str] = dataclasses.field(default_factory=set)
    told: int = 0
    told_at_batch: int = 0

    def goes_on(self, before: QueryRun) -> None:
        """Be what an earlier run of the same query was."""
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
        """Add a batch; `counts_itself` is False where its progress says how many rows the writes have written."""
        event, opened = root
        self.batches += 1
        self.session, self.state_location = query.session, query.state_location
        self.last_batch, self.counts_itself = query.batch_id, counts_itself
        self.ended_ms, self.output_mode, self.application = event.time, query.output_mode, application
        self.failure = None if event.failure is None else failure_text(event.failure)
        if self.started_ms is None:
            self.started_ms = opened.started_ms

    def flowed(self, writes: Iterable[Process]) -> None:
        """Add what the function of a batch has written, or the batch itself."""
        for write in writes:
            self.flow = self.flow.with_more(write)
            self.last = write.run
            if self.counts_itself:
                self.wrote(write.run.rows_written)

    def repeat(self, more: RepeatedBatches) -> None:
        """Add batches that say what an earlier one said, and what Spark counted of batches."""
        if more.batches:
            self.batches += more.batches
            self.last_batch, self.ended_ms, self.failure = more.batch_id, more.time, None
        for rows in more.rows_written if self.counts_itself else ():
            self.wrote(rows if rows >= 0 else None)
        self.counted(more.sources, more.sink_rows)

    def counted(self, sources: Iterable[SourceProgress], sink_rows: int) -> None:
        """Add what Spark counted of batches; `sink_rows` is -1 where the sink does not count."""
        for source in sources:
            if source.description in self.rows_read or len(self.rows_read) < MAX_SOURCES:
                self.rows_read[source.description] += source.rows
        if sink_rows >= 0:
            self.wrote(sink_rows)

    def wrote(self, rows: int | None) -> None:
        """Add rows that were written; None where nobody counted them."""
        self.is_counted = self.is_counted and rows is not None
        self.rows_written = (self.rows_written or 0) + (rows or 0)

    @property
    def is_due(self) -> bool:
        """Whether what has changed is said now: a query that finds something new with every batch is not said with each."""
        return self.told < CHANGES_AT_ONCE or self.batches >= 2 * self.told_at_batch

    def process(self, *, has_ended: bool, failure: str | None) -> Process | None:
        """The query as a process; None before a batch has shown what it is."""
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
        return self.flow.put_on(Process(application=self.application, run=run, inputs=(), outputs=(), stream=stream))


def epoch_ms(timestamp: str) -> int | None:
    """Epoch milliseconds of a time as Spark writes it; None where it is no time.

    >>> epoch_ms("2026-11-23T00:26:13.960Z")
    1795393573960
    """
    try:
        return int(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return None
