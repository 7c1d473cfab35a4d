"""The plug-in in runs of pytest without a Spark: what it loads, and what it says where there is no session."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

import pytest

from sac_kafka.testing import plugin

ROOT = Path(__file__).parents[2]
PLUGIN = "sac_kafka.testing.plugin"


def test_it_loads_neither_spark_nor_the_hook() -> None:
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
    # On the checkout alone nothing names it; an environment with a wheel in it does, and twice is an error.
    is_named = "SAC_KAFKA_TEST_INSTALLED" in os.environ or entry_points(group="pytest11", name="sac_kafka")
    plugin = [] if is_named else ["-p", PLUGIN]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line", "-W", "error", *plugin, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": on_path, "PYTEST_ADDOPTS": ""},
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

@pytest.fixture
def broken(absent):
    return None

class Watching(watching.Watching):
    is_any = True
    def messages(self):
        return (Path("message.json").read_text("utf-8"),)

watching.Watching = Watching
"""
GOLDEN = "def test_a(lineage):\n    lineage.assert_golden('a')\n"


def test_what_it_says_without_a_session(tmp_path: Path) -> None:
    tests = (
        "def test_plain():\n    pass\n\n"
        "def test_asks(lineage):\n    lineage.columns('a.b')\n\n"
        "def test_is_no_session(lineage):\n    lineage.attach(object())\n\n"
        "def test_has_it_and_does_not_ask(lineage):\n    assert 'without a session' in repr(lineage)\n"
    )
    said = run(tmp_path, tests)
    assert "2 failed, 2 passed" in said
    assert "no Spark session is watched: have a fixture `spark` give it" in said
    assert "the session cannot be watched, the hook is disabled: attach needs a SparkSession, got object" in said


def test_a_fixture_that_lacks_another_is_the_users_error(tmp_path: Path) -> None:
    said = run(tmp_path, "def test_a(lineage):\n    pass\n", "-o", "lineage_spark_fixture=broken", conftest=FAKE)
    assert "fixture 'absent' not found" in said


@pytest.mark.full
def test_golden_files_are_written_and_named_also_by_workers(tmp_path: Path) -> None:
    golden = ROOT / "tests" / "atlas" / "golden" / "first_sight.json"
    (tmp_path / "message.json").write_text(golden.read_text("utf-8"), "utf-8")
    said = run(tmp_path, GOLDEN, "--lineage-update", "-n", "1", conftest=FAKE)
    assert "lineage: wrote lineage/a.json\n" in said
    assert "1 passed" in said
    assert "lineage: wrote" not in (said := run(tmp_path, GOLDEN, "-o", "lineage_spark_fixture=own", conftest=FAKE))
    assert "1 passed" in said


def test_a_golden_file_of_two_workers_is_told() -> None:
    """In one process the second one is an error; each of two workers has written its own."""
    said: list[str] = []

    def call(file: str) -> SimpleNamespace:
        return SimpleNamespace(when="call", user_properties=[("lineage golden file", file), ("other", "x")])

    setup = SimpleNamespace(when="setup", user_properties=call("lineage/a.json").user_properties)
    passed = [call("lineage/a.json"), setup, call("lineage/b.json")]
    stats = {"passed": passed, "failed": [call("lineage/a.json")]}
    plugin.pytest_terminal_summary(SimpleNamespace(stats=stats, write_line=said.append))
    assert said == [
        "lineage: wrote lineage/a.json, 2 times: give each assert_golden a name of its own",
        "lineage: wrote lineage/b.json",
    ]
