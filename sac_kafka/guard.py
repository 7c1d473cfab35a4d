"""Keep errors of this package away from the Spark job: count them by stage and class, log the first of each, swallow them.

Tests set `on_error` to see every error. KeyboardInterrupt and SystemExit belong to the user and always pass.
"""

from __future__ import annotations

import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from sac_kafka.escaping import escape
from sac_kafka.log import logger
from sac_kafka.masking import mask_value

on_error: Callable[[str, Exception], None] | None = None
"""Called with the stage and each swallowed error; set by tests only."""


class Guard:
    """The guard of one hook, with its counters."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.RLock()  # Reentrant: a signal handler may interrupt the thread that holds it.

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of swallowed errors by `stage: class of the error`."""
        with self._lock:
            return dict(self._counts)

    @contextmanager
    def __call__(self, stage: str, *expected: type[Exception]) -> Iterator[None]:
        """Run a stage; an error ends the block and is swallowed. Those of `expected` classes are normal, and not counted."""
        try:
            yield
        except expected as e:
            logger.debug("%s: %s", stage, e)
        except Exception as e:  # noqa: BLE001 the purpose of this class
            self._record_error(stage, e)

    def _record_error(self, stage: str, e: Exception) -> None:
        kind = f"{stage}: {type(e).__name__}"
        with self._lock:
            self._counts[kind] += 1
            is_first = self._counts[kind] == 1
        if is_first:
            logger.warning("an error in %s, the job goes on: %s", stage, describe(e))
        if on_error is not None:
            on_error(stage, e)


def describe(e: BaseException) -> str:
    """Return an error as one line: class, masked message, file and line (no values of variables)."""
    frames = traceback.extract_tb(e.__traceback__)
    where = f" at {escape(frames[-1].filename.rpartition('/')[2])}:{frames[-1].lineno}" if frames else ""
    message = escape(mask_value(" ".join(str(e).split()))[:500])
    return f"{type(e).__name__}: {message}{where}"
