"""Our errors never reach the Spark job: they are counted by stage and kind, logged once a kind, and swallowed.

In tests `on_error` is set, so that the same guard brings every error to light. KeyboardInterrupt and SystemExit are the
user's and always pass.
"""

from __future__ import annotations

import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from sac_kafka.config.secrets import mask_value
from sac_kafka.log import logger

on_error: Callable[[str, Exception], None] | None = None
"""Told of every swallowed error with its stage; set by tests only."""


class Guard:
    """The guard of one hook, with its counters."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.RLock()  # a signal handler may interrupt who holds it

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each kind of error was swallowed: `stage: class of the error`."""
        with self._lock:
            return dict(self._counts)

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Run a stage; an error in it ends the block and nothing else."""
        try:
            yield
        except Exception as e:  # noqa: BLE001 the one place where this is right
            self._swallowed(stage, e)

    def _swallowed(self, stage: str, e: Exception) -> None:
        kind = f"{stage}: {type(e).__name__}"
        with self._lock:
            self._counts[kind] += 1
            is_first = self._counts[kind] == 1
        if is_first:
            logger.warning("an error in %s, the job goes on: %s", stage, describe(e))
        if on_error is not None:
            on_error(stage, e)


def describe(e: BaseException) -> str:
    """An error in one line: class, masked message, and where it was raised (no values of variables)."""
    frames = traceback.extract_tb(e.__traceback__)
    where = f" at {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else ""
    message = mask_value(" ".join(str(e).split()))[:500]
    return f"{type(e).__name__}: {message}{where}"
