"""Track one run of a streaming query from start to end: its flows, counts, and what was emitted."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.executions import Ended
from sac_kafka.lineage.streams.batch import Positions, repeated_total
from sac_kafka.lineage.streams.united_flow import UnitedFlow
from sac_kafka.model import Application, Process, Run, Stream
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.processes import NOT_COUNTED, WriteMetrics
from sac_kafka.names.paths import without_run
from sac_kafka.plan.errors import failure_text
from sac_kafka.plan.execution import IncrementalExecution
from sac_kafka.plan.streaming_events import RepeatedBatches, RepeatedWrites, SourceProgress

CHANGES_AT_ONCE = 3
"""Changes of a flow that are emitted at once in a run; further ones wait until the number of batches has doubled."""
MAX_SOURCES = 20
"""Sources of a query whose rows are counted separately."""
MAX_REPEATED = 1_000
"""Batches of one run whose writes are remembered, because later ones may repeat them; the oldest is evicted first."""
_STATE = "/state"
_PIPELINE_CHECKPOINTS = "/_checkpoints/"
"""Checkpoint directory of Declarative Pipelines; each flow has one directory per full refresh, named by a number."""


Target = str | None
"""What a flow of a query writes: the key of a dataset; None for the sink itself, whatever it writes."""


class FlowWrite(NamedTuple):
    """A write of a batch: its target, and its counters."""

    target: Target
    counters: Positions


@dataclasses.dataclass(slots=True)
class StreamFlow:
    """The flow of a query to one target, over all runs.

    Attributes:
        identity: As returned by `identity_of`.
        flow: Everything that the query reads for the target, and what it writes there.
        last_write: The run of the last write.
    """

    identity: tuple[str, ...]
    flow: UnitedFlow
    last_write: Run


@dataclasses.dataclass(slots=True)
class StreamingQuery:
    """What is known of a query, from this run and earlier ones.

    Attributes:
        id: Spark's id of the query.
        name: Its lasting name.
        checkpoint: Its lasting checkpoint when the first batch showed it.
        flows: Its flows; empty until a batch has shown what the query writes.
        application: The application under the job name of the query's session.
    """

    id: str
    name: str | None
    checkpoint: str | None = None
    output_mode: str | None = None
    flows: dict[Target, StreamFlow] = dataclasses.field(default_factory=dict)
    application: Application | None = None


class LastBatch(NamedTuple):
    """The last batch of a run."""

    id: int | None = None
    ended_ms: int | None = None
    failure: str | None = None


NO_BATCH = LastBatch()


@dataclasses.dataclass(slots=True)
class FlowRun:
    """State of one flow in one run of its query.

    Attributes:
        written: Metrics of all writes, each None once a write did not count it.
        writes: Number of writes.
        has_changed: True if the last change of the flow is not emitted yet.
        emissions: How often it was emitted because it had changed.
        emitted_at: The number of batches at the last of these emissions.
    """

    written: WriteMetrics = NOT_COUNTED
    writes: int = 0
    has_changed: bool = False
    emissions: int = 0
    emitted_at: int = 0

    def is_due(self, batches: int) -> bool:
        """Return whether a change is to be emitted after this number of batches.

        A flow that changes with every batch must not flood the topic.
        """
        return self.has_changed and (self.emissions < CHANGES_AT_ONCE or batches >= 2 * self.emitted_at)

    def count_emission(self, batches: int) -> None:
        """Count an emission after this number of batches."""
        self.emissions, self.emitted_at = self.emissions + 1, batches

    def add(self, written: WriteMetrics, writes: int = 1) -> None:
        """Add writes with their total."""
        self.written = self.written + written if self.writes else written
        self.writes += writes


@dataclasses.dataclass(slots=True)
class QueryRun:
    """State of one run.

    Attributes:
        origin: As in `BatchFlows`.
        session: Id of the session in which the batches run.
        state_location: As in `IncrementalExecution`.
        unreported: Reasons already reported, as in `Extraction`.
        flows: The flows that the run has written.
        writes: The writes of batches that may be repeated, by root execution.
        rows_read: Spark's counts of rows, by the description of the source.
        sink_rows: Rows written; None if the sink does not count.
    """

    query: StreamingQuery
    run_id: str
    started_ms: int | None = None
    batches: int = 0
    last_batch: LastBatch = NO_BATCH
    origin: Origin | None = None
    session: str | None = None
    state_location: str | None = None
    unreported: set[str] = dataclasses.field(default_factory=set)
    flows: dict[Target, FlowRun] = dataclasses.field(default_factory=dict)
    writes: Bounded[int, tuple[FlowWrite, ...]] = dataclasses.field(default_factory=lambda: Bounded(MAX_REPEATED))
    rows_read: Counter[str] = dataclasses.field(default_factory=Counter)
    sink_rows: int | None = None

    def add(self, root: Ended, query: IncrementalExecution, application: Application) -> None:
        """Add a batch."""
        event, opened = root
        failure = None if event.failure is None else failure_text(event.failure)
        self.batches += 1
        self.last_batch = LastBatch(query.batch_id, event.time, failure)
        self.session, self.state_location = query.session, query.state_location
        self.query.output_mode, self.query.application = query.output_mode, application
        if self.started_ms is None:
            self.started_ms = opened.started_ms

    def repeat(self, more: RepeatedBatches) -> None:
        """Add batches that repeat earlier ones, and Spark's counts of batches."""
        if more.batches:
            self.batches += more.batches
            self.last_batch = LastBatch(more.batch_id, more.time)
        for repeated in more.writes:
            self._repeat_writes(repeated)
        self.add_progress(more.sources, more.sink_rows)

    def add_progress(self, sources: Iterable[SourceProgress], sink_rows: int) -> None:
        """Add Spark's counts of one or more batches; `sink_rows` is -1 if the sink does not count."""
        for source in sources:
            if source.description in self.rows_read or len(self.rows_read) < MAX_SOURCES:
                self.rows_read[source.description] += source.rows
        if sink_rows >= 0:
            self.sink_rows = (self.sink_rows or 0) + sink_rows

    def _repeat_writes(self, repeated: RepeatedWrites) -> None:
        """Add the writes of batches that repeat one; if that is not known, what was written to each target is unknown."""
        known = self.writes.get(repeated.execution)
        if known is None:
            for unknown in self.flows.values():
                unknown.add(NOT_COUNTED)
        for write in known or ():
            if (flow := self.flows.get(write.target)) is not None:
                flow.add(repeated_total(write.counters, repeated), repeated.batches)

    def process(self, target: Target, *, has_ended: bool, failure: str | None) -> Process | None:
        """Return a flow of the query as a process; None before a batch has shown the application."""
        query, known, ran = self.query, self.query.flows[target], self.flows.get(target, FlowRun())
        if query.application is None:
            return None
        run = dataclasses.replace(
            known.last_write,
            started_ms=self.started_ms,
            ended_ms=self.last_batch.ended_ms if has_ended else None,
            failure=failure,
            jobs=(),
            read=(),
            executions=max(ran.writes, 1),
        )
        stream = Stream(
            identity=known.identity,
            name=query.name,
            checkpoint=lasting_checkpoint(self.state_location) or query.checkpoint,
            query_id=query.id,
            run_id=self.run_id,
            output_mode=query.output_mode,
            is_running=not has_ended,
            batches=self.batches,
            last_batch=self.last_batch.id,
            rows_read=tuple(self.rows_read.items()),
        )
        described = Process(
            application=query.application, run=self._metrics_of(ran).apply_to(run), inputs=(), outputs=(), stream=stream
        )
        return known.flow.apply_to(described)

    def _metrics_of(self, ran: FlowRun) -> WriteMetrics:
        """Return the metrics of a flow; the sink's own count is that of its only flow."""
        if self.sink_rows is None:
            return ran.written
        return WriteMetrics(rows=self.sink_rows) if len(self.flows) == 1 else NOT_COUNTED


def epoch_ms(timestamp: str) -> int | None:
    """Parse Spark's timestamp into epoch milliseconds; return None if it is malformed.

    >>> epoch_ms("2026-11-23T00:26:13.960Z")
    1795393573960
    """
    try:
        return int(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return None


def lasting_checkpoint(state_location: str | None) -> str | None:
    """Return the checkpoint directory of a state directory; None for a temporary one, made for a single run.

    >>> lasting_checkpoint("s3a://lake/checkpoints/orders/state")
    's3a://lake/checkpoints/orders'
    >>> lasting_checkpoint("file:/tmp/temporary-1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa/state") is None
    True
    >>> lasting_checkpoint("s3a://lake/storage/_checkpoints/spark_catalog/default/raw/load/3/state")
    's3a://lake/storage/_checkpoints/spark_catalog/default/raw/load'
    """
    if not state_location or not state_location.endswith(_STATE):
        return None
    place = state_location.removesuffix(_STATE)
    of_flow, _, number = place.rpartition("/")
    if _PIPELINE_CHECKPOINTS in of_flow and number.isdecimal():
        place = of_flow
    return place if without_run(place) == place else None
