"""What Spark posts of streaming queries, beside the executions that their batches are."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class

_LISTENER = "org.apache.spark.sql.streaming.StreamingQueryListener"
_STREAMING = "org.apache.spark.sql.streaming"


@spark_class("sackafka.StreamOf")
class StreamOf:
    """The streaming query that an execution says to be a batch of, in the text that Spark describes it by.

    `query_id` is kept in the checkpoint, `run_id` is new with each start; `name` is None where the query has none.
    """

    name: str | None
    query_id: str
    run_id: str


@spark_class(f"{_LISTENER}$QueryStartedEvent")
class QueryStartedEvent:
    """A query has been started; `name` is None where it has none."""

    query_id: str = accessor("id")
    run_id: str
    name: str | None
    timestamp: str


@spark_class(f"{_STREAMING}.SourceProgress", "sackafka.SourceRows")
class SourceProgress:
    """What a batch, or several, read of one source; `description` is the source's own text (`KafkaV2[Subscribe[orders]]`)."""

    description: str
    rows: int = accessor("numInputRows")


@spark_class(f"{_STREAMING}.SinkProgress")
class SinkProgress:
    """What a batch wrote; `rows` is -1 where the sink does not count."""

    description: str
    rows: int = accessor("numOutputRows")


@spark_class(f"{_STREAMING}.StreamingQueryProgress")
class StreamingQueryProgress:
    """What a batch did, or an epoch of a continuous query."""

    query_id: str = accessor("id")
    run_id: str
    name: str | None
    batch_id: int
    sources: tuple[SourceProgress, ...]
    sink: SinkProgress | None


@spark_class(f"{_LISTENER}$QueryProgressEvent")
class QueryProgressEvent:
    """A batch is done; where there is no new data Spark posts one now and then, too."""

    progress: StreamingQueryProgress


@spark_class(f"{_LISTENER}$QueryTerminatedEvent")
class QueryTerminatedEvent:
    """A query has ended. Of its error only the condition travels, None where Spark names none; the text is no part of it."""

    query_id: str = accessor("id")
    run_id: str
    has_failed: bool = accessor("exception.@isThere")
    condition: str | None = accessor("errorClassOnException")


@spark_class("sackafka.RepeatedBatches")
class RepeatedBatches:
    """Batches that say what an earlier one of their run said, together: all that the listener tells of their `executions`.

    `batch_id` and `time` (its end in epoch milliseconds) are those of the last one, -1 where there are figures of batches only.
    `rows_written` is what the executions within them counted, and -1 where one did not. `sources` and `sink_rows` are Spark's own
    figures of batches, those of before among them.
    """

    executions: tuple[int, ...]
    run_id: str
    batches: int
    batch_id: int
    time: int
    rows_written: tuple[int, ...]
    sources: tuple[SourceProgress, ...]
    sink_rows: int


StreamingEvent = QueryStartedEvent | QueryProgressEvent | QueryTerminatedEvent | RepeatedBatches
"""What is listened to: a query that waits for data has nothing to say (`QueryIdleEvent`)."""
