"""Messages on their way: what is under way, and what became of the rest. Shared by the worker and the thread that waits.

The worker sends; only the figures and `abandon` may be called by others.
"""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.transport.base import Record
from sac_kafka.transport.spool.spool import Spool
from sac_kafka.transport.spool.under_way import Settled


class Delivery:
    """Sends records through the spool, which follows each one to its outcome."""

    def __init__(self, transport: Spool) -> None:
        self.transport = transport

    def send(self, record: Record, settled: Settled) -> None:
        """Send a record; `settled` is told its end."""
        self.transport.send(record, settled)

    def abandon(self, reason: str) -> None:
        """Keep what is still under way in the spool: it may be sent twice, but is not lost."""
        self.transport.abandon(reason)

    @property
    def under_way(self) -> int:
        """How many messages have no outcome yet."""
        return self.transport.under_way

    @property
    def counts(self) -> Mapping[str, int]:
        """Messages delivered, spooled, dropped, rejected, and those of earlier applications that were replayed."""
        return self.transport.counts

    @property
    def reasons(self) -> Mapping[str, int]:
        """Why messages are spooled, dropped or rejected: reason to how many."""
        return self.transport.reasons
