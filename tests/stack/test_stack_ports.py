"""A port that was found is nobody else's, though nothing listens on it yet."""

from __future__ import annotations

import functools
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from stack import ports
from tests.processes import environment

CODE = """
from stack import ports
ports._RANGE = range(31_800, 32_000)
print(*(ports.free_port() for _ in range(60)))
"""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two hundred ports, of which nobody but the test has reserved any."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(ports, "_RANGE", range(31_800, 32_000))
    monkeypatch.setattr(ports, "_given", set())
    monkeypatch.setattr(ports, "_reservations", functools.cache(ports._reservations.__wrapped__))


def given_to_another() -> list[int]:
    done = subprocess.run([sys.executable, "-c", CODE], env=environment(), capture_output=True, text=True, check=True)
    return [int(port) for port in done.stdout.split()]


def test_two_processes_are_never_given_the_same_port() -> None:
    ours = [ports.free_port() for _ in range(60)]
    assert len({*ours, *given_to_another()}) == 120


def test_a_process_that_ends_gives_its_ports_back() -> None:
    assert all(ports._reserved(port) for port in given_to_another())


def test_where_there_is_no_file_for_it_ports_are_found_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_reservations", lambda: None)
    assert len({ports.free_port() for _ in range(60)}) == 60
