"""Runs one chaos job and follows it on its pipes, which outlive it however it ends."""

from __future__ import annotations

import json
import os
import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.live.delivery.chaos_verdict import Encoded, comparable
from tests.live.jobs.running import JOB_SECONDS, Ran, start

SCRIPT = "chaos_job"


class _Lines:
    """What comes out of a pipe until the other side has ended."""

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()
        self.lines: list[dict[str, Any]] = []
        self.is_over = False
        self.news = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def follow(self) -> None:
        """Read from now on; the job has the other end."""
        os.close(self.write_end)
        self._thread.start()

    def _read(self) -> None:
        with os.fdopen(self.read_end, "rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):  # a driver that was killed leaves half a line
                    with self.news:
                        self.lines.append(json.loads(line))
                        self.news.notify_all()
        with self.news:
            self.is_over = True
            self.news.notify_all()


@dataclass(frozen=True)
class Ended:
    """A job that has ended, and what it reported."""

    ran: Ran
    application: str | None
    statements: int
    encoded: tuple[Encoded, ...]


class ChaosJob:
    """A job that runs."""

    def __init__(self, work: Path, ending: str, writes: int, *, conf: Path | None) -> None:
        self._progress, self._encoded = _Lines(), _Lines()
        pipes = (self._progress.write_end, self._encoded.write_end)
        self._process = start(SCRIPT, str(work), ending, str(writes), conf=conf, hook=conf is not None, pipes=pipes)
        for lines in (self._progress, self._encoded):
            lines.follow()
        self._output: list[str] = ["", ""]
        self._waiter = threading.Thread(target=self._wait, daemon=True)
        self._waiter.start()

    @property
    def pid(self) -> int:
        """The driver's process."""
        return self._process.pid

    def wait_for_statement(self, number: int) -> bool:
        """Wait until so many statements are done; False if the job has ended before."""

        def is_done() -> bool:
            return any(line.get("done", 0) >= number for line in self._progress.lines)

        with self._progress.news:
            came = self._progress.news.wait_for(lambda: is_done() or self._progress.is_over, JOB_SECONDS)
            assert came, f"statement {number} does not come"
            return is_done()

    def kill(self) -> None:
        """End the driver as a crash would (SIGKILL)."""
        self._process.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the driver to end (SIGTERM)."""
        self._process.send_signal(signal.SIGTERM)

    def ended(self) -> Ended:
        """Wait for the job's end."""
        self._waiter.join(JOB_SECONDS + 60)
        assert not self._waiter.is_alive(), "the job does not end"
        for lines in (self._progress, self._encoded):
            with lines.news:
                assert lines.news.wait_for(lambda lines=lines: lines.is_over, 60), "a pipe is still open"
        lines = self._progress.lines
        return Ended(
            ran=Ran(self._process.returncode, *self._output),
            application=next((line["application"] for line in lines if "application" in line), None),
            statements=max((line["done"] for line in lines if "done" in line), default=0),
            encoded=_encoded(self._encoded.lines),
        )

    def _wait(self) -> None:
        self._output[:] = self._process.communicate(timeout=JOB_SECONDS)


def _encoded(lines: list[dict[str, Any]]) -> tuple[Encoded, ...]:
    records = [line for line in lines if "encoded" in line]
    handed_over = sum("handed_over" in line for line in lines)
    return tuple(
        Encoded(tuple(map(comparable, line["encoded"])), number < handed_over) for number, line in enumerate(records)
    )
