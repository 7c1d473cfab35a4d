"""Drivers without Python on a machine with other people: their files are not run, and their connections take nothing."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.waiting import until
from tests.unit.launch.building import CLASS, main_jar
from tests.unit.launch.starting import Ran, configure, run, variables
from tests.unit.launch.test_driver_without_python import PYTHON, is_left, main, recording_python, script, submit

pytest.importorskip("pyspark")
pytestmark = pytest.mark.spark

TIMEOUT = "spark.atlas.hook.spark.attach.timeout.seconds"
PLANTED = (
    "sac_kafka/__init__",
    "pyspark/__init__",
    "runpy",
    "signal",
    "sitecustomize",
    "threading",
    "typing",
    "usercustomize",
)
WITHOUT_SAFE_PATH = f'exec env -u PYTHONSAFEPATH {sys.executable} "$@"'
"""As Python 3.10, which does not know the variable."""
CONNECTIONS = 2_000
ENDLESS_BYTES = 20_000_000
MOST_MORE_THREADS, MOST_MORE_FILES, MOST_MORE_KB = 5, 120, 60_000


def test_files_in_the_working_directory_are_not_run(tmp_path: Path) -> None:
    for name in PLANTED:
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + '\\n')\nraise SystemExit(9)\n")
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "conf").mkdir()
    (configure(tmp_path) / "atlas-application.properties").rename(tmp_path / "conf" / "atlas-application.properties")
    (tmp_path / "job.sql").write_text("create table copied using parquet as select 1 as id;\n")
    safe = variables(tmp_path)["PYTHONPATH"]
    more = {PYTHON: "./python", "spark.driver.extraJavaOptions": "-Datlas.conf=conf"}
    command = submit(tmp_path, "spark-sql", "-f", "job.sql", **more)
    script(tmp_path, f'echo "$PYTHONPATH" > {tmp_path}/path', WITHOUT_SAFE_PATH)
    planted_path = os.pathsep.join(("", ".", "./", str(tmp_path), f"{tmp_path}/link", safe, ""))
    ran = run(command, tmp_path, PYTHONPATH=planted_path)

    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
    assert (ran.status, ran.written, ran.warnings) == (0, ["default.copied"], []), ran.log
    assert (tmp_path / "path").read_text().strip() == safe


@pytest.mark.exhaustive
@pytest.mark.parametrize("value", ["1e10", "NaN", "-1", "soon"])
def test_wrong_timeout_is_one_warning_and_the_default_is_used(value: str, tmp_path: Path) -> None:
    ran = main(tmp_path, "exit", **{TIMEOUT: value})

    assert (ran.status, ran.written) == (7, ["out"]), ran.log
    (warning,) = ran.warnings
    assert f"{TIMEOUT} = {value}: must be from 1 to 600 seconds; 30 is used" in warning


@pytest.mark.exhaustive
def test_lines_of_python_are_escaped(tmp_path: Path) -> None:
    python = script(tmp_path, r"printf 'No \033[2Jmodule\302\205sac_kafka: FAKE\342\200\256\n' >&2", "exit 1")
    ran = main(tmp_path, "exit", python=python)

    (warning,) = ran.warnings
    assert r"ended with status 1: No \x1b[2Jmodule\x85sac_kafka: FAKE\u202e; install" in warning


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A driver that has written `out`, and waits for the file `go` to write `again`."""
    job = ["--class", CLASS, str(main_jar(tmp_path)), str(tmp_path), "wait"]
    command = submit(configure(tmp_path), "spark-submit", *job, python=recording_python(tmp_path))
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=tmp_path, env=variables(tmp_path), stdout=log, stderr=log)
    try:
        until((tmp_path / "out" / "_SUCCESS").exists, (tmp_path / "log").read_text)
        yield process
    finally:
        process.kill()
        process.wait()


def test_connections_without_the_secret_take_nothing(driver: subprocess.Popen[bytes], tmp_path: Path) -> None:
    environment = Path("/proc", (tmp_path / "pid").read_text().strip(), "environ").read_bytes()
    port = int(re.findall(rb"PYSPARK_GATEWAY_PORT=(\d+)", environment)[0])

    before = _Figures(driver.pid)
    for start in (b"x" * 100_000, b"A\n" + b"0" * 100_000, b"A\n", b"\n", b"c\nt\n"):
        _send_endless(port, start)
    with contextlib.ExitStack() as open_connections:
        for _ in range(CONNECTIONS):
            open_connections.enter_context(_connected(port)).sendall(b"A\n")
        during = _Figures(driver.pid)
    assert during.threads - before.threads <= MOST_MORE_THREADS
    assert during.files - before.files <= MOST_MORE_FILES
    assert during.peak_kb - before.peak_kb <= MOST_MORE_KB

    (tmp_path / "go").touch()
    assert driver.wait() == 0, (tmp_path / "log").read_text()
    until(lambda: not is_left(tmp_path), lambda: "the Python runs on")
    ran = Ran(tmp_path, 0, "", (tmp_path / "log").read_text())
    assert (ran.written, ran.warnings, "OutOfMemory" in ran.log) == (["out", "again"], [], False), ran.log


class _Figures:
    """Threads, open files and the largest memory so far of a process."""

    def __init__(self, pid: int) -> None:
        status = Path("/proc", str(pid), "status").read_text()
        self.threads, self.peak_kb = (int(re.findall(rf"{name}:\s+(\d+)", status)[0]) for name in ("Threads", "VmHWM"))
        self.files = len(list(Path("/proc", str(pid), "fd").iterdir()))


@contextlib.contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        yield connection


def _send_endless(port: int, text: bytes) -> None:
    """Send a text again and again, until the other side closes the connection, takes no more, or has taken too much."""
    with _connected(port) as connection:
        connection.settimeout(2)
        sent = 0
        with contextlib.suppress(OSError):  # closed, or it takes no more
            while sent < ENDLESS_BYTES:
                sent += connection.send(text)
    assert sent < ENDLESS_BYTES
