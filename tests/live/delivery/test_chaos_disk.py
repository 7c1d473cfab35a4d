"""The full disk of the chaos rounds is full for a driver, whether it is a mounted one or a limit of the process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.delivery.chaos_faults import SpoolDisk

pytestmark = pytest.mark.full

WRITER = """
import sys
for line in sys.stdin:
    try:
        with open(sys.argv[1], "ab") as file:
            file.write(b"x" * 8000)  # more than what is left of a page
        print("written", flush=True)
    except OSError as error:
        print(error.strerror, flush=True)
"""


@pytest.fixture(params=["mounted", "limited"])
def disk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SpoolDisk]:
    if request.param == "limited":
        monkeypatch.setenv("PATH", "")  # no program to mount with
    disk = SpoolDisk(tmp_path / "spool")
    if request.param == "mounted" and not disk.is_mounted:
        pytest.skip("mounting is not allowed here: the rounds use the other way")
    assert disk.is_mounted == (request.param == "mounted")
    monkeypatch.undo()
    yield disk
    disk.close()


def test_a_driver_can_write_before_and_afterwards_only(disk: SpoolDisk) -> None:
    command = [sys.executable, "-c", WRITER, str(disk.folder / "file")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as driver:

        def written() -> str:
            assert driver.stdin is not None
            assert driver.stdout is not None
            print("go", file=driver.stdin, flush=True)
            return driver.stdout.readline().strip()

        assert written() == "written"
        disk.fill(driver.pid)
        assert written() in ("No space left on device", "File too large")
        disk.empty()
        assert written() == "written"
