"""Declare events of streaming queries other than the executions of their batches."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class

_LISTENER = "org.apache.spark.sql.streaming.StreamingQueryListener"
_STREAMING = "org.apache.spark.sql.streaming"


@spark_class("sackafka.StreamOf")
class StreamOf:
    """The streaming query and run that an execution is a batch of, parsed from its description.

    `query_id` is kept in the checkpoint, `run_id` is new with each start; `name` is None if the query has none.
    """

    name: str | None
    query_id: str
    run_id: str


@spark_class(f"{_LISTENER}$QueryStartedEvent")
class QueryStartedEvent:
    """A query has started; `name` is None if it has none."""

    query_id: str = accessor("id")
    run_id: str
    name: str | None
    timestamp: str


@spark_class(f"{_STREAMING}.SourceProgress", "sackafka.SourceRows")
class SourceProgress:
    """Rows that one or more batches read from one source; `description` is the source's own (`KafkaV2[Subscribe[orders]]`)."""

    description: str
    rows: int = accessor("numInputRows")


@spark_class(f"{_STREAMING}.SinkProgress")
class SinkProgress:
    """Rows that a batch wrote; `rows` is -1 if the sink does not count."""

    description: str
    rows: int = accessor("numOutputRows")


@spark_class(f"{_STREAMING}.StreamingQueryProgress")
class StreamingQueryProgress:
    """Progress of a batch, or of an epoch of a continuous query."""

    query_id: str = accessor("id")
    run_id: str
    name: str | None
    batch_id: int
    sources: tuple[SourceProgress, ...]
    sink: SinkProgress | None


@spark_class(f"{_LISTENER}$QueryProgressEvent")
class QueryProgressEvent:
    """A batch has ended; Spark also posts this from time to time when there is no new data."""

    progress: StreamingQueryProgress


@spark_class(f"{_LISTENER}$QueryTerminatedEvent")
class QueryTerminatedEvent:
    """A query has ended. Only the condition of its error is projected, None if Spark names none; never the text."""

    query_id: str = accessor("id")
    run_id: str
    has_failed: bool = accessor("exception.@isThere")
    condition: str | None = accessor("errorClassOnException")


@spark_class("sackafka.RepeatedWrites")
class RepeatedWrites:
    """What batches that repeat one have counted, by the position of the counter; empty if the positions differ.

    Attributes:
        execution: Root execution of the batch that they repeat, which was projected.
        batches: Number of batches.
        rows_written: Rows; -1 if a batch did not count them.
        files_written: The same for files.
        bytes_written: The same for bytes.
    """

    execution: int
    batches: int
    rows_written: tuple[int, ...]
    files_written: tuple[int, ...]
    bytes_written: tuple[int, ...]


@spark_class("sackafka.RepeatedBatches")
class RepeatedBatches:
    """Batches that repeat an earlier one of their run, combined; the listener projects nothing else of their `executions`.

    Attributes:
        batches: Number of batches; 0 if there are only counts.
        batch_id: The last batch; -1 if there are only counts.
        time: End of the last batch in epoch milliseconds; -1 if there are only counts.
        writes: What they wrote, by the batch that they repeat.
        sources: Spark's counts of batches by source, including earlier batches.
        sink_rows: Spark's count of rows written, likewise; -1 if the sink does not count.
    """

    executions: tuple[int, ...]
    run_id: str
    batches: int
    batch_id: int
    time: int
    writes: tuple[RepeatedWrites, ...]
    sources: tuple[SourceProgress, ...]
    sink_rows: int


StreamingEvent = QueryStartedEvent | QueryProgressEvent | QueryTerminatedEvent | RepeatedBatches
"""The events that are projected; `QueryIdleEvent`, of a query that waits for data, is not."""
