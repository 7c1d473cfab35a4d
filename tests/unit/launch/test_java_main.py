"""Main classes that know nothing of Python, in a driver with the hook: observed from their first statement, with their own exit.

The examples of docs/launching.md are run here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.launch.preparing import RUNNER
from tests.unit.launch.building import CLASS, main_jar
from tests.unit.launch.starting import Ran, configure, python, run, spark_program

pyspark = pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark

SQL_SHELL = "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver"
OURS = "sac-kafka run"
LAUNCHERS = ("spark-submit", OURS)


def runner(launcher: str, work: Path, ending: str, *, name: str = CLASS, **more: str) -> Ran:
    job = ["--class", name, str(main_jar(work)), str(work), ending]
    ours = python("-m", "sac_kafka.tools.cli.main", "run")
    command = ours if launcher == OURS else [spark_program("spark-submit"), str(RUNNER)]
    return run([*command, *job], configure(work), **more)


@pytest.mark.subset
@pytest.mark.oldest
@pytest.mark.parametrize(
    ("launcher", "ending", "status"),
    [
        ("spark-submit", "exit", 7),
        pytest.param(OURS, "exit", 7, marks=pytest.mark.exhaustive),
        pytest.param(OURS, "throw", 1, marks=pytest.mark.exhaustive),
        *(
            pytest.param("spark-submit", how, status, marks=pytest.mark.nightly)
            for how, status in (("throw", 1), ("stop", 0), ("ok", 0))
        ),
        *(pytest.param(OURS, how, 0, marks=pytest.mark.nightly) for how in ("stop", "ok")),
    ],
)
def test_main_class_has_lineage_and_its_own_exit(launcher: str, ending: str, status: int, tmp_path: Path) -> None:
    ran = runner(launcher, tmp_path, ending)

    assert ran.status == status, ran.log
    assert "main java-main\n" in ran.output
    assert (ran.written, ran.jobs()) == (["out"], {"java-main"})
    assert ran.warnings == []
    if ending == "throw":
        printed = ran.output + ran.log
        assert 'Exception in thread "main" java.lang.IllegalArgumentException: the main\'s own error' in printed
        assert "sackafka" not in printed
        assert "Traceback" not in printed


@pytest.mark.nightly
@pytest.mark.parametrize(("ending", "written"), [("two", ["out", "two"]), ("thread", ["out", "late"])])
def test_all_contexts_and_threads_of_a_main(ending: str, written: list[str], tmp_path: Path) -> None:
    ran = runner(OURS, tmp_path, ending)

    assert (ran.status, ran.written) == (0, written), ran.log


@pytest.mark.nightly
def test_disabled_hook_only_runs_the_main_class(tmp_path: Path) -> None:
    ran = runner("spark-submit", tmp_path, "exit", SAC_KAFKA_AUTO="0")

    assert (ran.status, ran.output, ran.written) == (7, "main java-main\n", [])


@pytest.mark.exhaustive
@pytest.mark.parametrize(("last", "status"), [("select count(*) from copied", 0), ("select nowhere from copied", 1)])
def test_a_file_of_sql_runs_as_spark_sql_runs_it(last: str, status: int, tmp_path: Path) -> None:
    (shell,) = (Path(pyspark.__file__).parent / "jars").glob("spark-hive-thriftserver_*.jar")
    (tmp_path / "job.sql").write_text(f"create table copied using parquet as select 1 as id;\n{last};\n")
    main = ["--name", "daily", str(RUNNER), "--class", SQL_SHELL, str(shell), "-f", "job.sql"]
    ran = run([spark_program("spark-submit"), *main], configure(tmp_path))

    assert ran.status == status, ran.log
    assert (ran.written, ran.jobs()) == (["default.copied"], {"daily"})
    assert ran.warnings == []
    assert (ran.output.splitlines()[-1:] == ["1"]) == (status == 0)


@pytest.mark.nightly
def test_missing_class(tmp_path: Path) -> None:
    ran = runner(OURS, tmp_path, "ok", name="com.example.Other")

    assert ran.status == 101
    assert "Error: Failed to load class com.example.Other." in ran.log
    assert "Traceback" not in ran.log
