"""What a spool can tell of its records, to any thread that asks."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from sac_kafka.transport.spool.keeping import Keeping
from sac_kafka.transport.spool.tally import KINDS

_LOCK_SECONDS = 0.5


class _Lock(Protocol):
    """What `threading.RLock()` gives: it is no class before Python 3.13."""

    def acquire(self, *, timeout: float) -> bool: ...

    def release(self) -> None: ...


class Account:
    """Counts what is in the files, under way and settled.

    Who holds the spool's lock may hang on a disk that does not answer: nobody who only asks hangs with it. What is looked
    at may be in between two states then.

    Args:
        lock: The spool's.
        keeping: What is in the files, what the transport has, and what became of the others.
    """

    def __init__(self, lock: _Lock, keeping: Keeping) -> None:
        self._lock = lock
        self._backlog = keeping.backlog
        self._under_way = keeping.under_way
        self._tally = keeping.tally
        self._is_stuck = False

    def counts(self) -> Mapping[str, int]:
        """Records by what became of them; `spooled` are those of this driver that wait in files."""
        with self._looked_at():
            return self._counted()

    def reasons(self, waiting: str) -> Mapping[str, Mapping[str, int]]:
        """Why records were dropped or rejected, and why those that are spooled wait (`waiting`): by what became of them."""
        with self._looked_at():
            spooled = self._counted()["spooled"]
            reasons = {kind: dict(each) for kind, each in self._tally.reasons.items()}
            return {**reasons, "spooled": {waiting: spooled} if spooled else {}}

    def figures(self) -> Mapping[str, Any]:
        """The directory, and how many files, records and bytes wait there."""
        with self._looked_at():
            return {"directory": str(self._backlog.directory), **self._backlog.figures}

    def _counted(self) -> dict[str, int]:
        kept = sum(each.is_own and each.place is not None for each in self._under_way.all())
        spooled = max(0, self._backlog.own_left - kept)
        return {**{kind: self._tally.counts[kind] for kind in KINDS}, "spooled": spooled}

    @contextlib.contextmanager
    def _looked_at(self) -> Iterator[None]:
        is_held = self._lock.acquire(timeout=0.0 if self._is_stuck else _LOCK_SECONDS)
        self._is_stuck = not is_held  # it is waited for once
        try:
            yield
        finally:
            if is_held:
                self._lock.release()
