"""Status of an application: running while messages are sent, finished or failed after its end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

import pytest

from tests.helpers.messages import entities, validated
from tests.helpers.pipelines import Pipeline
from tests.helpers.waiting import LONG_SECONDS
from tests.helpers.workers import batch
from tests.unit.atlas.flows import CONTEXT


def _statuses(case: str, ended: Mapping[str, bool]) -> list[object]:
    pipeline = Pipeline(CONTEXT)
    sent = [out for line in batch(case).splitlines() for out in pipeline.run(line)]
    sent += pipeline.end(**ended)
    values = [value.decode() for out in sent for value in pipeline.record(out).values]
    return [each["customAttributes"]["status"] for each in entities(validated(values), "spark_application")]


@pytest.mark.parametrize(
    ("ended", "status"),
    [
        ({}, "finished"),
        ({"has_failed": True}, "failed"),
        ({"has_driver_ended": False}, "running"),
        ({"has_driver_ended": False, "has_failed": True}, "running"),
    ],
)
def test_an_application_is_running_until_it_has_ended(ended: Mapping[str, bool], status: str) -> None:
    assert _statuses("union_all", ended) == ["running", status]


@pytest.mark.parametrize(
    ("lines", "has_failed"),
    [
        ([], False),
        (['["parted","2 20",true]'], True),
        (['["parted","2 20",true]', '["parted","3 30",false]'], False),
        (['["parted","2 20",true]', '["python","3 30","{\\"name\\":\\"next\\"}"]'], False),
    ],
)
def test_the_last_python_that_is_served_decides(lines: list[str], *, has_failed: bool) -> None:
    pipeline = Pipeline(CONTEXT)
    for line in lines:
        assert list(pipeline.run(line)) == []
    assert pipeline.has_served_failed is has_failed


_DRIVER = """
import os, signal, sys
from sac_kafka.hook import exits
exits.watch(lambda: print(exits.has_driver_failed(), flush=True))
"""
_SERVING = """
import os, signal
from sac_kafka.hook import exits
exits.watch(lambda: print(exits.has_driver_failed(True), exits.has_driver_failed(False), flush=True), runs_job=False)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "has_failed"),
    [
        ("", False),
        ("sys.exit(0)", False),
        ("raise ValueError", True),
        ("sys.last_value = None", False),
        ("os.kill(os.getpid(), signal.SIGTERM)", True),
        ("exits.note_status(3)", True),
        ("exits.note_status('a text')", True),
        ("exits.note_status(0)", False),
        ("exits.note_status(None)", False),
        ("sys.ps1 = '>>> '; sys.last_value = ValueError()", False),
    ],
)
def test_a_driver_has_failed_that_an_error_or_a_signal_ends(ends: str, *, has_failed: bool) -> None:
    driver = [sys.executable, "-c", _DRIVER + ends]
    done = subprocess.run(driver, capture_output=True, text=True, timeout=LONG_SECONDS, check=False)
    assert done.stdout.split() == [str(has_failed)]


@pytest.mark.parametrize(
    ("ends", "failed"), [("", "True False"), ("os.kill(os.getpid(), signal.SIGTERM)", "True True")]
)
def test_a_python_that_runs_no_job_fails_with_those_that_it_serves(ends: str, failed: str) -> None:
    driver = [sys.executable, "-c", _SERVING + ends]
    done = subprocess.run(driver, capture_output=True, text=True, timeout=LONG_SECONDS, check=False)
    assert done.stdout.strip() == failed
