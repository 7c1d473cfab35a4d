"""Prepare a Python job: attach the hook to each of its SparkContexts, set the application name, ship its modules."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import sac_kafka_auto
from sac_kafka.launch.programs import Program
from sac_kafka.log import logger
from sac_kafka.spark.frames import call_after

RUNNER = Path(__file__).parents[1] / "tools" / "cli" / "sac_kafka_runner.py"
"""The runner for spark-submit, which uses this file's name as the application name unless another is set."""


def prepare(program: Program) -> None:
    """Attach the hook to every SparkContext that the program creates."""
    sac_kafka_auto.WATCHERS.append(partial(_watch, program))
    sac_kafka_auto.ask()


def _watch(program: Program, kind: Any) -> None:  # noqa: ANN401 the class SparkContext
    def name_application(cls: type[Any], *_args: object, **_kwargs: object) -> None:
        set_app_name(cls._jvm, program.name)

    def ship_archive(context: Any, *_args: object, **_kwargs: object) -> None:  # noqa: ANN401
        if program.archive is not None:
            _ship(context, program.archive)

    kind._ensure_initialized = classmethod(call_after(kind._ensure_initialized.__func__, name_application))
    kind._do_init = call_after(kind._do_init, ship_archive)


def set_app_name(jvm: Any, name: str) -> None:  # noqa: ANN401 Py4J's view
    """Set the application name to that of the job, if spark-submit has set it to the runner's."""
    system = jvm.java.lang.System
    if system.getProperty("spark.app.name") == RUNNER.name:
        system.setProperty("spark.app.name", name)


def _ship(context: Any, archive: str) -> None:  # noqa: ANN401 a SparkContext
    """Ship an archive of modules to executors like `addPyFile`, which does not accept wheels."""
    try:
        name = Path(archive).name
        if name not in context._python_includes:
            context.addFile(archive)
            context._python_includes.append(name)
    except Exception as e:  # noqa: BLE001 the job may not need its modules on executors
        logger.warning("%s cannot be shipped to executors; pass it to --py-files as well: %s", archive, e)
