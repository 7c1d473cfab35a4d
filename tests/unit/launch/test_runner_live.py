"""Jobs that know nothing of the hook, run on a real Spark by the runner: below spark-submit, and `sac-kafka run`.

The examples of README.md, docs/doctor.md and docs/launching.md are run here.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from sac_kafka.launch.preparing import RUNNER
from tests.unit.launch.starting import JOBS, Ran, configure, python, run, spark_program

pytestmark = pytest.mark.spark

OURS = "sac-kafka run"
LAUNCHERS = ("spark-submit", OURS)


def runner(launcher: str, work: Path, *words: str, options: tuple[str, ...] = (), **more: str) -> Ran:
    """Run a job; `options` are those of spark-submit."""
    if launcher == OURS:
        command = python("-m", "sac_kafka.tools.cli.main", "run", *options, *words)
    else:
        command = [spark_program("spark-submit"), *options, str(RUNNER), *words]
    return run(command, configure(work), **more)


@pytest.mark.parametrize(
    "launcher",
    [
        pytest.param("spark-submit", marks=pytest.mark.exhaustive),
        pytest.param(OURS, marks=[pytest.mark.subset, pytest.mark.oldest]),
    ],
)
def test_functions_of_a_script_run_in_executors(launcher: str, tmp_path: Path) -> None:
    ran = runner(
        launcher,
        tmp_path,
        str(JOBS / "functions.py"),
        "--name",
        "x",
        options=("--py-files", str(JOBS / "shipped.py"), "--conf", "spark.ui.showConsoleProgress=false"),
    )

    printed = "[(1, '__main__'), (2, '__main__')] [0, 2, 4] functions.py ['--name', 'x']\n"
    assert (ran.status, ran.output) == (3, printed), ran.log
    assert (ran.written, ran.jobs()) == (["out"], {"functions.py"})


@pytest.mark.exhaustive
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_the_entry_point_of_a_wheel_has_its_modules_in_executors(launcher: str, tmp_path: Path) -> None:
    wheel = tmp_path / "daily-1.0-py3-none-any.whl"
    job = (
        (JOBS / "functions.py")
        .read_text()
        .partition("sys.exit")[0]
        .replace("import shipped", "from daily import shipped")
    )
    body = "".join(f"    {line}\n" if line else "\n" for line in job.splitlines())
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("daily/__init__.py", f"def main():\n{body}    return 5\n")
        archive.write(JOBS / "shipped.py", "daily/shipped.py")
        archive.writestr("daily-1.0.dist-info/entry_points.txt", "[console_scripts]\ndaily = daily:main\n")

    ran = runner(launcher, tmp_path, wheel.name, "x")

    assert (ran.status, ran.output.splitlines()[-1:]) == (5, ["[(1, 'daily'), (2, 'daily')] [0, 2, 4] daily ['x']"]), (
        ran.log
    )
    assert (ran.written, ran.jobs()) == (["out"], {"daily"})


@pytest.mark.nightly
@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize(("how", "status"), [("stop", 0), ("text", 1), ("exception", 1), ("os_exit", 4)])
def test_jobs_exit_as_without_the_runner(how: str, status: int, launcher: str, tmp_path: Path) -> None:
    ran = runner(launcher, tmp_path, str(JOBS / "ends.py"), how)

    assert ran.status == status
    assert how == "os_exit" or ran.written == ["out"]  # os._exit waits for no thread
    assert ran.reported == (["attached"] if how == "os_exit" else ["attached", "ended"]), ran.log


@pytest.mark.nightly
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_module_and_two_contexts(launcher: str, tmp_path: Path) -> None:
    shutil.copy(JOBS / "contexts.py", tmp_path / "contexts_job.py")
    ran = runner(launcher, tmp_path, "-m", "contexts_job")

    assert (ran.status, ran.written, ran.jobs()) == (3, ["one", "two"], {"first", "second"})


@pytest.mark.nightly
def test_disabled_hook_only_runs_the_job(tmp_path: Path) -> None:
    ran = runner("spark-submit", tmp_path, str(JOBS / "ends.py"), "text", SAC_KAFKA_AUTO="0")

    assert (ran.status, ran.output, ran.written) == (1, "written\na text\n", [])


@pytest.mark.subset
@pytest.mark.oldest
def test_doctor_checks_the_driver_in_place_of_a_job(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    options = ("--conf", f"spark.driver.extraJavaOptions=-Datlas.conf={tmp_path}/elsewhere")
    configure(tmp_path).joinpath("atlas-application.properties").rename(
        tmp_path / "elsewhere" / "atlas-application.properties"
    )
    command = [spark_program("spark-submit"), *options, str(RUNNER), "--doctor", "--json", "--send"]
    ran = run(command, tmp_path, SAC_KAFKA_AUTO="1")

    report = json.loads(ran.output[ran.output.index("{") :])
    steps = {each["step"]: (each["verdict"], each["text"]) for each in report["steps"]}
    assert ran.status == 0, ran.log
    assert {"java", "spark", "python", "packages", "listener", "kafka-clients", "sink", "spool", "send"} <= {*steps}
    assert steps["listener"][0] == "ok"
    assert "precompiled" in steps["listener"][1]
    assert steps["configuration"] == (
        "ok",
        f"{tmp_path}/elsewhere/atlas-application.properties (the system property atlas.conf)",
    )
    assert steps["send"][0] == "skipped"
    assert not (tmp_path / "messages.jsonl").exists()
