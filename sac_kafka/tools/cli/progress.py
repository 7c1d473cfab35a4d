"""Show a progress indicator on standard error while a command waits.

The indicator is removed before each output. It is shown on a terminal only, with rich, and not if standard output is a
pipe: the program that reads it may write to the same terminal.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.terminal import console_of, is_interactive
from sac_kafka.tools.graph.drawing import writable

if TYPE_CHECKING:
    from rich.progress import Progress

_HIDDEN_SECONDS = 0.5
"""Seconds of work before the indicator is shown, at the beginning and after an output."""


class Indicator:
    """Progress of a task, drawn by rich if it `is_visible`, else only counted.

    `unit` is singular, "" to count without showing it; `total` is None if unknown.
    """

    def __init__(self, what: str, unit: str, total: int | None, *, is_visible: bool) -> None:
        self._unit = unit
        self._total = total
        self._number = 0
        self._progress = _drawn(writable(what, sys.stderr.encoding), total) if is_visible else None
        self._is_started = False
        self._hidden_at = time.monotonic()
        self._lock = threading.RLock()
        self._has_been_hidden = False
        self._timer = threading.Timer(_HIDDEN_SECONDS, self._show_first)
        self._timer.daemon = True

    @property
    def is_visible(self) -> bool:
        """Whether it may be drawn."""
        return self._progress is not None

    def add(self) -> None:
        """Count one more."""
        self.set(self._number + 1)

    def set(self, number: int) -> None:
        """Set the number done."""
        self._number = number
        if self._progress is None:
            return
        done = f"{number:,} of {self._total:,}" if self._total else f"{number:,}"
        units = with_noun(self._total or number, self._unit).partition(" ")[2]
        task = self._progress.task_ids[0]
        self._progress.update(task, completed=number, done=f"{done} {units}" if self._unit else "")
        if not self._is_started and time.monotonic() - self._hidden_at >= _HIDDEN_SECONDS:
            self._show()

    def hide(self) -> None:
        """Hide the indicator until something is counted half a second later."""
        self._timer.cancel()
        with self._lock:
            self._has_been_hidden = True
            self._hidden_at = time.monotonic()
            if self._progress is not None and self._is_started:
                self._is_started = False
                with suppress(OSError):  # the terminal is closed
                    self._progress.stop()

    def start(self) -> None:
        """Show the indicator after half a second, unless it is hidden before."""
        if self._progress is not None:
            with suppress(RuntimeError):  # no further thread is possible
                self._timer.start()

    def _show_first(self) -> None:
        with self._lock:
            if not self._has_been_hidden:
                self._show()

    def _show(self) -> None:
        with self._lock:
            if self._progress is not None and not self._is_started:
                self._is_started = True
                with suppress(OSError):
                    self._progress.start()


def _drawn(what: str, total: int | None) -> Progress:
    """Return the progress of one task in rich."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    console = console_of(sys.stderr)
    progress = Progress(
        SpinnerColumn("dots" if console.encoding.startswith("utf") else "line"),
        TextColumn("{task.description}", markup=False, table_column=Column()),  # the only one that may wrap
        TextColumn("{task.fields[done]}"),
        *((BarColumn(bar_width=12),) if total else ()),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    progress.add_task(what, total=total, done="")
    return progress


_active: list[Indicator] = []
"""Indicators of running tasks, the newest last."""


@contextmanager
def show_progress(what: str, unit: str = "", total: int | None = None) -> Iterator[Indicator]:
    """Show the progress of a task while the block runs; arguments as of `Indicator`."""
    indicator = Indicator(what, unit, total, is_visible=_is_possible())
    _active.append(indicator)
    try:
        indicator.start()
        yield indicator
    finally:
        indicator.hide()
        if indicator in _active:
            _active.remove(indicator)


def hide_progress() -> None:
    """Hide all indicators; called before each output, which may go to the same terminal."""
    for indicator in _active:
        indicator.hide()


def end_progress() -> None:
    """Remove all indicators when a command ends, normally or not."""
    while _active:
        _active.pop().hide()


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
