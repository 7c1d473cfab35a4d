"""Settings: what the hook may take of the driver: events, memory, time."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.choices import StatementValues
from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.values import BOOLEAN, PATH, integer, one_of, seconds

_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True, repr=False)
class DriverBounds(Subject):
    """What the hook may take of the driver: events, memory, time."""

    queue_events: int = setting(
        "atlas.hook.spark.capture.queue.events",
        kind=integer(1, 1_000_000),
        default=10_000,
        unit="events",
        doc="How many captured events may wait in the driver's JVM; any more are dropped, and counted.",
    )
    queue_bytes: int = setting(
        "atlas.hook.spark.capture.queue.bytes",
        kind=integer(_MIB, 2047 * _MIB),
        default=32 * _MIB,
        unit="bytes",
        doc="How much captured text may wait in the driver's JVM; any more is dropped, and counted.",
    )
    event_values: int = setting(
        "atlas.hook.spark.capture.event.values",
        kind=integer(1_000, 100_000_000),
        default=500_000,
        unit="values",
        doc="How many values are captured of one event. Beyond it columns are left out, never commands or their inputs.",
    )
    stuck_seconds: float = setting(
        "atlas.hook.spark.capture.stuck.seconds",
        kind=seconds(1, 3600),
        default=30.0,
        unit="seconds",
        doc="A query plan that takes longer to capture is abandoned: its stack is logged, and another thread takes over.",
    )
    stop_wait_seconds: float = setting(
        "atlas.hook.spark.capture.stop.wait.seconds",
        kind=seconds(0, 600),
        default=2.0,
        unit="seconds",
        doc="The longest that `SparkContext.stop` waits for events that are not captured yet.",
    )
    follows_rdds: bool = setting(
        "atlas.hook.spark.rdd",
        kind=BOOLEAN,
        default=True,
        doc="false: jobs that write RDDs are not reported, and a DataFrame that was made of an RDD has no inputs. "
        "What is seen of RDDs is in docs/rdd.md.",
    )
    statement_values: StatementValues = setting(
        "atlas.hook.spark.statement.values",
        kind=one_of(StatementValues),
        default=StatementValues.STRONG,
        doc="Which values in the text or the conditions of a statement show that the driver's Python had read them from a "
        "dataset, which then has decided the rows. strong: only values that are hardly there by chance (timestamps with a "
        "time, long numbers, long strings); all: also short ones; off: none. See docs/driver-python.md.",
    )
    record_path: str | None = setting(
        "atlas.hook.spark.record.path",
        kind=PATH,
        default=None,
        doc="Every captured batch is also appended to this file, to be replayed in a test or sent with a bug report. "
        "It holds no literals: while it is written, SQL text is masked.",
    )
    attach_timeout_seconds: float = setting(
        "atlas.hook.spark.attach.timeout.seconds",
        kind=seconds(1, 600),
        default=30.0,
        unit="seconds",
        doc="If attaching takes longer, it is given up, and the job runs on without lineage.",
    )
    exit_timeout_seconds: float = setting(
        "atlas.hook.spark.exit.timeout.seconds",
        kind=seconds(0, 600),
        default=5.0,
        unit="seconds",
        doc="The longest wait for delivery when the interpreter exits; the rest is spooled.",
    )
