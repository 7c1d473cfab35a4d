"""Reads a topic back, for the commands: every partition from where it is asked to, nothing committed, no group joined.

A hook never reads. The second module that imports confluent_kafka, and only when a topic is read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sac_kafka.errors import SacKafkaError
from sac_kafka.transport.kafka.client import Noticed
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.librdkafka import Heard, error_of, making
from sac_kafka.transport.kafka.troubles import Troubles

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition

_READING = {
    "group.id": "sac-kafka-reader",  # librdkafka wants one; without a subscription or commits no broker hears of it
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "auto.offset.reset": "earliest",
    "enable.partition.eof": "false",
}
_AT_ONCE = 500
_POLL_SECONDS = 0.2
_ASK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Consumed:
    """A record of a topic; `time_ms` is epoch milliseconds, None where the broker has none."""

    partition: int
    offset: int
    time_ms: int | None
    key: bytes | None
    value: bytes


class TopicReader:
    """Reads all partitions of a topic; use it as a context manager.

    Args:
        config: librdkafka's settings, those of the producer: what only producers know is passed over.
        topic: The topic.
        place: What errors call the broker.
        timeout_seconds: After how long a broker counts as silent.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or does not take the settings.
    """

    def __init__(self, config: Mapping[str, Any], topic: str, place: str, timeout_seconds: float) -> None:
        self._heard = Heard(config)
        self._troubles = Troubles(place)
        self._topic = topic
        self._timeout = timeout_seconds
        with making():
            from confluent_kafka import Consumer

            self._consumer: Consumer = Consumer({**config, **_READING, **self._heard.callbacks})

    def __enter__(self) -> TopicReader:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the broker."""
        self._consumer.close()

    def read(self, since_ms: int | None = None, *, follow: bool = False) -> Iterator[Consumed]:
        """Give the records from a time on, up to those that are there now, or without an end.

        Args:
            since_ms: Records of this time and later, epoch milliseconds; None from the first one that is there.
            follow: Whether to wait for more.

        Raises:
            SacKafkaError: The topic cannot be read, or nobody has answered within the time.
        """
        ends = {number: self._ends(number) for number in self._partitions()}
        starts = self._starts(ends, since_ms)
        left = {number for number, (_, end) in ends.items() if starts[number] < end}
        self._consumer.assign([self._partition(number, start) for number, start in starts.items()])
        last_news = time.monotonic()
        while follow or left:
            for message in self._consumer.consume(_AT_ONCE, _POLL_SECONDS):
                error = message.error()
                if error is not None:
                    raise SacKafkaError(self._why(error.name(), error.str()))
                last_news = time.monotonic()
                number, offset = message.partition() or 0, message.offset() or 0
                if offset + 1 >= ends[number][1]:
                    left.discard(number)
                    if not follow and offset >= ends[number][1]:
                        continue
                kind, stamp = message.timestamp()
                value = message.value()
                if value is not None:
                    yield Consumed(number, offset, stamp if kind else None, _bytes(message.key()), _bytes(value) or b"")
            left -= self._done(left, ends)
            if not follow and left and time.monotonic() - last_news > self._timeout:
                raise SacKafkaError(self._why("_TIMED_OUT", f"waited {self._timeout:g} s"))

    def _done(self, left: set[int], ends: Mapping[int, tuple[int, int]]) -> set[int]:
        """Those whose end was reached without a last record: it was compacted away, or is a transaction's mark."""
        if not left:
            return set()
        found = self._consumer.position([self._partition(number, 0) for number in left])
        return {each.partition for each in found if each.offset >= ends[each.partition][1]}

    def _partitions(self) -> tuple[int, ...]:
        end = time.monotonic() + self._timeout
        name, text = "_TIMED_OUT", f"waited {self._timeout:g} s"
        while time.monotonic() < end:
            try:
                (found,) = self._consumer.list_topics(self._topic, timeout=_ASK_SECONDS).topics.values()
            except Exception as error:  # noqa: BLE001 (KafkaException, whose name counts)
                name, text = error_of(error)
            else:
                if found.error is None:
                    return tuple(found.partitions)
                raise SacKafkaError(self._why(found.error.name(), found.error.str()))
            self._consumer.poll(0)
            self._listen()
        raise SacKafkaError(self._troubles.problem or self._why(name, text))

    def _ends(self, number: int) -> tuple[int, int]:
        try:
            low, high = self._consumer.get_watermark_offsets(self._partition(number, 0), timeout=self._timeout)
        except Exception as error:  # noqa: BLE001 (KafkaException, whose name counts)
            raise SacKafkaError(self._why(*error_of(error))) from None
        return low, high

    def _starts(self, ends: Mapping[int, tuple[int, int]], since_ms: int | None) -> dict[int, int]:
        if since_ms is None:
            return {number: low for number, (low, _) in ends.items()}
        asked = [self._partition(number, since_ms) for number in ends]
        try:
            found = self._consumer.offsets_for_times(asked, timeout=self._timeout)
        except Exception as error:  # noqa: BLE001 (KafkaException, whose name counts)
            raise SacKafkaError(self._why(*error_of(error))) from None
        return {each.partition: each.offset if each.offset >= 0 else ends[each.partition][1] for each in found}

    def _partition(self, number: int, offset: int) -> TopicPartition:
        from confluent_kafka import TopicPartition

        return TopicPartition(self._topic, number, offset)

    def _listen(self) -> None:
        for event in self._heard.take():
            failure = self._troubles.noticed(event, time.monotonic()) if isinstance(event, Noticed) else None
            if failure is not None:
                raise SacKafkaError(failure.reason)

    def _why(self, name: str, text: str) -> str:
        return explain(name, text, self._topic).sentence


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
