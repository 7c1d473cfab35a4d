"""Run a Scala or Java main class in a driver with the hook, as spark-submit would run it.

The class runs in the JVM's thread `main`. A Python thread attaches the hook to each SparkContext before its first event,
and delivers pending messages when the JVM ends by `System.exit`.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Sequence
from pathlib import Path

from sac_kafka.hook import exits
from sac_kafka.hook.hook import HERE
from sac_kafka.launch.preparing import set_app_name
from sac_kafka.launch.programs import WrongUseError
from sac_kafka.launch.serving import serve
from sac_kafka.log import logger
from sac_kafka.spark.launch import JvmLaunch
from sac_kafka.spark.versions import too_old

_GONE_SECONDS = 30.0
_INTERRUPTED = 130
_SIGNAL = 128


def run(name: str, jar: str, arguments: Sequence[str], *, is_on: bool) -> int:
    """Run the main method of a class and return the exit status.

    `jar` is not used if the class is on the class path; `is_on` attaches the hook.

    Raises:
        WrongUseError: The JAR does not exist.
    """
    launch = JvmLaunch()
    if not launch.has_class(name):
        if not Path(jar).is_file():
            raise WrongUseError(f"{jar}: no such file; on a cluster ship it with --jars and pass only its name")
        launch.add_jar(jar)
    set_app_name(launch.jvm, name)
    if is_on and (old := too_old(launch.spark_version)):
        logger.warning("not attached, the job runs on without lineage: %s", old)
        is_on = False
    launch.prepare(has_gate=is_on)
    if is_on:
        atexit.register(launch.left)  # registered before the hook's handler, so that it runs after it
        exits.watch(HERE.drain)  # here, because only the main thread can handle signals
        threading.Thread(target=serve, args=(launch,), name="sac-kafka-launch", daemon=True).start()
    try:
        return launch.run(name, arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        if hasattr(error, "java_exception"):
            raise
        return _status_of(launch)  # the JVM has ended


def _status_of(launch: JvmLaunch) -> int:
    status = launch.status(_GONE_SECONDS)
    if status is None:  # unknown: the status of the outer process is used
        return 1
    return status if status >= 0 else _SIGNAL - status
