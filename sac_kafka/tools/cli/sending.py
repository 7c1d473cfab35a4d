"""Send records to the configured sink without a spool, and report the outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack

from sac_kafka.atlas.wire.message import parts
from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import MessageError
from sac_kafka.settings import Settings
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.input_lines import SkippedMessages
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.messages.reader import TopicMessage, UnreadableRecord, to_one_line
from sac_kafka.transport.base import Failure, FailureKind, Record, Transport
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.reader import is_purview

_MAX_IN_FLIGHT = 100
_CLOSE_SECONDS = 1.0
_KEY = "sac-kafka replay"
"""Key of messages without one: records of the same key keep their order on a topic with several partitions (R30)."""


class Delivery:
    """Outcome of sending records to the sink `name`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._delivered = 0
        self._lost: Counter[tuple[str, str]] = Counter()
        self.in_flight = 0
        self.is_over = False
        """True once a record has failed for a reason that applies to all following records."""

    def __str__(self) -> str:
        """Return the number of delivered records and the reasons of failures in one line."""
        lost = (f"; {count} {what}: {why}" for (what, why), count in self._lost.items())
        return f"{with_noun(self._delivered, 'message')} delivered to {self._name}{''.join(lost)}"

    def as_json(self) -> dict[str, object]:
        """Return the same as a JSON object."""
        lost = [{"messages": count, "what": what, "why": why} for (what, why), count in self._lost.items()]
        return {"to": self._name, "delivered": self._delivered, "lost": lost}

    @property
    def is_all(self) -> bool:
        """Return whether there were any records, and all were delivered."""
        return self._delivered > 0 and not self._lost

    def send(self, transport: Transport, record: Record) -> None:
        """Hand a record to the transport."""
        self.in_flight += 1
        transport.send(record, self._settle)

    def give_up(self) -> None:
        """Count a record that was not sent because an earlier one failed."""
        self._lost["not sent", "an earlier message failed"] += 1

    def _settle(self, failure: Failure | None) -> None:
        self.in_flight -= 1
        if failure is None:
            self._delivered += 1
            return
        is_refused = failure.kind is FailureKind.REJECTED
        self.is_over |= not is_refused
        self._lost["rejected" if is_refused else "not delivered", failure.reason] += 1


def send(records: Iterable[Record], settings: Settings, timeout_seconds: float) -> Delivery:
    """Send records in order, until one fails for a reason that applies to all following records.

    Raises:
        ConfigurationError: The settings of the sink are invalid, or need a Spark driver.
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
            if sent.in_flight >= _MAX_IN_FLIGHT:
                sent.is_over |= bool(transport.flush(timeout_seconds))
        if not sent.is_over:
            transport.flush(timeout_seconds)
    return sent


def records_of(
    found: Iterable[TopicMessage | UnreadableRecord], settings: Settings, skipped: SkippedMessages
) -> Iterator[Record]:
    """Yield the records of messages for the configured sink; those that no server could read are skipped."""
    for each in found:
        try:
            if isinstance(each, UnreadableRecord):
                raise MessageError(each.problem)
            if each.is_event:
                raise MessageError("an OpenLineage event: send it with sac-kafka bridge --file")
            read(each.text)
            skipped.add_read()
        except MessageError as error:
            skipped.add(each.place, str(error))
            continue
        text = to_one_line(each.text)
        values = _values(text, settings)
        yield Record(settings.sink.topic, (each.key or _KEY).encode(), values, created_ms=each.time_ms or 0)


def _values(text: str, settings: Settings) -> tuple[bytes, ...]:
    """Return the record values of a message: split to the size limit, if the consumer of the sink can join parts."""
    if not sink_of(settings).joins_parts(settings) or is_purview(settings):
        return (text.encode("ascii"),)
    content = settings.content
    return parts(text, max_bytes=content.message_max_bytes, compresses=content.message_compression)
