"""The package's logger. A log call never raises: what a user's handler or filter does is not to end a job or a capture.

No line shows a known form of a secret, wherever the user has pasted it: a name, an address, a path.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from sac_kafka.config.secrets import mask_line

on_error: Callable[[str, Exception], None] | None = None
"""Told of every error within a log call, with the stage "log"; set by tests only."""

_MAX_WARNED = 32
_LONG = 40
_is_over = threading.Event()


def fall_silent() -> None:
    """Log nothing from now on: a thread that was given up must hold no stream's lock while the interpreter ends."""
    _is_over.set()


class Logger(logging.LoggerAdapter):  # type: ignore[type-arg] # it takes none at run time in Python 3.10
    """A logger. Where nobody has configured logging, Python shows nothing but the text: there that says who speaks."""

    def __init__(self, name: str) -> None:
        super().__init__(logging.getLogger(name), {})
        self._warned: deque[str] = deque(maxlen=_MAX_WARNED)

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:  # noqa: ANN401 the base's
        """Log at this level; errors of handlers are suppressed."""
        try:
            if not _is_over.is_set() and self.logger.isEnabledFor(level):
                said, shown = _said(msg, args)
                if shown != said:
                    msg, args = "%s", (shown,)
                text = msg if self.logger.hasHandlers() else f"sac_kafka: {msg}"
                self.logger.log(level, text, *args, stacklevel=2, **kwargs)
                if level >= logging.WARNING:
                    self._warned.append(said)
        except Exception as e:  # noqa: BLE001 the job goes on
            if on_error is not None:
                on_error("log", e)

    def good(self, msg: str, *args: object) -> None:
        """Log good news at INFO; where nobody has configured logging, which hides INFO, a terminal shows them."""
        self.log(logging.INFO, msg, *args)
        try:
            if _is_over.is_set() or self.logger.hasHandlers() or self._hides_info():
                return
            if sys.stderr is not None and sys.stderr.isatty():
                sys.stderr.write(f"sac_kafka: {_said(msg, args)[1]}\n")
        except Exception as e:  # noqa: BLE001 the job goes on
            if on_error is not None:
                on_error("log", e)

    def _hides_info(self) -> bool:
        """Whether somebody wants no INFO: a root's WARNING is Python's own."""
        is_pythons = not self.logger.level and logging.root.level == logging.WARNING
        is_above = self.logger.getEffectiveLevel() > logging.INFO and not is_pythons
        return is_above or logging.root.manager.disable >= logging.INFO

    def above(self, reason: str) -> str:
        """The reason, with "see above" for what of it is long and a warning of late has said."""
        if self._has_warned(reason):
            return "see above"
        head, mark, tail = reason.partition("; ")
        return f"{head}{mark}see above" if self._has_warned(tail) else reason

    def _has_warned(self, text: str) -> bool:
        sentence = _without_detail(text)
        return len(sentence) > _LONG and any(sentence in warned for warned in self._warned)


def _without_detail(text: str) -> str:
    """The text without the parentheses at its end: of one trouble a client tells different details."""
    if not text.endswith(")"):
        return text
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return text[:at].rstrip()
    return text


def _said(msg: object, args: tuple[object, ...]) -> tuple[str, str]:
    """The line as it would be, and as it may be shown."""
    said = str(msg) % args if args else str(msg)
    return said, mask_line(said)


logger = Logger("sac_kafka")
