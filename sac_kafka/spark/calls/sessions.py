"""Register the sessions that this Python process creates: other processes may share the driver's JVM."""

from __future__ import annotations

from typing import Any

from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import Listener


def watch(instrumentor: Instrumentor, listener: Listener) -> None:
    """Register the session that PySpark has, and each that it creates from now on."""

    def instrument() -> None:
        from pyspark.sql.session import SparkSession

        known = getattr(SparkSession, "_instantiatedSession", None)
        if known is not None:
            own(listener, known)
        instrumentor.wrap(SparkSession, "__init__", created)

    def created(
        session: Any,  # noqa: ANN401 as `After`
        _arguments: tuple[Any, ...],
        _named: dict[str, Any],
        _given: object,
        _held: object,
    ) -> None:
        own(listener, session)

    instrumentor.when_imported("pyspark.sql.session", instrument)


def own(listener: Listener, session: Any) -> None:  # noqa: ANN401 a SparkSession of PySpark
    """Register a session as this process's."""
    of_java = getattr(session, "_jsparkSession", None)
    if of_java is not None:
        listener.own(of_java)
