"""Python jobs run by `sac-kafka run`, and by its file for spark-submit, behave as without it: output, errors, status."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from copy import copy
from pathlib import Path

import pytest

from sac_kafka.launch import preparing, running, submitting
from sac_kafka.launch.programs import WrongUseError, module, program
from sac_kafka.tools.cli import run as run_command
from sac_kafka.tools.cli.main import main
from tests.helpers.processes import environment

JOB = """
import sys, helper
print(__name__, __file__, sys.argv, sys.path[0], sorted(k for k in globals() if k.startswith("__")))
class Point: pass
how = sys.argv[1] if len(sys.argv) > 1 else "ends"
if how == "throw": helper.fail()
if how == "interrupt": raise KeyboardInterrupt
if how == "text": sys.exit("a text")
if how == "3": sys.exit(3)
if how == "os_exit": sys.stdout.flush(); helper.os._exit(4)
if how == "chained":
    try: helper.fail()
    except ValueError as e: raise KeyError(1) from e
if how == "pickle":
    import pickle; print(pickle.loads(pickle.dumps(Point())).__class__, pickle.dumps(Point())[:40])
"""
LATE = """
import atexit, pickle, sys, threading, __main__
value = 5
class Point: pass
atexit.register(lambda: print("at exit", value, __main__.value))
sys.excepthook = lambda kind, error, where: print("hooked", kind.__name__, where.tb_frame.f_code.co_name, where.tb_next)
threading.Thread(target=lambda: (threading.main_thread().join(), print("thread", value, pickle.dumps(Point())[:20]))).start()
raise KeyError(1)
"""
SPAWNS = """
import multiprocessing
def double(x): return 2 * x
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool: print(pool.map(double, [1, 2]))
"""
MAIN = "import sys\nprint(__name__, __package__, __spec__.name, sys.argv, sys.path[0])\n1 / (len(sys.argv) - 2)\n"
RUNPY = re.compile(r'  File "<frozen runpy>".*\n')  # frames of Python's own runpy


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    (tmp_path / "job.py").write_text(JOB)
    (tmp_path / "late.py").write_text(LATE)
    (tmp_path / "spawns.py").write_text(SPAWNS)
    (tmp_path / "bad.py").write_text("def x(:\n")
    (tmp_path / "helper.py").write_text("import os\ndef fail():\n    raise ValueError('own')\n")
    for folder in ("package", "folder"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__main__.py").write_text(MAIN)
    (tmp_path / "package" / "__init__.py").touch()
    with zipfile.ZipFile(tmp_path / "job.zip", "w") as archive:
        archive.writestr("__main__.py", MAIN)
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "linked.py").symlink_to(tmp_path / "job.py")
    return tmp_path


def ran(folder: Path, *command: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, RUNPY.sub("", done.stderr)


LAUNCHERS = {"run": ("-m", "sac_kafka.tools.cli.main", "run"), "runner": (str(preparing.RUNNER),)}
"""The launchers name a job differently and run it by the same code; in everyday tests one of them runs each job."""
EVERY_DAY = {
    "job.py throw --conf a=b -m x": "run",
    "late.py": "runner",
    "-m package x --name y": "run",
    "job.zip x": "runner",
}
DEAR = (
    *("job.py", "job.py text", "job.py 3", "job.py os_exit", "job.py chained", "job.py pickle", "job.py interrupt"),
    *("bad.py", "links/linked.py", "-m package x", "folder x", "spawns.py"),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "launchers"),
    [
        *((words, [launcher]) for words, launcher in EVERY_DAY.items()),
        *(
            pytest.param(words, [each for each in LAUNCHERS if each != launcher], marks=pytest.mark.full)
            for words, launcher in EVERY_DAY.items()
        ),
        *(pytest.param(words, [*LAUNCHERS], marks=pytest.mark.full) for words in DEAR),
    ],
)
def test_a_job_runs_as_without(words: str, launchers: list[str], jobs: Path) -> None:
    plain = ran(jobs, *words.split())

    for launcher in launchers:
        assert ran(jobs, *LAUNCHERS[launcher], *words.split()) == plain


def wheel(folder: Path, scripts: str, name: str = "my_job-1.0-py3-none-any.whl") -> str:
    code = "import sys\nclass A:\n    @staticmethod\n    def b():\n        print(__name__, sys.argv, sys.path[0])\n"
    code += "        return 5\ndef run(): A.b()\n"
    with zipfile.ZipFile(folder / name, "w") as archive:
        archive.writestr("my_job/__init__.py", "")
        archive.writestr("my_job/main.py", code)
        archive.writestr("my_job-1.0.dist-info/entry_points.txt", f"[console_scripts]\n{scripts}\n[other]\nx = y:z\n")
    return str(folder / name)


@pytest.mark.parametrize(
    ("scripts", "options", "status", "name"),
    [
        ("daily = my_job.main:run", [], 0, "daily"),
        ("daily = my_job.main:A.b [extra]", [], 5, "daily"),
        ("a = my_job.main:A.b\nmy-job = my_job.main:run", [], 0, "my-job"),
        ("a = my_job.main:A.b\nmy-job = my_job.main:run", ["--entry-point", "a"], 5, "a"),
    ],
)
def test_the_entry_point_of_a_wheel_is_run(
    scripts: str,
    options: list[str],
    status: int,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = wheel(tmp_path, scripts)
    found = program(path, options[1] if options else None)
    assert (found.name, found.archive) == (name, path)

    for each in ("argv", "excepthook"):
        monkeypatch.setattr(sys, each, copy(getattr(sys, each)))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    for each in ("my_job", "my_job.main"):  # each wheel has its own
        monkeypatch.setitem(sys.modules, each, None)
        del sys.modules[each]
    noted: list[object] = []
    monkeypatch.setattr(running.exits, "note_status", noted.append)
    with pytest.raises(SystemExit) as ended:
        running.run(found, ["--x", "1"])
    assert [ended.value.code] == noted == [status or None]
    assert capsys.readouterr() == (f"my_job.main {[name, '--x', '1']} {path}\n", "")


@pytest.mark.slow
def test_an_entry_point_is_named_to_the_file_for_spark_submit(tmp_path: Path) -> None:
    path = wheel(tmp_path, "a = my_job.main:A.b\nmy-job = my_job.main:run")

    done = ran(tmp_path, str(preparing.RUNNER), "--entry-point", "a", path, "--x", "1")

    assert done == (5, f"my_job.main {['a', '--x', '1']} {path}\n", "")


@pytest.fixture(autouse=True)
def sys_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the changes of a command to this process' path."""
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no job given: name a script, a zip file, a wheel, a jar with --class, or a module with -m"),
        (["app.jar"], "app.jar: main class missing; specify it with --class"),
        (["--class", "a.B"], "no job given: "),
        (["--class", "a.B", "--entry-point", "x", "app.jar"], "use only one of --class, -m and --entry-point"),
        (["nope.py", "x"], "nope.py: no such file; on a cluster ship it with --files or --py-files and pass only its name"),
        (["-m", "nope"], f"-m nope: no such module; is it installed in {sys.executable}?"),
        (["-m", "nope.x"], "-m nope.x: ModuleNotFoundError: No module named 'nope'"),
        (["--entry-point", "x", "job.py"], "--entry-point x: job.py is not a wheel; pass a wheel, or remove the option"),
        (["broken.zip"], "broken.zip: is not a valid zip file; build it again, or pass a script"),
        (["broken.whl"], "broken.whl: is not a valid zip file; "),
        (["empty"], "empty: has no __main__.py; pass a script"),
        (
            ["none.whl"],
            "none.whl: entry point not specified (it has none, and no __main__.py); pass a wheel with a console script, ",
        ),
        (["two.whl"], "two.whl: entry point not specified (it has a, b); select one with --entry-point"),
        (["--entry-point", "c", "two.whl"], "two.whl: no entry point c (it has a, b); select one with --entry-point"),
        (["odd.whl"], "odd.whl: the entry point a = x:__import__('os') is not a function"),
    ],
)  # fmt: skip
def test_wrong_use_is_one_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "job.py").touch()
    (tmp_path / "app.jar").touch()
    (tmp_path / "broken.zip").write_bytes(b"PK")
    (tmp_path / "broken.whl").touch()
    (tmp_path / "empty").mkdir()
    wheel(tmp_path, "", "none.whl")
    wheel(tmp_path, "a = x:y\nb = x:y", "two.whl")
    wheel(tmp_path, "a = x:__import__('os')", "odd.whl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(submitting, "find_pyspark", lambda: True)

    assert main(["run", *words]) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"sac-kafka run: {message}")
    assert line.count("\n") == 1


