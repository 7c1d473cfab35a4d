"""A place that messages go to: an output, and the spool over the transport of its sink.

Each destination of a hook has its own counts, retries, files and confirmation: what happens to one affects no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from sac_kafka.guard import Guard
from sac_kafka.hook.emitter import Emitter
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from sac_kafka.stages.output import Outgoing, Settle
from sac_kafka.stats import DestinationStats, Messages
from sac_kafka.transport.base import Failure, MessageKind, Record
from sac_kafka.transport.spool.spool import Spool


def record_of(message: Outgoing, values: tuple[bytes, ...], topic: str, created_ms: int) -> Record:
    """Return the record that carries a message with these values, created at an epoch time in milliseconds."""
    # CATALOG keeps the order: a late delete could remove an object that was re-created in the meantime.
    kind = MessageKind.CATALOG if message.keeps_order else MessageKind.FLOW
    return Record(topic, message.application_id.encode(), values, kind, created_ms)


class Destination:
    """A destination; all methods but `counts` are called from the worker's thread.

    Args:
        emitter: Makes its messages.
        spool: Delivers their records.
        topic: The topic of the records.
        guard: The guard of all calls.
        clock: Returns epoch milliseconds.
        name: Its name in the settings; "" for the one without a name.
    """

    def __init__(
        self,
        emitter: Emitter,
        spool: Spool,
        topic: str,
        guard: Guard,
        clock: Callable[[], int],
        name: str = "",
    ) -> None:
        self.emitter = emitter
        self.spool = spool
        self.name = name
        self._output = emitter.output
        self._topic = topic
        self._guard = guard
        self._clock = clock
        self._has_delivered = False

    @property
    def counts(self) -> Messages:
        """The messages by state."""
        counts = self.spool.counts
        return Messages(
            delivered=counts["delivered"],
            spooled=counts["spooled"],
            dropped=counts["dropped"],
            rejected=counts["rejected"],
            replayed=counts["replayed"],
            in_flight=self.spool.in_flight,
        )

    def prefix_name(self, text: str) -> str:
        """Return a text about this destination, with its name if it has one."""
        return f"{self.name}: {text}" if self.name else text

    def stats(self) -> DestinationStats:
        """Return what has become of its messages."""
        return DestinationStats(
            name=self.name,
            sink=self.spool.name,
            processes=self.emitter.stats.processes,
            messages=self.counts,
            message_types=dict(self.emitter.stats.message_types),
            undelivered=dict(self.spool.reasons),
            spool=self.spool.figures,
            problem=self.spool.problem(),
        )

    def take(self, steps: Iterable[ScheduledOutcome]) -> None:
        """Send the messages of outcomes."""
        self._send(self.emitter.messages(steps))

    def send_due(self, *, everything: bool = False) -> None:
        """Send the delayed messages that are due; `everything`: all of them."""
        self._send(self.emitter.delayed(everything=everything))

    def end(self, status: str) -> None:
        """Send the messages that end the application."""
        self._send(self.emitter.at_the_end(status))

    def serve(self) -> None:
        """Let the spool deliver, and note what was delivered."""
        with self._guard("transport"):
            self.spool.service(0)
        self._note()

    def flush(self, seconds: float) -> bool:
        """Wait for deliveries, at most this long; return whether some are still to come."""
        return self.spool.flush(seconds) > 0

    def close(self, seconds: Callable[[], float]) -> None:
        """Deliver the rest within a time, read before each step; keep what is undelivered, and what the next run needs."""
        with self._guard("transport"):
            self.spool.flush(seconds())
        self._note()
        with self._guard("transport"):
            self.spool.close(seconds())
        with self._guard("remember"):
            self._output.close()

    def _send(self, messages: Iterable[Outgoing]) -> None:
        for message in messages:
            with self._guard("send"):
                settle = self._output.sending(message, self._clock())
                record = record_of(message, self._output.values(message), self._topic, self._clock())
                self.spool.send(record, partial(self._settle, settle))

    def _settle(self, settle: Settle, failure: Failure | None) -> None:
        self._has_delivered |= failure is None
        with self._guard("remember"):
            settle(failure is None)

    def _note(self) -> None:
        if self._has_delivered:
            self._has_delivered = False
            with self._guard("remember"):
                self._output.delivered(self.spool.position)
