"""Runs a main in Scala or Java in the driver that the hook is attached to, as spark-submit would run it.

The main runs in the JVM, in the thread that is called so; a thread of ours attaches to each SparkContext that it makes, before
that has its first event, and delivers what is left when the JVM ends by `System.exit`.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sac_kafka.guard import describe
from sac_kafka.hook import exits
from sac_kafka.hook.hook import HERE
from sac_kafka.launching.preparing import give_name
from sac_kafka.launching.programs import WrongUseError
from sac_kafka.log import logger
from sac_kafka.spark.launch import JvmLaunch

_POLL_MS = 200
_MORE_SECONDS = 4.0  # than the exit timeout: what keeping what hangs may take
_GONE_SECONDS = 30.0
_INTERRUPTED = 130
_SIGNAL = 128


def run(name: str, jar: str, arguments: Sequence[str], *, is_on: bool) -> int:
    """Run the main of a class, and give its exit status.

    Args:
        name: The class.
        jar: The jar that has it, where the class path has it not.
        arguments: Its own.
        is_on: Whether the hook is to be attached.

    Raises:
        WrongUseError: There is no such jar.
    """
    launch = JvmLaunch()
    if not launch.has_class(name):
        if not Path(jar).is_file():
            raise WrongUseError(f"{jar}: no such file; on a cluster ship it by --jars, and give its name alone")
        launch.add_jar(jar)
    give_name(launch.jvm, name)
    launch.prepare(has_gate=is_on)
    if is_on:
        atexit.register(launch.left)  # before the hook's own, and so called after it
        exits.watch(HERE.drain)  # here, because only the main thread sees signals
        threading.Thread(target=_serve, args=(launch,), name="sac-kafka-launch", daemon=True).start()
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
    if status is None:  # it is the outer process, whose status counts
        return 1
    return status if status >= 0 else _SIGNAL - status


def _serve(launch: JvmLaunch) -> None:
    """Attach to each context; at the JVM's end see that everything is delivered while it waits."""
    try:
        while not launch.is_leaving:
            visit = launch.next(_POLL_MS)
            if visit is not None:
                _attach(launch, visit)
        HERE.drain()
        launch.left()
    except Exception as error:  # noqa: BLE001 the JVM is gone
        logger.debug("the driver's JVM is gone: %s", type(error).__name__)


def _attach(launch: JvmLaunch, visit: Any) -> None:  # noqa: ANN401 a Py4J object
    try:
        HERE.attach(launch.context_of(visit), {})
        launch.hold(HERE.exit_seconds + _MORE_SECONDS)
    except Exception as error:  # noqa: BLE001 the job goes on
        logger.warning("not attached, the job runs on without lineage: %s", describe(error))
    finally:
        visit.done()
