"""Declare the events of executions and of servers that run them for users, and the projected facts of a QueryExecution."""

from __future__ import annotations

import typing
from collections.abc import Mapping

from sac_kafka.plan.catalog import CatalogEvent
from sac_kafka.plan.declaration import DECLARED, accessor, spark_class
from sac_kafka.plan.driver_notes import DriverNote
from sac_kafka.plan.errors import SparkThrowable, Throwable
from sac_kafka.plan.job_properties import EXECUTION_KEYS
from sac_kafka.plan.ml_events import ModelEvent
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.rdds import RddJobEvent
from sac_kafka.plan.streaming_events import StreamingEvent, StreamOf
from sac_kafka.plan.systems.iceberg import ProcedureCall


@spark_class("sackafka.ScanFigures")
class ScanMetrics:
    """Metrics of one scan; None for each that it did not count.

    Attributes:
        leaves: Leaves of the analyzed plan that it may belong to: one, unless several cannot be distinguished.
        write: Position of the writing command that it reads for; -1 for none.
        rows: Rows that the source returned.
        files: Files read.
        bytes: Size of the files.
    """

    leaves: tuple[LogicalPlan, ...]
    write: int
    rows: int | None
    files: int | None
    bytes: int | None


@spark_class("org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServerOperationStart")
class SparkListenerThriftServerOperationStart:
    """The Thrift server starts a statement of a user; its executions are in the job group `group_id`."""

    id: str
    session_id: str
    group_id: str
    user_name: str | None


@spark_class("org.apache.kyuubi.engine.spark.events.SparkOperationEvent")
class SparkOperationEvent:
    """Kyuubi's engine reports each state of a statement of a user; its executions are in the job group `statement_id`."""

    statement_id: str
    session_id: str
    session_user: str


@spark_class("org.apache.spark.scheduler.SparkListenerJobStart")
class SparkListenerJobStart:
    """The first job of an execution whose properties identify who runs it, if the start event did not (`spark/java/Requests`)."""

    properties: Mapping[str, str] = accessor("properties", keys=EXECUTION_KEYS)


ServerEvent = SparkListenerThriftServerOperationStart | SparkOperationEvent | SparkListenerJobStart


_UI = "org.apache.spark.sql.execution.ui"
_STREAMING = "org.apache.spark.sql.execution.streaming"

JOB_NAME, APPLICATION_NAME = "spark.atlas.hook.spark.job.name", "spark.app.name"


@spark_class(f"{_UI}.SparkListenerSQLExecutionStart")
class SparkListenerSQLExecutionStart:
    """An execution has started; a nested one has another `root_execution_id` than `execution_id`.

    Attributes:
        time: Epoch milliseconds.
        job_tags: Tags of the thread, and of Spark Connect.
        job_group: Job group of the thread; unknown for Spark 3.5.
        modified_configs: Settings of the session that differ from the application's; Spark redacts them, by their values too.
        stream: Set if the execution, or its root, is a batch of a streaming query.
    """

    execution_id: int
    root_execution_id: int | None
    time: int
    job_tags: tuple[str, ...] = accessor("jobTags", default=())
    job_group: str | None = accessor("jobGroupId|@none", default=None)
    modified_configs: Mapping[str, str] | None = accessor(
        "modifiedConfigs", keys=(JOB_NAME, APPLICATION_NAME), default=None
    )
    stream: StreamOf | None = accessor("description.@streamOf", default=None)


@spark_class("org.apache.spark.sql.execution.QueryExecution")
class QueryExecution:
    """The plan and metrics of an execution.

    Attributes:
        analyzed: The analyzed plan; None if the analysis failed.
        mode: Spark's `CommandExecutionMode`. A command runs under SKIP; under another mode it is the result of a command that has
            already run.
        sql_text: The SQL text of the statement, masked.
        call: The procedure of Iceberg that the statement calls, if it copies a table; on Spark 4 of each query of the procedure.
        rows_written: Rows counted by each writing command of the executed plan, in order; -1 if not counted, or not committed
            before the execution failed.
        files_written: The same for files.
        bytes_written: The same for bytes.
        scans: Metrics of the scans.
        session_names: Settings of the session that name its job and differ from the application's, at the end of the execution.
        session: Id of the session; None if unknown.
    """

    analyzed: LogicalPlan | None
    mode: str
    sql_text: str | None = accessor("analyzed.@sqlText")
    call: ProcedureCall | None = accessor("@call", default=None)
    rows_written: tuple[int, ...] = accessor("@rowsWritten", default=())
    files_written: tuple[int, ...] = accessor("@filesWritten", default=())
    bytes_written: tuple[int, ...] = accessor("@bytesWritten", default=())
    scans: tuple[ScanMetrics, ...] = accessor("@scans", default=())
    session_names: Mapping[str, str] | None = accessor("@sessionNames", keys=(JOB_NAME, APPLICATION_NAME), default=None)
    session: str | None = accessor("sparkSession.sessionUUID", default=None)


@spark_class(f"{_STREAMING}.IncrementalExecution", f"{_STREAMING}.runtime.IncrementalExecution")
class IncrementalExecution(QueryExecution):
    """A batch of a streaming query, identified as in `StreamOf`.

    `state_location` is the directory `state` of the query's checkpoint; `output_mode` is Spark's name of it (Append).
    """

    query_id: str
    run_id: str
    batch_id: int = accessor("currentBatchId")
    state_location: str = accessor("checkpointLocation")
    output_mode: str = accessor("outputMode.toString")


@spark_class(f"{_UI}.SparkListenerSQLExecutionEnd")
class SparkListenerSQLExecutionEnd:
    """An execution has ended.

    Attributes:
        name: Spark's name of the action (`command`, `collect`, `localCheckpoint`), which differs between versions.
        time: Epoch milliseconds.
        failure: Why it failed; None if it succeeded.
        rdd_id: The query's own RDD, if the execution made one.
        checkpoint_rdd: The RDD computed for a checkpoint; None if it is computed when first read, or has no partition.
        jobs: Ids of the first 100 jobs that ran for it.
        counted: Rows, files and bytes written by a writer without a command in the plan (Delta); () for others.
    """

    execution_id: int
    name: str | None = accessor("executionName", default=None)
    time: int
    failure: SparkThrowable | Throwable | None = accessor("executionFailure")
    query_execution: QueryExecution | None = accessor("qe")
    rdd_id: int | None = accessor("@rddId", default=None)
    checkpoint_rdd: int | None = accessor("@checkpointRdd", default=None)
    jobs: tuple[int, ...] = accessor("@jobs", default=())
    counted: tuple[int, ...] = accessor("@counted", default=())


Event = (
    SparkListenerSQLExecutionStart
    | SparkListenerSQLExecutionEnd
    | StreamingEvent
    | ServerEvent
    | RddJobEvent
    | DriverNote
    | ModelEvent
    | CatalogEvent
)
"""Every event that the listener projects."""

EVENTS = tuple(name for name, cls in DECLARED.items() if cls in typing.get_args(Event))
"""The classes of these events."""
