"""Keeps secrets out of Py4J's logs: at DEBUG it writes every command and answer, also those with passwords and keys."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOGGERS = tuple(map(logging.getLogger, ("py4j.clientserver", "py4j.java_gateway")))


class _Filter(logging.Filter):
    """Drops what the threads log that are within `unlogged`, but for warnings."""

    def __init__(self) -> None:
        super().__init__()
        self.here = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or getattr(self.here, "depth", 0) == 0


_FILTER = _Filter()


@contextmanager
def unlogged() -> Iterator[None]:
    """Let Py4J log no calls of this thread; other threads' are logged as before. May be nested."""
    for logger in _LOGGERS:
        logger.addFilter(_FILTER)  # stays, once only: taking it away could cost another thread its protection
    here = _FILTER.here
    here.depth = getattr(here, "depth", 0) + 1
    try:
        yield
    finally:
        here.depth -= 1
