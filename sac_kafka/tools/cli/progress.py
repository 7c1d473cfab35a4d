"""Show a progress indicator on standard error while a command waits.

The indicator appears after half a second without output and is hidden before each output. It is shown on a terminal only,
and not if standard output is a pipe: the program that reads it may write to the same terminal.
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

from sac_kafka.stats import counted
from sac_kafka.tools.cli.terminal import console_of, is_interactive
from sac_kafka.tools.graph.drawing import writable

if TYPE_CHECKING:
    from rich.progress import Progress

_DELAY_SECONDS = 0.5
_REFRESH_SECONDS = 0.1
_BAR_WIDTH = 12
_RESERVED = 56
"""Characters of a line for the spinner, numbers, bar and time; the rest is for the description."""
_MIN_TEXT = 16


class Indicator:
    """Progress of a task, which this class counts and does not show.

    Args:
        what: The task, such as `reading topic`.
        unit: The unit that is counted, singular; "" to count without showing it.
        total: The expected number; None if unknown.
    """

    is_visible = False

    def __init__(self, what: str, unit: str, total: int | None) -> None:
        self.what = what
        self.unit = unit
        self.total = total
        self.number = 0

    def add(self, number: int = 1) -> None:
        """Add to the number done."""
        self.number += number

    def set(self, number: int) -> None:
        """Set the number done."""
        self.number = number

    def hide(self) -> None:
        """Hide the indicator until nothing has been written for a while."""

    def end(self) -> None:
        """Remove the indicator."""


class _TerminalIndicator(Indicator):
    """Progress that a background thread draws with rich."""

    is_visible = True

    def __init__(self, what: str, unit: str, total: int | None) -> None:
        super().__init__(what, unit, total)
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._since = time.monotonic()
        self._progress: Progress | None = None
        self._text_width = _MIN_TEXT
        self._thread = threading.Thread(target=self._refresh, name="sac-kafka-progress", daemon=True)
        self._thread.start()

    def hide(self) -> None:
        """Hide the indicator until nothing has been written for a while."""
        with self._lock:
            self._since = time.monotonic()
            self._stop()

    def end(self) -> None:
        """Remove the indicator and wait for its thread."""
        self._is_over.set()
        self.hide()
        self._thread.join()

    def _stop(self) -> None:
        if self._progress is not None:
            with suppress(OSError):  # the terminal is closed
                self._progress.stop()
            self._progress = None

    def _refresh(self) -> None:
        if hasattr(signal, "pthread_sigmask"):  # Ctrl-C must interrupt the main thread, not this one or those of rich
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while not self._is_over.wait(_REFRESH_SECONDS):
            with suppress(OSError), self._lock:
                if self._progress is not None:
                    self._progress.update(self._progress.task_ids[0], completed=self.number, text=self._text())
                elif time.monotonic() - self._since >= _DELAY_SECONDS and not self._is_over.is_set():
                    self._progress = self._started()

    def _started(self) -> Progress:
        from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn

        console = console_of(sys.stderr)
        spinner = SpinnerColumn("dots" if console.encoding.startswith("utf") else "line")
        self._text_width = max(console.width - _RESERVED, _MIN_TEXT)
        columns: list[ProgressColumn] = [spinner, TextColumn("{task.fields[text]}", markup=False)]
        if self.total:
            columns.append(BarColumn(bar_width=_BAR_WIDTH))
        progress = Progress(
            *columns,
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        progress.add_task("", total=self.total, completed=self.number, text=self._text())
        progress.start()
        return progress

    def _text(self) -> str:
        number = f"{self.number:,} of {self.total:,}" if self.total else f"{self.number:,}"
        done = f"{number} {counted(self.total or self.number, self.unit).partition(' ')[2]}" if self.unit else ""
        text = writable(self.what, sys.stderr.encoding)
        text = text if len(text) <= self._text_width else f"{text[: self._text_width - 1]}…"
        return "  ".join(filter(None, (text, done if self.number or self.total else "")))


_active: list[Indicator] = []
"""Indicators of running tasks, the newest last."""


@contextmanager
def show_progress(what: str, unit: str = "", total: int | None = None) -> Iterator[Indicator]:
    """Show the progress of a task while the block runs; arguments as of `Indicator`."""
    indicator = (_TerminalIndicator if _is_possible() else Indicator)(what, unit, total)
    _active.append(indicator)
    try:
        yield indicator
    finally:
        if indicator in _active:
            _active.remove(indicator)
        indicator.end()


def hide_progress() -> None:
    """Hide all indicators; called before each output, which may go to the same terminal."""
    for each in _active:
        each.hide()


def end_progress() -> None:
    """Remove all indicators when a command ends, normally or not."""
    while _active:
        _active.pop().end()


def _is_possible() -> bool:
    """Return whether standard error is a terminal, and standard output a terminal or a file."""
    if _active or not is_interactive(sys.stderr):
        return False
    try:
        return is_interactive(sys.stdout) or (
            sys.stdout is not None and stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
        )
    except (OSError, ValueError):
        return False
