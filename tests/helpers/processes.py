"""Start Python processes for tests: the package under test first on their path, then the tests' modules."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sac_kafka

ROOT = Path(__file__).resolve().parents[2]


def environment(**more: str) -> dict[str, str]:
    """Return the environment of such a process: `python -m tests.live.jobs.job` finds what this process has."""
    package = Path(sac_kafka.__file__).resolve().parents[1]
    path = os.pathsep.join(dict.fromkeys((str(package), str(ROOT))))
    return {
        **os.environ,
        "PYTHONPATH": path,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        **more,
    }


def pythons_below(folder: Path) -> Iterator[int]:
    """The processes that serve a driver without Python, and work below a folder, which may be deleted by now."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, place = (process / "cmdline").read_bytes(), (process / "cwd").readlink()
        except OSError:
            continue
        if b"sac_kafka.launch.serving" in command and place.is_relative_to(folder):
            yield int(process.name)


@contextlib.contextmanager
def ended_after_failure() -> Iterator[None]:
    """If the block fails, end the Python processes that it has started, and close their pipes.

    Others stay: the judge and the JVM of this process serve the next tests as well.
    """
    started: list[subprocess.Popen[Any]] = []
    begin = subprocess.Popen.__init__

    def begin_and_keep(process: subprocess.Popen[Any], args: Any, *rest: Any, **options: Any) -> None:
        begin(process, args, *rest, **options)
        if isinstance(args, (list, tuple)) and args[0] == sys.executable:
            started.append(process)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(subprocess.Popen, "__init__", begin_and_keep)
        try:
            yield
        except BaseException:
            for process in started:
                process.kill()  # one that has ended is left alone
                process.wait()
                for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
                    with contextlib.suppress(OSError):  # what is still to be written has no reader
                        pipe.close()
            raise
