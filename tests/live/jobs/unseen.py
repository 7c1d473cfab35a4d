"""Run programs and write down all that a user could see of each, to be compared with and without the hook.

    unseen.py WORK NAME...        SAC_KAFKA_TEST_HOOK=0: without the hook

Spark's event log is in WORK/log, what was seen in WORK/seen.json.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.helpers.sessions import PATIENT, local_session
from tests.live.jobs.unseen_programs import PROGRAMS, tags

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGGERS = ("", "py4j", "py4j.java_gateway", "pyspark", "pyspark.sql", "warnings")


def main(work: str, names: list[str]) -> None:
    Path(work, "log").mkdir(parents=True)
    spark = local_session(
        "unseen",
        f"{work}/warehouse",
        {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file:{work}/log",
            "spark.eventLog.compress": "false",
            "spark.ui.showConsoleProgress": "false",
        },
        log_level="ERROR",
    )
    settle: Callable[[], object] = int
    if os.environ.get("SAC_KAFKA_TEST_HOOK") != "0":
        import sac_kafka

        patient = {f"atlas.{key.replace('_', '.')}": value for key, value in PATIENT.items()}
        own = {"client_type": "file", "client_file_path": f"{work}/messages", "atlas.hook.spool.dir": f"{work}/spool"}
        hook = sac_kafka.attach(spark, **own, **patient)
        assert hook.stats()["disabled"] is None, hook.stats()
        settle = lambda: sac_kafka.flush(300)  # noqa: E731
    first = configuration(spark)  # before the first query
    rows = [(1, "north", 10.5), (2, "south", 20.5), (3, "west", 30.5)]
    spark.createDataFrame(rows, "id int, name string, amount double").coalesce(1).write.saveAsTable("regions")
    sales = [(1, "north", 990_001), (2, "south", 990_002)]
    spark.createDataFrame(sales, "id int, region string, number int").coalesce(1).write.saveAsTable("sales")
    seen = {name: observe(spark, work, name, settle) for name in names}
    seen["the process"] = {**process(spark), "conf at first": first}
    Path(work, "seen.json").write_text(json.dumps(seen, indent=1, default=str))
    print("job ends", flush=True)
    sys.exit(3)


def observe(spark: SparkSession, work: str, name: str, settle: Callable[[], object]) -> dict[str, object]:
    """Run a program; of an error the stacks are read when the hook has seen all that there is of it."""
    print("program", name, flush=True)
    output, errors = io.StringIO(), io.StringIO()
    seen: dict[str, object] = {}
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(output):
        warnings.simplefilter("always")
        with contextlib.redirect_stderr(errors):
            try:
                seen["result"] = repr(PROGRAMS[name](spark, work))
            except Exception as error:  # noqa: BLE001 whatever a program raises is compared
                settle()
                seen["error"] = [type(error).__qualname__, str(error), traceback.format_exception(error)]
                seen["java"] = java(spark, error)
    seen["warnings"] = [(str(w.message), w.category.__name__, w.filename, w.lineno) for w in warned]
    seen |= {"output": output.getvalue(), "errors": errors.getvalue(), "tags": tags(spark)}
    context: Any = spark.sparkContext._jsc.sc()  # type: ignore[union-attr]
    seen["properties"] = sorted(str(context.getLocalProperties()).strip("{}").split(", "))
    seen["conf"] = sorted(f"{key}={value}" for key, value in settings(spark).items())
    return seen


def java(spark: SparkSession, error: BaseException) -> list[str]:
    """Return the stacks of the exceptions of the JVM that an error, or what it was raised from, holds."""
    found = []
    held: BaseException | None = error
    while held is not None:
        of_jvm = getattr(held, "java_exception", None) or getattr(held, "_origin", None)
        if of_jvm is not None:
            found.append(spark._jvm.org.apache.spark.util.Utils.exceptionString(of_jvm))  # type: ignore[union-attr]
        held = held.__cause__ or held.__context__
    return found


def settings(spark: SparkSession) -> dict[str, str]:
    entries = spark._jsparkSession.conf().getAll()
    iterator, found = entries.iterator(), {}
    while iterator.hasNext():
        entry = iterator.next()
        found[entry._1()] = entry._2()
    return found


def configuration(spark: SparkSession) -> list[str]:
    return sorted(map(str, spark.sparkContext.getConf().getAll()))


def process(spark: SparkSession) -> dict[str, object]:
    """Return what a program can read from its process and from its driver."""
    jvm: Any = spark._jvm
    threads = jvm.Thread.getAllStackTraces().keySet().toArray()
    return {
        "conf": configuration(spark),
        "loggers": {name: (logging.getLogger(name).level, str(logging.getLogger(name).handlers)) for name in LOGGERS},
        "log4j": str(jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel()),
        "signals": {each.name: str(signal.getsignal(each)) for each in signal.Signals},
        "hooks": [str(each) for each in (sys.excepthook, threading.excepthook, sys.displayhook, sys.gettrace())],
        "filters": [str(each) for each in warnings.filters],
        "path": sys.path,
        "environment": {key: value for key, value in os.environ.items() if key != "SAC_KAFKA_TEST_HOOK"},
        "folder": str(Path.cwd()),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "threads of the JVM": sorted({thread.getName() for thread in threads}),
        "modules": sorted({name.partition(".")[0] for name in sys.modules}),
        "system properties": sorted(str(jvm.System.getProperties()).strip("{}").split(", ")),
    }


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
