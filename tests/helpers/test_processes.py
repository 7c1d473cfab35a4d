"""A test that fails leaves no process to the next one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.helpers.processes import ended_after_failure


def test_processes_of_a_block_that_fails_end() -> None:
    with pytest.raises(AssertionError, match="on purpose"), ended_after_failure():
        process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        raise AssertionError("on purpose")
    assert process.returncode is not None
    assert process.stdin is not None and process.stdin.closed


def test_processes_of_a_block_that_passes_stay() -> None:
    with ended_after_failure():
        process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert process.poll() is None
    process.communicate(b"\n")
