"""Drivers whose job is not Python: run a main in the driver's JVM, and attach to each SparkContext that it creates.

The Java side is `java/launching/Launch` where Python starts the main, and `java/driver/PythonProcess` where the driver starts
Python. `run` is called by one thread, all else by another.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sac_kafka.spark.java_classes import GATE, LAUNCH, class_by_name, load
from sac_kafka.spark.listener import Listener

_LISTENERS = "spark.extraListeners"
_JARS = "spark.jars"


class JvmContext:
    """A SparkContext that a main has made, as `attach` takes one of PySpark's."""

    def __init__(self, gateway: Any, scala_context: Any) -> None:  # noqa: ANN401 Py4J objects
        from pyspark import SparkConf

        self._gateway, self._jvm = gateway, gateway.jvm
        self._jsc = gateway.jvm.org.apache.spark.api.java.JavaSparkContext(scala_context)
        self._conf = SparkConf(_jconf=scala_context.conf())


class JvmContexts:
    """The SparkContexts of a JVM, each of which waits until the hook is attached.

    `attach_seconds` replaces the timeout of attaching; None leaves that of the settings.
    """

    def __init__(self, gateway: Any, java: Any, attach_seconds: int | None = None) -> None:  # noqa: ANN401 Py4J objects
        self.gateway = gateway
        self.attach_seconds = attach_seconds
        self._java = java

    def next(self, wait_ms: int) -> Any:  # noqa: ANN401 a Visit
        """Return a context that waits, or None after the timeout; raises Py4J's errors if the JVM has ended."""
        return self._java.next(wait_ms)

    def context_of(self, visit: Any) -> JvmContext:  # noqa: ANN401 a Visit
        """Return the context of a visit."""
        return JvmContext(self.gateway, visit.context())

    @property
    def is_leaving(self) -> bool:
        """Whether the JVM is about to end."""
        return bool(self._java.isLeaving())

    def hold(self, seconds: float, listener: Listener | None) -> None:
        """Let the JVM wait at its end for `left`, at most so many seconds; then it logs what the listener still has."""
        self._java.hold(int(seconds * 1000), None if listener is None else listener.java)

    def left(self) -> None:
        """Let it end."""
        with suppress(Exception):  # it has ended
            self._java.left()


def connect() -> JvmContexts:
    """Return the contexts of the JVM that started this Python and passes its gateway by environment variables."""
    gateway = _gateway()
    return JvmContexts(gateway, gateway.entry_point, gateway.entry_point.attachSeconds() or None)


def _gateway() -> Any:  # noqa: ANN401 Py4J's gateway
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized(conf=SparkConf())
    return SparkContext._gateway


class JvmLaunch(JvmContexts):
    """A JVM that was started, or that has started this Python, with our gate before every context that it makes."""

    def __init__(self) -> None:
        super().__init__(_gateway(), None)
        self._process = getattr(self.gateway, "proc", None)
        self._system = self.gateway.jvm.java.lang.System
        self._loader = self.gateway.jvm.java.lang.Thread.currentThread().getContextClassLoader()

    @property
    def jvm(self) -> Any:  # noqa: ANN401 Py4J's view
        """Py4J's view of it."""
        return self.gateway.jvm

    @property
    def spark_version(self) -> str:
        """The version of Spark on its class path."""
        return str(class_by_name(self.gateway, "org.apache.spark.package").SPARK_VERSION())

    def has_class(self, name: str) -> bool:
        """Return whether the application's class path has a class."""
        try:
            self._loader.loadClass(name)
        except Exception:  # noqa: BLE001 ClassNotFoundException, or a class that lacks another
            return False
        return True

    def add_jar(self, path: str) -> None:
        """Put a jar on the class path of driver and executors, as spark-submit does with the application's."""
        absolute = Path(path).resolve()
        self._loader.addURL(self.gateway.jvm.java.io.File(str(absolute)).toURI().toURL())
        self._put_first(_JARS, absolute.as_uri())

    def prepare(self, *, has_gate: bool) -> None:
        """Load the Java side; with `has_gate`, each new context waits at the gate from then on."""
        spark_loader = self.gateway.jvm.org.apache.spark.SparkConf().getClass().getClassLoader()
        java_class = load(self.gateway, spark_loader, self._loader, LAUNCH).java_class
        nothing = self.gateway.new_array(self.gateway.jvm.java.lang.Object, 0)
        self._java = java_class.getConstructors()[0].newInstance(nothing)
        if has_gate:
            self._put_first(_LISTENERS, GATE)

    def _put_first(self, key: str, value: str) -> None:
        before = self._system.getProperty(key)
        self._system.setProperty(key, f"{value},{before}" if before else value)

    def run(self, name: str, arguments: Sequence[str]) -> int:
        """Run a main and return its exit status; raises Py4J's errors if the JVM ends meanwhile."""
        strings = self.gateway.new_array(self.gateway.jvm.java.lang.String, len(arguments))
        for i, argument in enumerate(arguments):
            strings[i] = argument
        return int(self._java.run(name, strings))

    def status(self, timeout_seconds: float) -> int | None:
        """Return the exit status of the JVM if this process started it; None if the JVM started this process."""
        return None if self._process is None else int(self._process.wait(timeout_seconds))
