"""Shows on standard error what a command is waiting for, where a person would otherwise look at nothing.

It is there while nothing has been written for a moment, and gone as soon as something is. A pipe has none of it, in either
direction: who reads from the command may draw on the same terminal.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from sac_kafka.cli.terminal import console_of, is_for_people
from sac_kafka.figures import counted
from sac_kafka.readable.drawing import writable

if TYPE_CHECKING:
    from rich.progress import Progress

_MOMENT_SECONDS = 0.5
_LOOKED_SECONDS = 0.1
_BAR = 12
_BESIDE = 56
"""Characters of a line for all but what is done: a spinner, numbers, the bar, the time."""
_LEAST = 16


class WaitedFor:
    """What is waited for, silently: nothing is shown of it.

    Args:
        what: What is done meanwhile, such as `reading topic`.
        unit: What is counted.
        of: How many there are; None where nobody knows.
    """

    is_seen = False
    """Whether a person sees it."""

    def __init__(self, what: str, unit: str, of: int | None) -> None:
        self.what = what
        self.unit = unit
        self.of = of
        self.number = 0

    def add(self, number: int = 1) -> None:
        """Count some more."""
        self.number += number

    def reach(self, number: int) -> None:
        """Have counted so many in all."""
        self.number = number

    def make_room(self) -> None:
        """Be gone for a moment: something is about to be written."""

    def end(self) -> None:
        """Be gone for good."""


class _Shown(WaitedFor):
    """What is waited for, shown by rich once nothing was written for a moment; a thread sees to that."""

    is_seen = True

    def __init__(self, what: str, unit: str, of: int | None) -> None:
        super().__init__(what, unit, of)
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._since = time.monotonic()
        self._progress: Progress | None = None
        self._room = _LEAST
        self._thread = threading.Thread(target=self._look, name="sac-kafka-waiting", daemon=True)
        self._thread.start()

    def make_room(self) -> None:
        """Be gone for a moment: something is about to be written."""
        with self._lock:
            self._since = time.monotonic()
            self._hide()

    def end(self) -> None:
        """Be gone for good."""
        self._is_over.set()
        self.make_room()
        self._thread.join()

    def _hide(self) -> None:
        if self._progress is not None:
            with suppress(OSError):  # the terminal is gone
                self._progress.stop()
            self._progress = None

    def _look(self) -> None:
        if hasattr(signal, "pthread_sigmask"):  # Ctrl-C wakes the thread that reads, not this one or those of rich
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while not self._is_over.wait(_LOOKED_SECONDS):
            with suppress(OSError), self._lock:
                if self._progress is not None:
                    self._progress.update(self._progress.task_ids[0], completed=self.number, said=self._said())
                elif time.monotonic() - self._since >= _MOMENT_SECONDS and not self._is_over.is_set():
                    self._progress = self._started()

    def _started(self) -> Progress:
        from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

        console = console_of(sys.stderr)
        spinner = SpinnerColumn("dots" if console.encoding.startswith("utf") else "line")
        self._room = max(console.width - _BESIDE, _LEAST)
        columns: list[ProgressColumn] = [spinner, TextColumn("{task.fields[said]}", markup=False)]
        if self.of:
            columns.append(BarColumn(bar_width=_BAR))
        progress = Progress(
            *columns,
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        progress.add_task("", total=self.of, completed=self.number, said=self._said())
        progress.start()
        return progress

    def _said(self) -> str:
        number = f"{self.number:,} of {self.of:,}" if self.of else f"{self.number:,}"
        what = f"{number} {counted(self.of or self.number, self.unit).partition(' ')[2]}" if self.unit else ""
        shown = writable(self.what, sys.stderr.encoding)
        shown = shown if len(shown) <= self._room else f"{shown[: self._room - 1]}…"
        return "  ".join(filter(None, (shown, what if self.number or self.of else "")))


_under_way: list[WaitedFor] = []
"""What is waited for now, the newest last: whoever writes makes room."""


@contextmanager
def waiting(what: str, unit: str = "", of: int | None = None) -> Iterator[WaitedFor]:
    """Show what is waited for while the block runs; arguments as of `WaitedFor`."""
    shown = (_Shown if _is_shown() else WaitedFor)(what, unit, of)
    _under_way.append(shown)
    try:
        yield shown
    finally:
        if shown in _under_way:
            _under_way.remove(shown)
        shown.end()


def make_room() -> None:
    """Have what is shown be gone for a moment: something is about to be written that may be seen on the same terminal."""
    for each in _under_way:
        each.make_room()


def leave_off() -> None:
    """Have nothing shown any more: the command is over, however it ended."""
    while _under_way:
        _under_way.pop().end()


def _is_shown() -> bool:
    """Whether somebody sees standard error, and nobody reads standard output meanwhile."""
    if _under_way or not is_for_people(sys.stderr):
        return False
    try:
        return is_for_people(sys.stdout) or (
            sys.stdout is not None and stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
        )
    except (OSError, ValueError):
        return False
