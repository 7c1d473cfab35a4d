"""Run cases in a separate Spark, with the hook attached once for each context, and keep the messages of each.

`python -m tests.live.purview.running FOLDER CASE …` is the driver; `run` starts it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stack import jars
from tests.helpers.processes import environment
from tests.live.purview import stand_ins
from tests.live.purview.contexts import JOB, NAMESPACE
from tests.live.purview.every_case import CASES
from tests.live.purview.expecting import Context, FlowCase
from tests.live.sources.family import steps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sac_kafka import Hook

TIMEOUT_SECONDS = 1200
SETTINGS = {
    "atlas.client.type": "memory",
    "atlas.hook.spark.dialect": "purview",
    "atlas.metadata.namespace": NAMESPACE,
    "atlas.hook.spark.job.name": JOB,
}


@dataclass(frozen=True, kw_only=True)
class Ran:
    """The result of a case: its messages, and its errors."""

    messages: list[Mapping[str, Any]]
    error: str | None
    errors_of_the_hook: Mapping[str, int]


def run(folder: Path, names: Iterable[str], lists_of_jars: Iterable[str] = (), bootstrap: str = "") -> dict[str, Ran]:
    """Run cases in a separate driver.

    Args:
        folder: For all that they write.
        names: Of the cases.
        lists_of_jars: Further jars of Spark's class path.
        bootstrap: A broker, for cases that need one.
    """
    paths = [str(jar) for name in lists_of_jars for jar in jars.provide(name).class_path.split(os.pathsep)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.live.purview.running", str(folder), bootstrap, ",".join(paths), *names],
        cwd=folder,
        env=environment(SPARK_DIST_CLASSPATH=stand_ins.class_path()),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-9000:]
    reported = json.loads((folder / "reported.json").read_text())
    return {name: Ran(**each) for name, each in reported.items()}


# ---- in the driver


def main() -> None:
    from tests.live.purview import delta_cases, prepared, tables_cases

    folder, bootstrap, paths, *names = sys.argv[1:]
    cases = sorted((CASES[name] for name in names), key=lambda each: each.context.name)
    has_delta = any("delta" in each.needs for each in cases)
    spark = _session(folder, bootstrap, paths, has_delta=has_delta)
    prepared.prepare(spark)
    tables_cases.prepare(spark)
    if has_delta:
        delta_cases.prepare(spark)
    reported: dict[str, object] = {}
    for _, group in groupby(cases, key=lambda each: each.context.name):
        of_context = list(group)
        with attached(spark, of_context[0].context) as hook:
            for each in of_context:
                reported[each.name] = _report(spark, folder, hook, each)
    Path(folder, "reported.json").write_text(json.dumps(reported))
    spark.stop()


def _session(folder: str, bootstrap: str, paths: str, *, has_delta: bool) -> SparkSession:
    from tests.helpers.live_runs import session
    from tests.live.sources import delta_cases

    conf = {
        **stand_ins.settings(Path(folder) / "stores"),
        "spark.sql.warehouse.dir": "dbfs:/user/hive/warehouse",
        "spark.test.bootstrap": bootstrap,
        **({"spark.jars": paths} if paths else {}),
        **(delta_cases.conf(folder) if has_delta else {}),
    }
    spark = session(folder, **conf)
    stand_ins.open_databases(spark)
    return spark


@contextmanager
def attached(spark: SparkSession, context: Context, **settings: str) -> Iterator[Hook]:
    """Yield a hook in a context, both of which end together."""
    import sac_kafka

    for key, value in context.conf.items():
        spark.conf.set(key, value)
    for key, value in context.properties.items():
        spark.sparkContext.setLocalProperty(key, value)
    try:
        with sac_kafka.attach(spark, **{**SETTINGS, **context.settings, **settings}) as hook:
            yield hook
    finally:
        for key in context.conf:
            spark.conf.unset(key)
        for key in context.properties:
            spark.sparkContext.setLocalProperty(key, None)


def _report(spark: SparkSession, folder: str, hook: Hook, each: FlowCase) -> dict[str, object]:
    before, problem = len(hook.messages()), hook.stats()["disabled"]
    errors = dict(hook.stats()["errors"])
    try:
        for rest in steps(each.run, spark, folder):
            hook.flush(60)
            before = len(hook.messages())
            rest()
    except Exception:  # noqa: BLE001 of whatever kind: the test of this case shows it, the others go on
        problem = traceback.format_exc()
    hook.flush(60)
    new = {what: count for what, count in hook.stats()["errors"].items() if count > errors.get(what, 0)}
    return {"messages": hook.messages()[before:], "error": problem, "errors_of_the_hook": new}


if __name__ == "__main__":
    main()
