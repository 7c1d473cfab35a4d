"""Declare the facts of errors that are projected."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class


@spark_class("org.apache.spark.SparkThrowable")
class SparkThrowable:
    """An error of Spark: class, condition and SQLSTATE. Its message is not projected, as it may quote data."""

    error_class: str = accessor("getClass")
    condition: str | None = accessor("getCondition|getErrorClass")
    sql_state: str | None = accessor("getSqlState")


@spark_class("java.lang.Throwable")
class Throwable:
    """The class of any other error."""

    error_class: str = accessor("getClass")
