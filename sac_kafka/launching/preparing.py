"""What is done before a Python job starts, and with each context that it makes: lineage, its name, its modules."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import sac_kafka_auto
from sac_kafka.frames import followed
from sac_kafka.launching.programs import Program
from sac_kafka.log import logger

RUNNER = Path(__file__).parents[1] / "cli" / "sac_kafka_runner.py"
"""The file for spark-submit, which calls the application as this file where nobody gives it a name."""


def prepare(program: Program) -> None:
    """Have the hook attached to every SparkContext that the program makes."""
    sac_kafka_auto.WATCHERS.append(partial(_watch, program))
    sac_kafka_auto.ask()


def _watch(program: Program, kind: Any) -> None:  # noqa: ANN401 the class SparkContext
    def initialized(cls: type[Any], *_args: object, **_kwargs: object) -> None:
        give_name(cls._jvm, program.name)

    def made(context: Any, *_args: object, **_kwargs: object) -> None:  # noqa: ANN401
        if program.archive is not None:
            _ship(context, program.archive)

    kind._ensure_initialized = classmethod(followed(kind._ensure_initialized.__func__, initialized))
    kind._do_init = followed(kind._do_init, made)


def give_name(jvm: Any, name: str) -> None:  # noqa: ANN401 Py4J's view
    """Call the application as its job, where spark-submit has called it as the runner."""
    system = jvm.java.lang.System
    if system.getProperty("spark.app.name") == RUNNER.name:
        system.setProperty("spark.app.name", name)


def _ship(context: Any, archive: str) -> None:  # noqa: ANN401 a SparkContext
    """Give executors the modules of an archive, as `addPyFile` does; that takes no wheels."""
    try:
        name = Path(archive).name
        if name not in context._python_includes:
            context.addFile(archive)
            context._python_includes.append(name)
    except Exception as e:  # noqa: BLE001 the job may need none of them
        logger.warning("%s cannot be shipped to executors, give it to --py-files, too: %s", archive, e)
