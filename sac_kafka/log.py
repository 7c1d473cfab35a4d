"""Log for the package: calls never raise, so that a user's handler or filter cannot break a job or the hook.

Known forms of secrets are masked in every line, even if a name, an address or a path contains them; characters that would forge
a line are escaped.
"""

from __future__ import annotations

import io
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from sac_kafka.escaping import escape
from sac_kafka.masking import mask_line

on_error: Callable[[str, Exception], None] | None = None
"""Called with the stage "log" and each error of a log call; set by tests only."""

_MAX_WARNED = 32
_LONG = 40
_is_over = threading.Event()


def fall_silent() -> None:
    """Disable logging: an abandoned thread must not hold a stream's lock while the interpreter exits."""
    _is_over.set()


def write_line(line: str) -> None:
    """Write a line to standard error; in a notebook's kernel to the kernel's own, not to the output of a cell."""
    stream = sys.stderr
    if stream is None:
        return
    if type(stream).__module__.startswith("ipykernel."):
        try:
            os.write(stream.fileno(), f"{line}\n".encode("utf-8", "replace"))
            return
        except io.UnsupportedOperation:  # it does not capture the process' standard error
            stream = sys.__stderr__ or stream
    stream.write(f"{line}\n")
    stream.flush()


class Logger(logging.LoggerAdapter):  # type: ignore[type-arg] # it takes none at run time in Python 3.10
    """A logger that prefixes lines with the package's name if logging is not configured and Python prints the bare text.

    `is_for_console` is set while messages go to the console: then `good` is also shown where standard error is a pipe, as that
    of a driver started by spark-submit. `report` writes the lines that every driver's log has.
    """

    def __init__(self, name: str) -> None:
        super().__init__(logging.getLogger(name), {})
        self.is_for_console = False
        self._warned: deque[str] = deque(maxlen=_MAX_WARNED)

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:  # noqa: ANN401 the base's
        """Log at this level; errors of handlers are suppressed."""
        try:
            if not _is_over.is_set() and self.logger.isEnabledFor(level):
                raw, safe = _format(msg, args)
                if safe != raw:
                    msg, args = "%s", (safe,)
                text = msg if self.logger.hasHandlers() else f"sac_kafka: {msg}"
                self.logger.log(level, text, *args, stacklevel=2, **kwargs)
                if level >= logging.WARNING:
                    self._warned.append(raw)
        except Exception as e:  # noqa: BLE001 the job goes on
            if on_error is not None:
                on_error("log", e)

    def good(self, msg: str, *args: object) -> None:
        """Log at INFO; if logging is not configured, which hides INFO, write the line to standard error if people see it."""
        self.log(logging.INFO, msg, *args)
        try:
            if _is_over.is_set() or self.logger.hasHandlers() or self._hides(logging.INFO):
                return
            if sys.stderr is not None and (self.is_for_console or sys.stderr.isatty()):
                write_line(f"sac_kafka: {_format(msg, args)[1]}")
        except Exception as e:  # noqa: BLE001 the job goes on
            if on_error is not None:
                on_error("log", e)

    def report(
        self, level: int, line: str, write: Callable[[str], None] = write_line, *, is_json: bool = False
    ) -> None:
        """Write a line that every driver's log has: log it if a handler shows its level, else call `write`.

        INFO counts as shown by default. JSON (`is_json`) is not changed: its texts are masked already.
        """
        try:
            if _is_over.is_set():
                return
            safe = line if is_json else _format("%s", (line,))[1]
            if self._shows(level):
                self.logger.log(level, "%s", safe)
            elif not self._hides(level):
                write(safe if is_json else f"sac_kafka: {safe}")
        except Exception as e:  # noqa: BLE001 the job goes on
            if on_error is not None:
                on_error("log", e)

    def _shows(self, level: int) -> bool:
        """Return whether a configured handler shows lines of a level."""
        if not self.logger.isEnabledFor(level):
            return False
        at: logging.Logger | None = self.logger
        while at is not None:
            if any(handler.level <= level for handler in at.handlers):
                return True
            at = at.parent if at.propagate else None
        return False

    def _hides(self, level: int) -> bool:
        """Return whether the user has disabled a level; WARNING at the root logger is Python's default."""
        is_default = not self.logger.level and logging.root.level == logging.WARNING
        is_above = self.logger.getEffectiveLevel() > level and not is_default
        return is_above or logging.root.manager.disable >= level

    def above(self, reason: str) -> str:
        """Shorten a reason: long parts that a recent warning contained become "see above"."""
        if self._has_warned(reason):
            return "see above"
        head, mark, tail = reason.partition("; ")
        return f"{head}{mark}see above" if self._has_warned(tail) else reason

    def _has_warned(self, text: str) -> bool:
        sentence = _without_detail(text)
        return len(sentence) > _LONG and any(sentence in warned for warned in self._warned)


def _without_detail(text: str) -> str:
    """Return the text without the parentheses at its end, in which a client gives varying details of the same failure."""
    if not text.endswith(")"):
        return text
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return text[:at].rstrip()
    return text


def _format(msg: object, args: tuple[object, ...]) -> tuple[str, str]:
    """Return the formatted line raw, and masked and escaped."""
    line = str(msg) % args if args else str(msg)
    return line, escape(mask_line(line))


logger = Logger("sac_kafka")
