"""Settings: limits on the events, memory and time that the hook may use in the driver."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.choices import StatementValues
from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import PATH, TEXT, integer, seconds

_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True, repr=False)
class DriverBounds(Subject):
    """Limits on the events, memory and time that the hook may use in the driver."""

    queue_events: int = setting(
        "atlas.hook.spark.capture.queue.events",
        kind=integer(1, 1_000_000, "events"),
        default=10_000,
        doc="Maximum captured events queued in the driver's JVM; more are dropped and counted.",
    )
    queue_bytes: int = setting(
        "atlas.hook.spark.capture.queue.bytes",
        kind=integer(_MIB, 2047 * _MIB, "bytes"),
        default=32 * _MIB,
        doc="The same, by size of the captured text.",
    )
    event_values: int = setting(
        "atlas.hook.spark.capture.event.values",
        kind=integer(1_000, 100_000_000, "values"),
        default=500_000,
        doc="Maximum number of values captured per event. Beyond it, columns are omitted; commands and their inputs never are.",
    )
    stuck_seconds: float = setting(
        "atlas.hook.spark.capture.stuck.seconds",
        kind=seconds(1, 3600),
        default=30.0,
        doc="Capturing a query plan is abandoned after this time: the stack trace is logged and another thread takes over.",
    )
    stop_wait_seconds: float = setting(
        "atlas.hook.spark.capture.stop.wait.seconds",
        kind=seconds(0, 600),
        default=2.0,
        doc="Maximum time that `SparkContext.stop` waits for events that are not captured yet.",
    )
    follows_rdds: bool = setting(
        "atlas.hook.spark.rdd",
        default=True,
        doc="false: jobs that write RDDs are not reported, and a DataFrame created from an RDD has no inputs. "
        "See [RDDs](rdd.md).",
    )
    statement_values: StatementValues = setting(
        "atlas.hook.spark.statement.values",
        default=StatementValues.STRONG,
        doc="Which values that the driver's Python read from a dataset, and that reappear in a statement, show that "
        "the dataset influenced the rows. strong: those that rarely match by chance; all; off: none. See [driver "
        "Python](driver-python.md).",
    )
    record_path: str | None = setting(
        "atlas.hook.spark.record.path",
        kind=PATH,
        doc="Appends every captured batch to this file, for replay or a bug report. SQL text is masked.",
    )
    attach_timeout_seconds: float = setting(
        "atlas.hook.spark.attach.timeout.seconds",
        kind=seconds(1, 600),
        default=30.0,
        doc="Attaching is abandoned after this time; the job continues without lineage.",
    )
    python: str | None = setting(
        "atlas.hook.spark.python",
        kind=TEXT,
        doc="The Python that a driver without Python starts, which has sac_kafka installed. Read from Spark's configuration only "
        "(`spark.atlas.hook.spark.python`). Default: `spark.pyspark.driver.python`, `spark.pyspark.python`, `PYSPARK_PYTHON`, "
        "`python3`. See [drivers](drivers.md#without-python).",
    )
    exit_timeout_seconds: float = setting(
        "atlas.hook.spark.exit.timeout.seconds",
        kind=seconds(0, 600),
        default=5.0,
        doc="Maximum time to wait for delivery when the interpreter exits. Messages not delivered by then are spooled.",
    )
