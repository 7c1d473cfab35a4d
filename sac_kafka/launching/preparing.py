"""What is done before a Python job starts, and with each context that it makes: lineage, its name, its modules."""

from __future__ import annotations

from functools import partial, wraps
from pathlib import Path
from typing import Any

import sac_kafka_auto
from sac_kafka.launching.programs import Program
from sac_kafka.log import logger

RUNNER = Path(__file__).parents[1] / "cli" / "sac_kafka_runner.py"
"""The file for spark-submit, which calls the application as this file where nobody gives it a name."""


def prepare(program: Program) -> None:
    """Have the hook attached to every SparkContext that the program makes."""
    sac_kafka_auto.WATCHERS.append(partial(_watch, program))
    sac_kafka_auto.ask()


def _watch(program: Program, kind: Any) -> None:  # noqa: ANN401 the class SparkContext
    ensure, make = kind._ensure_initialized.__func__, kind._do_init

    @wraps(ensure)
    def _ensure_initialized(cls: type[Any], *args: object, **kwargs: object) -> None:
        ensure(cls, *args, **kwargs)
        give_name(cls._jvm, program.name)

    @wraps(make)
    def _do_init(self: Any, *args: object, **kwargs: object) -> None:  # noqa: ANN401
        make(self, *args, **kwargs)
        if program.archive is not None:
            _ship(self, program.archive)

    kind._ensure_initialized, kind._do_init = classmethod(_ensure_initialized), _do_init  # type: ignore[arg-type]


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
