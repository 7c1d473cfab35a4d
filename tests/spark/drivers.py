"""Spark drivers of their own: each function below a process, with the hook attached and messages in a file.

`run(function, work)` starts this file with the function's name, and gives what became of it.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sac_kafka

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sac_kafka.hook import Hook

TESTS = Path(__file__).resolve().parents[1]
SECRET = "hunter2zX9"


@dataclasses.dataclass(frozen=True)
class Ended:
    """What became of a driver."""

    work: Path
    code: int
    output: str
    seconds: float

    @property
    def told(self) -> dict[str, Any]:
        """What the driver's function returned, and how long spark.stop() took if it was called."""
        return json.loads((self.work / "told.json").read_text())

    @property
    def log(self) -> str:
        """What the hook logged."""
        return (self.work / "hook.log").read_text()

    def messages(self) -> list[dict[str, Any]]:
        """The messages in the file."""
        file = self.work / "messages.jsonl"
        return [json.loads(line)["message"] for line in file.read_text().splitlines()] if file.exists() else []

    def flows(self) -> set[str]:
        """The names of what processes wrote."""
        return {
            output["uniqueAttributes"]["qualifiedName"]
            for message in self.messages()
            for entity in message["entities"]["entities"]
            if entity["typeName"] == "spark_process"
            for output in entity["relationshipAttributes"]["outputs"]
        }


def hook_conf(work: Path, **settings: str) -> dict[str, str]:
    """Spark's configuration of a hook that writes to a file below `work`; dots for underscores in `settings`."""
    known = {
        "client.type": "file",
        "client.file.path": f"{work}/messages.jsonl",
        "metadata.namespace": "test",
        "hook.spool.dir": f"{work}/spool",
        **{key.replace("_", "."): value for key, value in settings.items()},
    }
    return {f"spark.atlas.{key}": value for key, value in known.items()}


def environment() -> dict[str, str]:
    """The environment of a driver: the package that is under test, and the tests' own modules."""
    package = Path(sac_kafka.__file__).resolve().parents[1]
    path = os.pathsep.join(map(str, (TESTS / "spark", TESTS, package)))
    return {**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}


def run(
    function: Callable[..., object],
    work: Path,
    conf: Mapping[str, str] | None = None,
    *,
    launcher: Sequence[str] = (sys.executable,),
    timeout_seconds: float = 150,
) -> Ended:
    """Run a function of this file in a driver of its own, with the configuration of `hook_conf(work)` or `conf`."""
    (work / "conf.json").write_text(json.dumps(hook_conf(work) if conf is None else conf))
    started = time.monotonic()
    done = subprocess.run(
        [*launcher, __file__, function.__name__, str(work)],
        cwd=work,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_seconds,
        check=False,
    )
    return Ended(work, done.returncode, done.stdout, time.monotonic() - started)


def main() -> None:
    from live import session

    name, work = sys.argv[1:]
    log = logging.getLogger("sac_kafka")
    log.setLevel(logging.DEBUG)
    log.addHandler(logging.FileHandler(f"{work}/hook.log"))
    spark = session(work, **json.loads(Path(work, "conf.json").read_text()))
    hook = sac_kafka.attach(spark)
    told = globals()[name](spark, hook, work) or {}
    if not told.pop("leave", False):
        started = time.monotonic()
        spark.stop()
        told["stop_seconds"] = time.monotonic() - started
        hook._worker.done.wait(10)
    told["stats"] = {key: dict(v) if isinstance(v, Mapping) else v for key, v in hook.stats().items()}
    Path(work, "told.json").write_text(json.dumps(told))


# ---- the drivers


def nothing(spark: SparkSession, hook: Hook, work: str) -> None:
    spark.range(3).write.parquet(f"{work}/out")


def leaves_without_stop(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    for i in range(3):
        spark.range(3).write.parquet(f"{work}/out{i}")
    return {"leave": True}


def stuck(spark: SparkSession, hook: Hook, work: str) -> None:
    from sleeper import hold, sleepy

    spark.range(3).write.parquet(f"{work}/in")
    df = spark.read.parquet(f"{work}/in")
    hold(spark)
    sleepy(spark, df).write.parquet(f"{work}/slow0")
    df.write.parquet(f"{work}/quick")
    hook.flush(20)
    sleepy(spark, df).write.parquet(f"{work}/slow1")
    assert df.count() == 3


def stuck_leaves_without_stop(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    stuck(spark, hook, work)
    return {"leave": True}


def forks(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    spark.range(3).write.parquet(f"{work}/before")
    told: dict[str, Any] = {}
    for how in ("exit", "os_exit"):
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            Path(work, f"child_{how}").write_text(repr([hook.flush(5), hook.detach()]))
            if how == "os_exit":
                os._exit(7)
            # As a child's own main function ends: exit handlers run.
            hook = spark = None  # type: ignore[assignment]
            sys.exit(7)
        deadline = time.monotonic() + 20
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
            time.sleep(0.02)
        told[how] = [os.waitstatus_to_exitcode(ended[1]), time.monotonic() - started]
        spark.range(3).write.parquet(f"{work}/after_{how}")
        told[f"flush_{how}"] = hook.flush(10)
    return told


if __name__ == "__main__":
    main()
