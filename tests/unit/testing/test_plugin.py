"""The plug-in in runs of pytest without Spark: what it loads, and its errors without a session."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from sac_kafka.testing import plugin

ROOT = Path(__file__).parents[3]
PLUGIN = "sac_kafka.testing.plugin"


def test_loads_neither_spark_nor_the_hook() -> None:
    code = f"import sys, pytest; before = set(sys.modules); import {PLUGIN}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.split() == ["sac_kafka", "sac_kafka.testing", PLUGIN, "sac_kafka.version"]


def test_the_wheel_names_it() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'[project.entry-points.pytest11]\nsac_kafka = "{PLUGIN}"\n' in project


def run(folder: Path, tests: str, *options: str, conftest: str = "") -> str:
    (folder / "test_x.py").write_text(tests)
    (folder / "conftest.py").write_text(conftest)
    on_path = f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            PLUGIN,
            "--tb=line",
            "-W",
            "error",
            *options,
        ],
        cwd=folder,
        # No other plug-in is loaded, which takes half of the time; that the wheel's is loaded by its name is seen above.
        env={**os.environ, "PYTHONPATH": on_path, "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout + done.stderr


FAKE = """
from pathlib import Path

import pytest
from sac_kafka.testing import watching

@pytest.fixture
def own():
    return None

class Watching(watching.Watching):
    is_any = True
    def messages(self):
        return (Path("message.json").read_text("utf-8"),)

watching.Watching = Watching
"""
GOLDEN = "def test_a(lineage):\n    lineage.assert_golden('a')\n"


@pytest.mark.slow
def test_errors_without_a_session(tmp_path: Path) -> None:
    tests = (
        "def test_plain():\n    pass\n\n"
        "def test_asks(lineage):\n    lineage.columns('a.b')\n\n"
        "def test_is_no_session(lineage):\n    lineage.attach(object())\n\n"
        "def test_has_it_and_does_not_ask(lineage):\n    assert 'without a session' in repr(lineage)\n"
    )
    below = tmp_path / "below"
    below.mkdir()
    (below / "conftest.py").write_text("import pytest\n@pytest.fixture\ndef mine(absent):\n    return None\n")
    (below / "test_y.py").write_text("def test_lacks_a_fixture_of_a_fixture(lineage):\n    pass\n")
    output = run(tmp_path, tests, "-o", "lineage_spark_fixture=mine")
    assert "2 failed, 2 passed, 1 error" in output
    assert "no Spark session is watched: provide it by a fixture `mine`" in output
    assert "the session cannot be watched, the hook is disabled: attach needs a SparkSession, got object" in output
    assert "fixture 'absent' not found" in output  # which is the user's error


@pytest.mark.full
def test_golden_files_are_written_and_named_also_by_workers(tmp_path: Path) -> None:
    golden = ROOT / "tests" / "unit" / "atlas" / "golden" / "first_sight.json"
    (tmp_path / "message.json").write_text(golden.read_text("utf-8"), "utf-8")
    output = run(tmp_path, GOLDEN, "--lineage-update", "-p", "xdist", "-n", "1", conftest=FAKE)
    assert "lineage: wrote lineage/a.json\n" in output
    assert "1 passed" in output
    assert "lineage: wrote" not in (output := run(tmp_path, GOLDEN, "-o", "lineage_spark_fixture=own", conftest=FAKE))
    assert "1 passed" in output


def test_golden_file_written_by_two_workers_is_reported() -> None:
    """Report a file that two workers wrote; in one process the second write is an error."""
    output: list[str] = []

    def call(file: str) -> SimpleNamespace:
        return SimpleNamespace(when="call", user_properties=[("lineage golden file", file), ("other", "x")])

    setup = SimpleNamespace(when="setup", user_properties=call("lineage/a.json").user_properties)
    passed = [call("lineage/a.json"), setup, call("lineage/b.json")]
    stats = {"passed": passed, "failed": [call("lineage/a.json")]}
    plugin.pytest_terminal_summary(SimpleNamespace(stats=stats, write_line=output.append))
    assert output == [
        "lineage: wrote lineage/a.json, 2 times: use a different name for each assert_golden",
        "lineage: wrote lineage/b.json",
    ]
