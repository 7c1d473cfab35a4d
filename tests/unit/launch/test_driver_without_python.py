"""Drivers without Python, with the jar and `spark.extraListeners` alone: lineage as in PySpark, all else unchanged.

The examples of docs/drivers.md are run here.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sac_kafka.spark.java_classes import driver_archive
from sac_kafka.spark.versions import too_old
from sac_kafka.tools.cli.jar import LISTENER
from stack.java import find_java
from tests.helpers.waiting import until
from tests.unit.launch.building import CLASS, compiled_here, main_jar, spark_jars
from tests.unit.launch.starting import JOBS, Ran, configure, run, spark_program

pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark

PYTHON = "spark.atlas.hook.spark.python"
JOB = """
spark.range(3).selectExpr("id", "id * 2 as twice").write.parquet("src")
spark.read.parquet("src").selectExpr("twice + 1 as more").write.parquet("target")
"""
PYTHON_JOB = """
import sys
import sac_kafka
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.range(3).selectExpr("id", "id * 2 as twice").write.parquet("src")
hook = sac_kafka.attach(spark)
spark.createDataFrame(spark.read.parquet("src").toPandas()).write.parquet("target")
print(bool(hook.flush(60)), hook.stats()["disabled"], flush=True)
"""


def test_spark_that_is_too_old_is_named_before_python_is_started() -> None:
    versions = ["2.4.8", "3.3.0.3.3.7180.0-274", "3.4.4", "3.5.0-amzn-1", "4.3.0", "local build"]
    path = os.pathsep.join((str(compiled_here(JOBS / "package$.java")), str(driver_archive()), spark_jars()))
    done = subprocess.run(
        [find_java().path, "-cp", path, "org.apache.spark.package$", *versions], capture_output=True, text=True
    )
    assert done.stdout == "created\n", done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("sac_kafka: ")]
    errors = filter(None, map(too_old, versions))
    assert lines == [f"sac_kafka: not attached, the job runs on without lineage: {old}" for old in errors]
    assert len(lines) == 3


def submit(work: Path, program: str, *rest: str, python: Path | None = None, **conf: str) -> list[str]:
    """Return a command as a user of the jar writes it."""
    named = {"spark.extraListeners": LISTENER, PYTHON: str(python or recording_python(work)), **conf}
    options = [word for key, value in named.items() for word in ("--conf", f"{key}={value}")]
    return [spark_program(program), "--jars", str(driver_archive()), *options, *rest]


def script(work: Path, *lines: str) -> Path:
    """Write a program in place of Python; `$0.pid` has its process id."""
    path = work / "python"
    path.write_text("\n".join(("#!/bin/sh", f"echo $$ > {work}/pid", *lines, "")))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def recording_python(work: Path) -> Path:
    """Return this Python's command."""
    return script(work, f'exec {sys.executable} "$@"')


def is_left(work: Path) -> bool:
    """Return True if the Python process of the driver still runs."""
    try:
        os.kill(int((work / "pid").read_text()), 0)
    except OSError:
        return False
    return True


def main(work: Path, ending: str, *, python: Path | None = None, **conf: str) -> Ran:
    job = ["--class", CLASS, str(main_jar(work)), str(work), ending]
    ran = run(submit(configure(work), "spark-submit", *job, python=python, **conf), work)
    until(lambda: not is_left(work), lambda: "the Python runs on")
    return ran


