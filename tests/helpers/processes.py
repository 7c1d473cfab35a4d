"""Start Python processes for tests: the package under test first on their path, then the tests' modules."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

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
