"""Pauses of a user's thread because of wide and long statements, with the hook and without.

    python -m benchmarks.stalls

Python code gives the GIL to others every 5 ms, a call of C (`json`, `re`, `sort`) only when it is over. Two figures say how long
that takes: the longest that a thread that wants to run every 2 ms did not, and the longest calls of the hook's threads in their
own CPU time. What such a call has to do at most is counted by `tests/unit/hook/test_stalls.py`.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import sac_kafka
from tests.helpers.live_runs import session
from tests.live.spark.wide_statements import run_wide_statements

OF_THE_HOOK = "sac-kafka"
"""How the names of its threads begin."""
FLUSH_SECONDS = 300.0
_TICK_SECONDS = 0.002
_SHOWN_SECONDS = 0.005
_MAX_SHOWN = 5


class Calls:
    """The longer calls of the hook's threads, in their CPU time: between two events of a profile function is at most one.

    Calls that give the GIL back (compression, files) count, too, so it is too much rather than too little. Python's garbage
    collector is separate: its time depends on all that the process holds.
    """

    def __init__(self) -> None:
        self._here = threading.local()
        self.longer: list[tuple[float, str]] = []
        self.collections: list[float] = []

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure threads that start within the block."""
        gc.callbacks.append(self._collecting)
        threading.setprofile(self._take)
        try:
            yield
        finally:
            gc.callbacks.remove(self._collecting)
            threading.setprofile(None)  # type: ignore[arg-type] # as documented

    def _take(self, frame: FrameType, event: str, what: object) -> None:
        here = self._here
        if getattr(here, "collects_since", None) is not None or frame.f_code is Calls._collecting.__code__:
            return
        now = time.thread_time()
        since = getattr(here, "since", None)
        if since is None and not threading.current_thread().name.startswith(OF_THE_HOOK):
            sys.setprofile(None)
            return
        if since is not None and now - since > _SHOWN_SECONDS:
            code = frame.f_code
            self.longer.append(
                (now - since, f"{code.co_filename}:{frame.f_lineno} {code.co_name} {event} {what!r:.60}")
            )
        here.since = time.thread_time()

    def _collecting(self, phase: str, _: dict[str, Any]) -> None:
        here = self._here
        if phase == "start":
            here.collects_since = time.thread_time()
        elif getattr(here, "since", None) is None:  # another thread
            here.collects_since = None
        else:
            taken = time.thread_time() - here.collects_since
            self.collections.append(taken)
            here.since += taken
            here.collects_since = None


class Ticker:
    """A thread of the user's that wants to run every 2 ms; `worst` is the longest that it did not, in seconds."""

    def __init__(self) -> None:
        self.worst = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="user-ticker", daemon=True)

    def _tick(self) -> None:
        before = time.monotonic()
        while not self._is_over.wait(_TICK_SECONDS):
            now = time.monotonic()
            self.worst = max(self.worst, now - before)
            before = now

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Tick within the block."""
        self._thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            self._thread.join()


def main() -> None:
    """Print the figures."""
    alone, with_hook, calls = Ticker(), Ticker(), Calls()
    with tempfile.TemporaryDirectory() as work:
        spark = session(work)
        try:
            run_wide_statements(spark, f"{work}/warm")
            for table in ("chosen", "long"):
                spark.sql(f"drop table {table}")
            with alone.ticking():
                run_wide_statements(spark.newSession(), f"{work}/alone")
            for table in ("chosen", "long"):
                spark.sql(f"drop table {table}")
            with calls.measured():
                hook = sac_kafka.attach(spark, client_type="file", client_file_path=Path(work) / "messages.jsonl")
                with with_hook.ticking():
                    run_wide_statements(spark, f"{work}/with_hook")
                    if not hook.flush(FLUSH_SECONDS):
                        raise SystemExit(f"the hook is not done: {hook.stats()}")
                hook.detach()
        finally:
            spark.stop()
    print(
        f"longest pause of a user's thread: {alone.worst * 1000:.0f} ms without the hook, {with_hook.worst * 1000:.0f} with it"
    )
    print(f"longest collection of the hook's threads: {max(calls.collections, default=0.0) * 1000:.0f} ms of CPU")
    print("longest calls of the hook's threads:")
    for seconds, where in sorted(calls.longer, reverse=True)[:_MAX_SHOWN]:
        print(f"  {seconds * 1000:.0f} ms of CPU: {where}")


if __name__ == "__main__":
    main()