@pytest.mark.parametrize(
    ("ending", "status", "written"),
    [
        ("exit", 7, ["out"]),
        *(
            pytest.param(ending, status, written, marks=pytest.mark.exhaustive)
            for ending, status, written in (
                ("throw", 1, ["out"]),
                ("stop", 0, ["out"]),
                ("ok", 0, ["out"]),
                ("thread", 0, ["out", "late"]),
                ("two", 0, ["out", "two"]),
            )
        ),
    ],
)
def test_main_class_has_lineage_and_its_own_exit(
    ending: str, status: int, written: Sequence[str], tmp_path: Path
) -> None:
    ran = main(tmp_path, ending)

    jobs = {"java-main", "second"} if ending == "two" else {"java-main"}
    assert (ran.status, ran.written, ran.jobs()) == (status, written, jobs), ran.log
    assert (ran.output, ran.warnings) == ("main java-main\n" + "late\n" * (ending == "thread"), [])
    assert ran.reported == ["attached", "ended"] * len(jobs), ran.log
    assert "driver JVM (by the jar) on local in client mode" in ran.log
    assert ("Exception in thread" in ran.log) == (ending == "throw")
    assert "sackafka" not in ran.log


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["echo No module named sac_kafka >&2", "exit 1"], "ended with status 1: No module named sac_kafka; install sac-kafka"),
        (["sleep 1000"], "did not attach within 1 s"),
        (None, "cannot be started"),
    ],
)  # fmt: skip
def test_without_a_python_that_attaches_the_job_is_as_without(
    lines: Sequence[str] | None, why: str, tmp_path: Path
) -> None:
    python = tmp_path / "missing" if lines is None else script(tmp_path, *lines)
    ran = main(tmp_path, "exit", python=python, **{"spark.atlas.hook.spark.attach.timeout.seconds": "1"})

    assert (ran.status, ran.output.splitlines()[-1:], ran.written) == (7, ["main java-main"], [])
    (warning,) = ran.warnings
    assert why in warning, warning


@pytest.mark.exhaustive
def test_a_python_that_is_killed_is_started_again(tmp_path: Path) -> None:
    ran = main(tmp_path, "kill")

    assert ran.status == 0, ran.log
    assert any("starting it again" in each for each in ran.warnings)
    assert [each for each in ran.reported if " " not in each] == ["attached", "attached", "ended"], ran.log
    assert ran.written == ["out", "again"]


@pytest.mark.exhaustive
def test_events_that_a_python_leaves_are_logged_when_the_driver_ends(tmp_path: Path) -> None:
    ran = main(tmp_path, "stand", **{"spark.atlas.hook.spark.exit.timeout.seconds": "1"})

    assert (ran.status, ran.output) == (0, "main java-main\n"), ran.log
    (warning,) = ran.warnings
    assert re.search(r"the lineage of up to [1-9]\d* events is lost", warning), warning


@pytest.mark.exhaustive
def test_a_driver_that_is_killed_stays_running(tmp_path: Path) -> None:
    ran = main(tmp_path, "halt")

    assert (ran.status, ran.written, ran.statuses()) == (9, ["out"], ["running"]), ran.log


@pytest.mark.exhaustive
def test_signals_of_the_terminal_are_for_the_driver(tmp_path: Path) -> None:
    """They come to Python, too: Ctrl-C ends a statement of spark-shell, and not the shell."""
    ran = main(tmp_path, "interrupt")

    assert (ran.status, ran.written, ran.reported) == (0, ["out", "again"], ["attached", "ended"]), ran.log


@pytest.mark.exhaustive
def test_the_shell_from_a_pipe(tmp_path: Path) -> None:
    ran = run(submit(configure(tmp_path), "spark-shell", "--name", "daily"), tmp_path, stdin=JOB)

    assert (ran.status, ran.written, ran.reported) == (0, ["src", "target"], ["attached", "ended"]), ran.log


@pytest.mark.exhaustive
def test_a_file_of_sql(tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(
        "create table copied using parquet as select 1 as id;\nselect count(*) from copied;\n"
    )
    ran = run(submit(configure(tmp_path), "spark-sql", "-f", "job.sql"), tmp_path)

    assert (ran.status, ran.output.splitlines()[-1:], ran.reported) == (0, ["1"], ["attached", "ended"]), ran.log
    assert ran.written == ["default.copied"]


@pytest.mark.parametrize(
    ("ending", "status", "of_application"),
    [
        ("raise ValueError", 1, "failed"),
        pytest.param("sys.exit(3)", 3, "finished", marks=pytest.mark.exhaustive),  # as without the jar
        pytest.param("", 0, "finished", marks=pytest.mark.exhaustive),
    ],
)
def test_a_python_job_with_the_jar_has_one_hook_which_it_joins(
    ending: str, status: int, of_application: str, tmp_path: Path
) -> None:
    """Report also its writes before it attaches, values that pass through its Python, and how it ends."""
    (tmp_path / "job.py").write_text(PYTHON_JOB + ending)
    ran = run(submit(configure(tmp_path), "spark-submit", "job.py"), tmp_path)

    assert (ran.status, "True None" in ran.output.splitlines(), ran.written) == (status, True, ["src", "target"]), (
        ran.log
    )
    until(lambda: not is_left(tmp_path), lambda: "the Python runs on")
    assert ran.statuses() == ["running", of_application]
