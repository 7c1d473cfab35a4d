"""Declare the origin of the rows of RDDs, as far as the driver knows it, and events of RDD jobs that write."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.errors import SparkThrowable, Throwable
from sac_kafka.plan.job_properties import IDENTITY_KEYS
from sac_kafka.plan.systems.jdbc import JDBCRelation

ROWS_OF_RDD = "@rddRows"
"""Accessor of the listener for these rows; without it RDDs are not projected."""


_OF_DRIVER = (".ParallelCollectionRDD", ".EmptyRDD")


@spark_class("sackafka.HadoopInput")
class HadoopInput:
    """An input of an RDD by a Hadoop input format; `format` is its class.

    Attributes:
        paths: The paths as the user wrote them, including globs.
        table: The table of HBase's format.
        found: The paths that the globs matched; empty without a glob, or if the RDD had not been partitioned for a job yet.
    """

    format: str
    paths: tuple[str, ...]
    table: str | None
    found: tuple[str, ...] = accessor("found", default=())


@spark_class("sackafka.HadoopOutput")
class HadoopOutput:
    """The output of a job by a Hadoop output format; `format` is its class, "" if unknown."""

    format: str
    path: str | None
    table: str | None


@spark_class("sackafka.ScannedFiles")
class ScannedFiles:
    """Files that a query reads: directories, or the only file of a directory.

    `format` is Spark's (`parquet`); `table` is the database and name of a table of the session catalog.
    """

    format: str
    table: str | None
    paths: tuple[str, ...]


@spark_class("sackafka.RddRows")
class RddRows:
    """The origin of the rows of the RDD `rdd_id`.

    Attributes:
        reads: The RDDs at the ends of its dependencies; of undeclared ones only the class.
        query_ids: RDDs made from queries (`DataFrame.rdd`), and RDDs cut off by a checkpoint; their inputs are not in `reads`.
        queries: The origins of these, as far as their RDDs still have dependencies.
        is_cut: Whether there were too many RDDs to inspect all.
    """

    rdd_id: int
    reads: tuple[HadoopInput | ScannedFiles | JDBCRelation | object, ...]
    query_ids: tuple[int, ...]
    queries: tuple[RddRows, ...]
    is_cut: bool

    @property
    def is_of_driver(self) -> bool:
        """Whether all of them were made from rows of the driver."""
        return not (self.query_ids or self.is_cut) and all(
            getattr(read, "class_name", "").endswith(_OF_DRIVER) for read in self.reads
        )


@spark_class("sackafka.RddJobStart")
class RddJobStart:
    """A job that writes an RDD has started; `time` is in epoch milliseconds.

    Attributes:
        is_of_model: Whether it writes a part of a Spark ML model.
        others: Number of jobs before it without a known output.
        missed: Number of jobs before it that ended before they could be inspected.
        properties: Properties of the job that identify who runs it.
    """

    job_id: int
    time: int
    rows: RddRows | None
    written: HadoopOutput | None
    is_of_model: bool
    others: int
    missed: int
    properties: Mapping[str, str] | None = accessor("properties", keys=IDENTITY_KEYS, default=None)


@spark_class("org.apache.spark.scheduler.SparkListenerJobEnd")
class SparkListenerJobEnd:
    """One of these jobs has ended; `failure` is set if it failed. `time` is in epoch milliseconds."""

    job_id: int
    time: int
    failure: SparkThrowable | Throwable | None = accessor("jobResult.exception|@none")


RddJobEvent = RddJobStart | SparkListenerJobEnd
