"""Executions: the listener's events, and what of a QueryExecution travels."""

from __future__ import annotations

import typing
from collections.abc import Mapping

from sac_kafka.plan.catalog_events import CatalogEvent
from sac_kafka.plan.declaration import DECLARED, accessor, spark_class
from sac_kafka.plan.driver_notes import DriverNote
from sac_kafka.plan.errors import SparkThrowable, Throwable
from sac_kafka.plan.ml_events import ModelEvent
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.rdd_jobs import RddJobEvent
from sac_kafka.plan.scans import ScanFigures
from sac_kafka.plan.servers import ServerEvent
from sac_kafka.plan.streaming_events import StreamingEvent, StreamOf

_UI = "org.apache.spark.sql.execution.ui"
_STREAMING = "org.apache.spark.sql.execution.streaming"

JOB_NAME, APPLICATION_NAME = "spark.atlas.hook.spark.job.name", "spark.app.name"


@spark_class(f"{_UI}.SparkListenerSQLExecutionStart")
class SparkListenerSQLExecutionStart:
    """An execution has begun; `root_execution_id` differs from `execution_id` where it runs within another one.

    `time` is epoch milliseconds; `job_tags` are those of the thread, and of Spark Connect; `job_group` is the thread's (of
    Spark 3.5 unknown). `modified_configs` are settings that the session has otherwise than the application; Spark redacts them by
    their values too. `stream` is there where the execution, or the one that it runs within, is a batch of a streaming query.
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
    """The analyzed plan, None where the analysis failed.

    `mode` is Spark's `CommandExecutionMode`: a command itself runs under SKIP; a command as the plan of another mode
    is the result of one that has run already, read again. `rows_written` are the rows that each writing command of the
    executed plan counted, in order, `files_written` the files, `bytes_written` the bytes of these; -1 for what it did not
    count, and where the execution failed also for what was not committed by then. `scans` are what was read. `session_names`
    are the settings of the session that name its job, where they are not the application's: as they are by now. `session`
    is the id of the session, None where it is not known.
    """

    analyzed: LogicalPlan | None
    mode: str
    sql_text: str | None = accessor("analyzed.@sqlText")
    rows_written: tuple[int, ...] = accessor("@rowsWritten", default=())
    files_written: tuple[int, ...] = accessor("@filesWritten", default=())
    bytes_written: tuple[int, ...] = accessor("@bytesWritten", default=())
    scans: tuple[ScanFigures, ...] = accessor("@scans", default=())
    session_names: Mapping[str, str] | None = accessor("@sessionNames", keys=(JOB_NAME, APPLICATION_NAME), default=None)
    session: str | None = accessor("sparkSession.sessionUUID", default=None)


@spark_class(f"{_STREAMING}.IncrementalExecution", f"{_STREAMING}.runtime.IncrementalExecution")
class IncrementalExecution(QueryExecution):
    """A batch of a streaming query, as `StreamOf` names it.

    `state_location` is the folder `state` of the query's checkpoint; `output_mode` is Spark's name of it (Append).
    """

    query_id: str
    run_id: str
    batch_id: int = accessor("currentBatchId")
    state_location: str = accessor("checkpointLocation")
    output_mode: str = accessor("outputMode.toString")


@spark_class(f"{_UI}.SparkListenerSQLExecutionEnd")
class SparkListenerSQLExecutionEnd:
    """An execution has ended; `failure` says that it failed. `time` is epoch milliseconds.

    `name` is Spark's for the action (`command`, `collect`, `localCheckpoint`); it differs between versions. `rdd_id` is the
    query's own RDD where the execution has made an RDD of it, `checkpoint_rdd` the one that it has computed to make a checkpoint:
    None where that waits until it is first read, or has no partition. `jobs` are the ids of the first 100 jobs that ran for it.
    `counted` are rows, files and bytes that a writer without a command in the plan has written (Delta's), () of others.
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
"""Everything that the listener projects."""

EVENTS = tuple(name for name, cls in DECLARED.items() if cls in typing.get_args(Event))
"""The classes of these events."""
