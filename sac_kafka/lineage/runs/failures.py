"""Describe an error by its names, never by its message, which may quote data."""

from __future__ import annotations

from sac_kafka.plan.errors import SparkThrowable, Throwable


def failure_text(error: SparkThrowable | Throwable) -> str:
    """Return the class of an error, its condition and SQLSTATE: `org.apache.spark.SparkException [TASK_FAILED] 58030`."""
    condition = error.condition if isinstance(error, SparkThrowable) else None
    state = error.sql_state if isinstance(error, SparkThrowable) else None
    return " ".join([error.error_class, *([f"[{condition}]"] if condition else []), *([state] if state else [])])
