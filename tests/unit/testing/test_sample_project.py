"""A separate project that uses the plug-in: that of docs/lineage-tests.md, in a venv with the wheel, and failing tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.project.docs.blocks import ROOT, blocks

pytestmark = [pytest.mark.spark, pytest.mark.exhaustive]
PAGE = ROOT / "docs" / "lineage-tests.md"


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Run pytest once in the project, with the interpreter of its venv, and return its output."""
    folder = tmp_path_factory.mktemp("sample")
    python = _venv(folder / "venv")
    project = folder / "project"
    for block in blocks(PAGE):
        if block.mark and block.mark.kind == "file":
            file = project / block.mark.argument
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, "utf-8")
    for name in ("failing.py", "stopping.py"):
        shutil.copy(Path(__file__).with_name(name), project / f"test_{name}")
    done = subprocess.run(
        [python, "-m", "pytest", "-v", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "error"],
        cwd=project,
        env={**_without_python_path(), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(python)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return re.sub(r"/\S*/project/", "", done.stdout) + done.stderr


def _venv(folder: Path) -> Path:
    """Create a venv that has the wheel, installed as by pip, and sees the environment of the tests."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=200)
    build = "import sys, hatchling.build as h; print(h.build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=400
    )
    (packages,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(folder / built.stdout.split()[-1]) as wheel:
        wheel.extractall(packages)
    (packages / "environment.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return folder / "bin" / "python"


def _without_python_path() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTEST_ADDOPTS")}


def test_passed_and_failed_tests(output: str) -> None:
    found = dict(re.findall(r"^(test_\w+\.py::\w+) (PASSED|FAILED|ERROR)", output, re.M))
    assert {name for name, outcome in found.items() if outcome == "PASSED"} == {
        "test_report.py::test_what_the_report_is_made_of",
        "test_report.py::test_all_of_it",
        "test_failing.py::test_what_others_have_run_does_not_count",
        "test_stopping.py::test_a_job_that_makes_its_own_spark",
        "test_stopping.py::test_a_job_that_needs_no_session",
    }, output
    assert [name for name, outcome in found.items() if outcome == "ERROR"] == [
        "test_stopping.py::test_a_session_that_is_stopped"
    ], output
    assert list(found.values()).count("FAILED") == 8, output
    assert "plugins:" in output and "sac-kafka-" in output  # it was loaded by its entry point, out of the wheel


def _failure(output: str, name: str) -> str:
    """Return the message of a failed test without pytest's marks."""
    text = re.search(rf"^_+ {name} _+$(.*?)(?=^_{{5}}|^={{5}}|^-{{5}})", output, re.M | re.S)
    assert text is not None, output
    lines = [line[1:].strip() for line in text[1].splitlines() if line.startswith("E")]
    return "\n".join(lines).strip()


SEEN = "\n\nseen in this test:\nno dataset ──▶ {tmp_path}/orders\n{tmp_path}/orders ──▶ {tmp_path}/report"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "test_an_input_that_is_not_read",
            "AssertionError: {tmp_path}/report does not have the expected inputs\n\n"
            "customers          expected, not seen\n"
            "ordrs              expected, not seen; did you mean {tmp_path}/orders?\n"
            "{tmp_path}/orders  seen, not expected" + SEEN,
        ),
        (
            "test_an_output_that_is_not_written",
            "AssertionError: reports was not written in this test; did you mean {tmp_path}/report?" + SEEN,
        ),
        (
            "test_a_column_of_another",
            "AssertionError: report.total is not made of the expected columns\n\n"
            "orders.country            expected, not seen\n"
            "{tmp_path}/orders#amount  seen, not expected",
        ),
        (
            "test_a_column_that_is_not_there",
            "AssertionError: report.totl is not a known column of the written datasets; did you mean "
            "{tmp_path}/report#total?\n\nknown columns of {tmp_path}/report:\n"
            "{tmp_path}/report#country\n{tmp_path}/report#size\n{tmp_path}/report#total",
        ),
        (
            "test_a_golden_file_that_is_not_there",
            "AssertionError: the golden file lineage/absent.json does not exist: run pytest --lineage-update, check the file "
            "and commit it" + SEEN,
        ),
        (
            "test_a_golden_file_of_something_else",
            "AssertionError: the lineage differs from lineage/other.json; if the new lineage is correct, run pytest "
            "--lineage-update\n- expected\n+ seen\n\n"
            "+ no dataset ──▶ {tmp_path}/orders\n"
            "+     {tmp_path}/orders#amount = 10.0\n"
            "+     {tmp_path}/orders#country = ?\n"
            "+     {tmp_path}/orders#paid = true\n"
            "{tmp_path}/orders ──▶ {tmp_path}/report\n"
            "{tmp_path}/report#country ◀─ {tmp_path}/orders#country\n"
            "-     {tmp_path}/report#total ◀─ {tmp_path}/orders#net\n"
            "+     {tmp_path}/report#total ◀─ {tmp_path}/orders#amount\n"
            "{tmp_path}/report#size ◁┄ {tmp_path}/orders#amount",
        ),
        (
            "test_a_job_that_only_reads",
            "AssertionError: no lineage was captured: Spark has run 1 query since the test began, but none wrote to a known "
            "dataset\nexecutions without output: 1",
        ),
    ],
)
def test_failure_shows_the_observed_lineage(output: str, name: str, expected: str) -> None:
    failure = _failure(output, name)
    # Expressions are context behind the last difference, where they are captured.
    assert (failure[: len(expected)] if name.endswith("_of_something_else") else failure) == expected


def test_nothing_has_run(output: str) -> None:
    assert _failure(output, "test_nothing_has_run").startswith(
        "AssertionError: no lineage was captured: the watched session has run no query since the test began\n"
    )


def test_a_session_that_an_earlier_test_has_stopped(output: str) -> None:
    assert (
        "LineageTestError: the fixture's session was stopped by an earlier test: create a session for each test"
        in output
    )


def test_page_shows_the_failure_messages() -> None:
    (text,) = [block.text for block in blocks(PAGE) if block.language == "text"]
    assert text.startswith("{tmp_path}/report does not have the expected inputs\n\n")
