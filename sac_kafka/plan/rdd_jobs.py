"""Declare events of RDD jobs that write and are not part of a query."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.errors import SparkThrowable, Throwable
from sac_kafka.plan.rdds import HadoopOutput, RddRows


@spark_class("sackafka.RddJobStart")
class RddJobStart:
    """A job that writes an RDD has started; `time` is in epoch milliseconds.

    Attributes:
        is_of_model: Whether it writes a part of a Spark ML model.
        others: Number of jobs before it without a known output.
        missed: Number of jobs before it that ended before they could be inspected.
    """

    job_id: int
    time: int
    rows: RddRows | None
    written: HadoopOutput | None
    is_of_model: bool
    others: int
    missed: int


@spark_class("org.apache.spark.scheduler.SparkListenerJobEnd")
class SparkListenerJobEnd:
    """One of these jobs has ended; `failure` is set if it failed. `time` is in epoch milliseconds."""

    job_id: int
    time: int
    failure: SparkThrowable | Throwable | None = accessor("jobResult.exception|@none")


RddJobEvent = RddJobStart | SparkListenerJobEnd
