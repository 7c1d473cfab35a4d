"""Errors of Spark's: what of them travels."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class


@spark_class("org.apache.spark.SparkThrowable")
class SparkThrowable:
    """Of an error only its class, its condition and its SQLSTATE travel: its message may quote data."""

    error_class: str = accessor("getClass")
    condition: str | None = accessor("getCondition|getErrorClass")
    sql_state: str | None = accessor("getSqlState")


@spark_class("java.lang.Throwable")
class Throwable:
    """An error that is not Spark's own: its class."""

    error_class: str = accessor("getClass")
