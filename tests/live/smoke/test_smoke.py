"""One small job under the Pythons and Javas that a Spark runs on: the same messages everywhere.

CI runs the corners, the oldest of all and the newest of all; `make smoke` runs every combination.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import sac_kafka
from stack import java_versions
from tests.helpers.processes import ROOT
from tests.live.smoke.environments import MissingError, environment_of
from tests.live.smoke.expected import EXPECTED, messages_below

pytestmark = pytest.mark.spark

OLDEST, NEWEST = ("3.5.9", "3.10", 11), ("4.3.0", "3.13", 21)
"""The corners."""
OTHERS = (
    *(("3.5.9", python, java) for python in ("3.10", "3.11") for java in (11, 17)),
    *((spark, python, 17) for spark in ("4.0.5", "4.1.4", "4.2.1") for python in ("3.11", "3.12")),
    *(("4.3.0", python, java) for python in ("3.11", "3.13") for java in (17, 21)),
)

COMBINATIONS = [
    OLDEST,
    NEWEST,
    *(pytest.param(*each, marks=pytest.mark.nightly) for each in OTHERS if each not in (OLDEST, NEWEST)),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("spark", "python", "java"), COMBINATIONS)
def test_the_same_messages_under_every_python_and_java(spark: str, python: str, java: int, tmp_path: Path) -> None:
    try:
        program = environment_of(spark, python)
    except MissingError as missing:
        pytest.skip(str(missing))
    done = subprocess.run(
        [str(program), "-m", "tests.live.smoke.smoke_job", str(tmp_path)],
        cwd=tmp_path,
        env={
            **_without_python(),
            "PYTHONPATH": str(_path(tmp_path / "path")),
            "JAVA_HOME": str(java_versions.provide(java).home),
        },
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    del report["package"]
    assert report == {
        "spark": spark,
        "python": python,
        "java": str(java),
        "flushed": True,
        "rows": 3,
        "errors": {},
        "listener": {},
    }
    assert messages_below(tmp_path, spark) == EXPECTED


def _path(folder: Path) -> Path:
    """Return a folder of the package under test, and of the job."""
    folder.mkdir()
    for package in (Path(sac_kafka.__file__).parent, ROOT / "tests"):
        (folder / package.name).symlink_to(package)
    return folder


def _without_python() -> dict[str, str]:
    """Return the environment without what belongs to the interpreter of the tests."""
    return {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "PYSPARK", "SPARK_", "VIRTUAL_ENV"))
    }
