"""The hook's figures as a source of Spark's own metrics, seen from Python: Java has the gauges, Python sets them.

Nothing calls Python: Spark's sinks read what was set last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sac_kafka.log import logger
from sac_kafka.spark.java_classes import METRICS, class_by_name, load
from sac_kafka.spark.java_errors import brief


class SparkGauges:
    """A registered source of gauges; what the JVM answers with an error, because it ends, is left."""

    def __init__(self, java_source: Any) -> None:  # noqa: ANN401 a Py4J object
        self._java = java_source

    def update(self, numbers: Iterable[float]) -> None:
        """Set the gauges, in the order of their names."""
        self._call("show", "\n".join(map(repr, numbers)))

    def close(self) -> None:
        """Remove the source from Spark's metrics system."""
        self._call("close")

    def _call(self, method: str, *arguments: str) -> None:
        try:
            getattr(self._java, method)(*arguments)
        except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
            logger.debug("Spark's metrics: %s: %s", method, brief(error))


def start(context: Any, names: Iterable[str]) -> SparkGauges | None:  # noqa: ANN401 a SparkContext
    """Register a source with a gauge for each name; None, with one log line, if this driver does not allow it."""
    gateway, scala_context = context._gateway, context._jsc.sc()
    try:
        loader = scala_context.getClass().getClassLoader()
        java_class = load(gateway, loader, loader, METRICS).java_class
        arguments = gateway.new_array(class_by_name(gateway, "java.lang.Object"), 2)
        arguments[0], arguments[1] = scala_context, "\n".join(names)
        source = java_class.getConstructors()[0].newInstance(arguments)
        source.start()
    except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
        logger.warning(
            "the hook's metrics are not registered in Spark's metrics system, because this driver does not allow it: %s; "
            "remove atlas.hook.spark.metrics.spark",
            brief(error),
        )
        return None
    return SparkGauges(source)
