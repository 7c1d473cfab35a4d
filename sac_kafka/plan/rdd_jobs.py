"""Jobs of RDDs that write, which are part of no query."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.errors import SparkThrowable, Throwable
from sac_kafka.plan.rdds import HadoopOutput, RddRows


@spark_class("sackafka.RddJobStart")
class RddJobStart:
    """A job that writes an RDD has begun; `time` is epoch milliseconds.

    `is_of_model` where it writes a part of a model of Spark's ML. `others` is how many jobs before it wrote nothing that is
    known, `missed` how many were over before anybody looked.
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
    """One of these jobs has ended; `failure` says that it failed. `time` is epoch milliseconds."""

    job_id: int
    time: int
    failure: SparkThrowable | Throwable | None = accessor("jobResult.exception|@none")


RddJobEvent = RddJobStart | SparkListenerJobEnd
