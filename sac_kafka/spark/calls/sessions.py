"""Register the sessions that this Python process creates: other processes may share the driver's JVM."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from sac_kafka.spark.calls.instrumentor import Instrumentor, ObservedCall
from sac_kafka.spark.listener import Listener

_MAX_STATEMENTS = 10
"""Statements of a session before which the properties of the thread are read, as long as the platform has set none."""


def watch(instrumentor: Instrumentor, listener: Listener) -> None:
    """Register the session that PySpark has, and each that it creates from now on."""
    left: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def instrument() -> None:
        from pyspark.sql.session import SparkSession

        known = getattr(SparkSession, "_instantiatedSession", None)
        if known is not None:
            own(listener, known)
        instrumentor.wrap(SparkSession, "__init__", lambda call: own(listener, call.receiver))
        instrumentor.wrap(SparkSession, "sql", before=on_statement)

    def on_statement(call: ObservedCall) -> None:
        count = left.get(call.receiver, _MAX_STATEMENTS)
        if count:
            left[call.receiver] = 0 if own(listener, call.receiver) else count - 1

    instrumentor.on_import("pyspark.sql.session", instrument)


def own(listener: Listener, session: Any) -> bool:  # noqa: ANN401 a SparkSession of PySpark
    """Register a session as this process's; return whether properties of this thread identify a notebook or task."""
    of_java = getattr(session, "_jsparkSession", None)
    return of_java is not None and listener.own(of_java)