def test_reports_missing_pyspark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(submitting, "find_pyspark", lambda: False)

    assert main(["run", "job.py"]) == 2
    assert "install it, set SPARK_HOME, or use spark-submit with $(sac-kafka runner)" in capsys.readouterr().err


@pytest.mark.parametrize("is_unpacked", [True, False], ids=["a distribution", "installed by pip"])
def test_the_spark_of_spark_home_will_do(is_unpacked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "python" / "lib"
    (tmp_path / "python" / "pyspark").mkdir(parents=True)
    (tmp_path / "python" / "pyspark" / "shell.py").touch()
    library.mkdir()
    for archive in ("pyspark.zip", "py4j-0.1-src.zip"):
        with zipfile.ZipFile(library / archive, "w") as file:
            file.writestr(f"{archive.partition('-')[0].removesuffix('.zip')}/__init__.py", "")
    if is_unpacked:
        (tmp_path / "python" / "pyspark" / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "meta_path", [each for each in sys.meta_path if "PathFinder" in str(each)])
    for name in [name for name in sys.modules if name.partition(".")[0] in ("pyspark", "py4j")]:
        monkeypatch.delitem(sys.modules, name)

    assert not submitting.find_pyspark({})
    assert submitting.find_pyspark({"SPARK_HOME": str(tmp_path)})
    first = "python" if is_unpacked else "pyspark.zip"
    assert [Path(each).name for each in sys.path] == [first, "py4j-0.1-src.zip"]


@pytest.mark.parametrize(
    ("before", "options", "after"),
    [
        ("", [], "--name job.py pyspark-shell"),
        ("pyspark-shell", ["--name", "daily"], "--name daily pyspark-shell"),
        ("--name 'my job' pyspark-shell", [], "--name 'my job' pyspark-shell"),
        (
            "--master yarn pyspark-shell",
            ["--master", "local[2]"],
            "--master yarn --name job.py --master 'local[2]' pyspark-shell",
        ),
        (
            "",
            ["--conf", "a=1", "--jars", "x.jar", "--conf=b=2 3"],
            "--name job.py --conf a=1 --conf 'b=2 3' --jars x.jar pyspark-shell",
        ),
        ("", ["--deploy-mode=client"], "--name job.py --deploy-mode client pyspark-shell"),
        ("", ["--proxy-user", "me"], "--name job.py --proxy-user me pyspark-shell"),
        ("", ["--properties-file", "p.conf"], "--name job.py --properties-file p.conf pyspark-shell"),
    ],
)
def test_options_of_spark_submit_are_passed_on(before: str, options: list[str], after: str) -> None:
    from sac_kafka.tools.cli.main import parser

    parsed = parser().parse_args(["run", *options, "job.py", "--master", "its own"])
    variables = {submitting.VARIABLE: before}
    submitting.submit(parsed, "job.py", variables)

    assert variables[submitting.VARIABLE] == after
    assert parsed.job == ["job.py", "--master", "its own"]


def test_python_files_are_on_the_path_of_the_driver(tmp_path: Path) -> None:
    from sac_kafka.tools.cli.main import parser

    parsed = parser().parse_args(["run", "--py-files", f"{tmp_path}/a.py, b.zip", "--py-files", "c.egg", "job.py"])

    assert submitting.import_path(parsed) == [str(tmp_path), "b.zip", "c.egg"]


def test_module_in_python_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as archive:
        archive.writestr("etl/__init__.py", "")
        archive.writestr("etl/load.py", "print(__name__, __spec__.name)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(submitting, "find_pyspark", lambda: True)
    monkeypatch.setattr(run_command, "prepare", lambda job: None)
    monkeypatch.setenv(submitting.VARIABLE, "")
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setitem(sys.modules, "etl", None)
    del sys.modules["etl"]

    assert main(["run", "--py-files", "lib.zip", "-m", "etl.load"]) == 0
    assert capsys.readouterr() == ("__main__ etl.load\n", "")


def test_the_runner_is_a_file_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runner"]) == 0
    assert Path(capsys.readouterr().out.strip()) == preparing.RUNNER
    assert preparing.RUNNER.is_file()


def test_a_module_is_searched_where_it_will_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "only_here.py").touch()
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)

    assert module("only_here").folder == str(Path.cwd())
    assert sys.path == before
    with pytest.raises(WrongUseError):
        module("only_there")
