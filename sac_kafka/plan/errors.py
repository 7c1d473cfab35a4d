"""Declare the facts of errors that are projected, and describe an error by its names; its message may quote data."""

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


def failure_text(error: SparkThrowable | Throwable) -> str:
    """Return the class of an error, its condition and SQLSTATE: `org.apache.spark.SparkException [TASK_FAILED] 58030`."""
    condition = error.condition if isinstance(error, SparkThrowable) else None
    state = error.sql_state if isinstance(error, SparkThrowable) else None
    return " ".join([error.error_class, *([f"[{condition}]"] if condition else []), *([state] if state else [])])
