"""Attach the hook to the SparkContexts of a driver whose job is not Python.

The driver itself starts `main` in a Python process (`spark/java/driver/PythonProcess.java`) with Py4J's port and secret in its
environment, which ends with the driver: standard input is a pipe that closes when the driver's JVM ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sac_kafka.guard import describe
from sac_kafka.hook import exits
from sac_kafka.hook.hook import HERE
from sac_kafka.launch.submitting import find_pyspark
from sac_kafka.log import logger
from sac_kafka.spark.launch import JvmContexts, connect

_POLL_MS = 200
_OPTIONAL = ("numpy", "pandas", "pyarrow")
UNFIT = 3
"""Exit status after a line that names the fix (`PythonProcess.java`)."""
_NO_PYSPARK = "neither it nor SPARK_HOME has pyspark; on YARN Spark ships its own with --conf spark.yarn.isPython=true"
_EXTRA_SECONDS = 4.0  # beyond the exit timeout, for spooling messages if the worker hangs


def serve(contexts: JvmContexts) -> None:
    """Attach the hook to each context; at the end of the JVM deliver pending messages while it waits."""
    try:
        while not contexts.is_leaving:
            visit = contexts.next(_POLL_MS)
            if visit is not None:
                _attach(contexts, visit)
        HERE.drain()
        contexts.left()
    except Exception as error:  # noqa: BLE001 the JVM has ended
        logger.debug("the driver's JVM has ended: %s", type(error).__name__)


def main() -> None:
    """Serve the driver that started this process."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # The driver decides: spark-shell and spark-sql continue after Ctrl-C.
    exits.watch(HERE.drain, runs_job=False)
    threading.Thread(target=_end_with_driver, name="sac-kafka-driver", daemon=True).start()
    if not find_pyspark():
        sys.stdout.write(f"{_NO_PYSPARK}\n")
        sys.exit(UNFIT)
    with light_pyspark():
        contexts = connect()
        contexts.gateway.jvm.java.lang.Integer.valueOf(0)  # Py4J's converters import some modules at the first argument
    serve(contexts)


@contextmanager
def light_pyspark() -> Iterator[None]:
    """Import PySpark without the packages that only a job's own code needs: they take 80 MB of memory."""
    absent = [name for name in _OPTIONAL if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type] # None: importing it raises ImportError
    try:
        yield
    finally:
        for name in absent:
            sys.modules.pop(name, None)


def _attach(contexts: JvmContexts, visit: Any) -> None:  # noqa: ANN401 a Py4J object
    try:
        with light_pyspark():
            context = contexts.context_of(visit)
        HERE.attach(context, {"attach_timeout_seconds": contexts.attach_seconds})
        contexts.hold(HERE.exit_seconds + _EXTRA_SECONDS, HERE.listener)
    except Exception as error:  # noqa: BLE001 the job must continue
        logger.warning("not attached, the job runs on without lineage: %s", describe(error))
    finally:
        visit.done()


def _end_with_driver() -> None:
    """Wait for the end of the driver, then deliver or spool what is pending, and end this process."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    HERE.drain()
    os._exit(0)  # The main thread may be in a call to a JVM that no longer exists.
