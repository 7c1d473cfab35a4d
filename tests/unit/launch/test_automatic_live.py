"""Jobs that know nothing of the hook on a real Spark: only the wheel, and a variable or Spark setting.

The examples of README.md and docs/purview.md are run here.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.unit.launch.starting import JOBS, Ran, configure, python, run, spark_program

pytestmark = pytest.mark.spark

ON = {"SAC_KAFKA_AUTO": "1"}
SESSION = "from pyspark.sql import SparkSession; spark = SparkSession.builder.getOrCreate()"


def ends(how: str, work: Path, *options: str, launcher: str = "spark-submit", **more: str) -> Ran:
    program = [spark_program("spark-submit"), *options] if launcher == "spark-submit" else python()
    return run([*program, str(JOBS / "ends.py"), how], configure(work), **more)


@pytest.mark.subset
@pytest.mark.oldest
def test_every_context_of_a_process_is_attached_to(tmp_path: Path) -> None:
    ran = run(python(str(JOBS / "contexts.py")), configure(tmp_path), **ON)

    assert (ran.status, ran.output) == (3, "child 5\nrows [0, 2, 4, 6]\nsame True\n"), ran.log
    assert (ran.written, ran.jobs()) == (["one", "two"], {"first", "second"})
    assert ran.reported == ["attached", "ended"] * 2, ran.log
    assert "driver Python on local in client mode" in ran.log


@pytest.mark.exhaustive
@pytest.mark.subset
@pytest.mark.oldest
def test_spark_submit_of_an_unchanged_script(tmp_path: Path) -> None:
    ran = ends("text", tmp_path, "--conf", "spark.atlas.spark.enabled=true")

    assert (ran.status, ran.output) == (1, "written\na text\n")  # spark-submit prints both outputs of Python as one
    assert (ran.written, ran.jobs()) == (["out"], {"ends.py"})
    assert ran.reported == ["attached", "ended"], ran.log


@pytest.mark.nightly
def test_a_shell_that_reads_a_pipe(tmp_path: Path) -> None:
    text = f"{SESSION}\nspark.range(3).write.parquet('out')\nprint('typed', 6 * 7)\n"  # PySpark gives it no session
    ran = run([spark_program("pyspark")], configure(tmp_path, hook_spark_job_name="shell"), stdin=text, **ON)

    assert (ran.status, ran.output, ran.written, ran.jobs()) == (0, "typed 42\n", ["out"], {"shell"})


@pytest.mark.nightly
def test_a_shell_in_a_terminal(tmp_path: Path) -> None:
    typed = "spark.range(3).write.parquet('out')\nprint('typed', 6 * 7)\nexit()\n"
    shell = [spark_program("pyspark")]
    ran = run(python(str(JOBS / "terminal.py"), *shell), configure(tmp_path), stdin=typed, **ON)

    assert (ran.status, ran.written) == (0, ["out"])
    assert "typed 42" in ran.output


@pytest.mark.exhaustive
@pytest.mark.subset
@pytest.mark.oldest
def test_unused_metastore_is_not_connected(tmp_path: Path) -> None:
    (tmp_path / "metastore_db").touch()  # in place of Derby's database: connections fail after long retries
    ran = ends("stop", tmp_path, "--conf", "spark.sql.catalogImplementation=hive", **ON)

    assert (ran.status, ran.written, ran.warnings) == (0, ["out"], []), ran.log
    assert not (tmp_path / "derby.log").exists()


@pytest.mark.exhaustive
def test_error_is_one_warning(tmp_path: Path) -> None:
    configure(tmp_path, client_type="pigeon")
    ran = run(python(str(JOBS / "ends.py"), "stop"), tmp_path, **ON)

    assert (ran.status, ran.output, ran.written) == (0, "written\n", [])
    (warning,) = ran.warnings
    assert "pigeon" in warning


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("variable", "options"),
    [
        ("0", ["--conf", "spark.atlas.spark.enabled=true"]),
        ("1", ["--conf", "spark.atlas.spark.enabled=false"]),
        ("", []),
    ],
)
def test_disabled_hook_stays_disabled(variable: str, options: list[str], tmp_path: Path) -> None:
    ran = ends("stop", tmp_path, *options, SAC_KAFKA_AUTO=variable)

    assert (ran.status, ran.output, ran.written, ran.warnings) == (0, "written\n", [], [])


@pytest.mark.nightly
@pytest.mark.parametrize("launcher", ["python", "spark-submit"])
@pytest.mark.parametrize(
    ("how", "status", "written"), [("stop", 0, ["out"]), ("exception", 1, ["out"]), ("os_exit", 4, None)]
)
def test_jobs_exit_as_without_the_hook(
    how: str, status: int, written: list[str] | None, launcher: str, tmp_path: Path
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "hooked").mkdir()
    plain = ends(how, tmp_path / "plain", launcher=launcher)
    ran = ends(how, tmp_path / "hooked", launcher=launcher, **ON)

    assert (ran.status, ran.output) == (plain.status, plain.output)
    assert (ran.status, ran.output.partition("\n")[0]) == (
        status,
        "written",
    )  # spark-submit prints Python's errors behind it
    assert written is None or ran.written == written  # os._exit waits for no thread


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("IPython") is None, reason="IPython is not installed")
def test_ipython(tmp_path: Path) -> None:
    text = f"{SESSION}\nspark.range(3).write.parquet('out')\n"
    ran = run(python("-m", "IPython", "--simple-prompt"), configure(tmp_path), stdin=text, **ON)

    assert (ran.status, ran.written) == (0, ["out"])
