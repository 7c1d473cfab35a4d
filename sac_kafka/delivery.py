"""Messages on their way: what is under way, and what became of the rest. Shared by the worker and the thread that waits.

The worker sends; only `counts`, `under_way` and `abandon` may be called by others.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping

from sac_kafka.transport.base import Record
from sac_kafka.transport.undelivered import LOST, SPOOLED, UndeliveredFile

Settled = Callable[[bool], None]
"""Told once for each message whether the server's broker has it."""


class Delivery:
    """Sends records and follows each one to its outcome."""

    def __init__(self, transport: UndeliveredFile) -> None:
        self.transport = transport
        self._lock = threading.Lock()
        self._under_way: dict[int, tuple[Record, Settled]] = {}
        self._next = 0
        self._counts: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()

    def send(self, record: Record, settled: Settled) -> None:
        """Send a record; `settled` is told its end."""
        with self._lock:
            number = self._next
            self._next += 1
            self._under_way[number] = (record, settled)

        def outcome(_: Record, reason: str | None) -> None:
            self._settle(number, reason)

        self.transport.send(record, outcome)

    def abandon(self, reason: str) -> None:
        """Keep what is still under way in the file of undelivered messages: it may be sent twice, but is not lost."""
        with self._lock:
            left = list(self._under_way)
        for number in left:
            with self._lock:
                entry = self._under_way.get(number)
            if entry is not None:
                self._settle(number, self.transport.keep(entry[0], reason))

    @property
    def under_way(self) -> int:
        """How many messages have no outcome yet."""
        with self._lock:
            return len(self._under_way)

    @property
    def counts(self) -> Mapping[str, int]:
        """Messages delivered, spooled and dropped."""
        with self._lock:
            return {kind: self._counts[kind] for kind in ("delivered", "spooled", "dropped")}

    @property
    def reasons(self) -> Mapping[str, int]:
        """Why messages were spooled or dropped: reason to how many."""
        with self._lock:
            return dict(self._reasons)

    def _settle(self, number: int, reason: str | None) -> None:
        with self._lock:
            entry = self._under_way.pop(number, None)
            if entry is None:  # abandoned before
                return
            kind = "delivered" if reason is None else "spooled" if reason.startswith(SPOOLED) else "dropped"
            self._counts[kind] += 1
            if reason is not None:
                self._reasons[reason.removeprefix(SPOOLED).removeprefix(LOST)] += 1
        entry[1](reason is None)
