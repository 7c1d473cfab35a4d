"""Sends records to the sink of the settings, and says what became of them; nothing is kept in files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack

from sac_kafka.cli.progress import show_progress
from sac_kafka.settings import Settings
from sac_kafka.stats import counted
from sac_kafka.transport.base import Failure, FailureKind, Record, Transport
from sac_kafka.transport.factory import make_transport

_MAX_UNDER_WAY = 100
_CLOSE_SECONDS = 1.0


class Delivery:
    """What became of records that were sent to `name`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._delivered = 0
        self._lost: Counter[tuple[str, str]] = Counter()
        self.under_way = 0
        self.is_over = False
        """True once one has failed for a reason that those behind it share."""

    def __str__(self) -> str:
        """In a line: how many were delivered, and why others were not."""
        lost = (f"; {count} {what}: {why}" for (what, why), count in self._lost.items())
        return f"{counted(self._delivered, 'message')} delivered to {self._name}{''.join(lost)}"

    def as_json(self) -> dict[str, object]:
        """The same for programs."""
        lost = [{"messages": count, "what": what, "why": why} for (what, why), count in self._lost.items()]
        return {"to": self._name, "delivered": self._delivered, "lost": lost}

    @property
    def is_all(self) -> bool:
        """Whether there were any, and all were delivered."""
        return self._delivered > 0 and not self._lost

    def send(self, transport: Transport, record: Record) -> None:
        """Send one more."""
        self.under_way += 1
        transport.send(record, self._settle)

    def give_up(self) -> None:
        """One that was not even tried."""
        self._lost["not sent", "the one before them failed"] += 1

    def _settle(self, failure: Failure | None) -> None:
        self.under_way -= 1
        if failure is None:
            self._delivered += 1
            return
        is_refused = failure.kind is FailureKind.REJECTED
        self.is_over |= not is_refused
        self._lost["rejected" if is_refused else "not delivered", failure.reason] += 1


def send(records: Iterable[Record], settings: Settings, timeout_seconds: float) -> Delivery:
    """Send them in their order, up to the first that fails for a reason that those behind it share.

    Raises:
        ConfigurationError: The settings of the sink are wrong, or only a driver could follow them.
    """
    transport = make_transport(settings)
    sent = Delivery(transport.name)
    with ExitStack() as at_the_end:
        at_the_end.callback(transport.close, _CLOSE_SECONDS)
        shown = at_the_end.enter_context(show_progress(f"sending to {transport.name}", "message"))
        for record in records:
            if sent.is_over:
                sent.give_up()
                continue
            sent.send(transport, record)
            shown.add()
            if sent.under_way >= _MAX_UNDER_WAY:
                sent.is_over |= bool(transport.flush(timeout_seconds))
        if not sent.is_over:
            transport.flush(timeout_seconds)
    return sent
