"""Reads a topic back, for the commands: every partition from where it is asked to, nothing committed, no group joined.

A hook never reads. It imports confluent_kafka, as `librdkafka` does, and only when a topic is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from sac_kafka.errors import SacKafkaError
from sac_kafka.transport.kafka.client import Noticed
from sac_kafka.transport.kafka.errors.reading import explain_reading
from sac_kafka.transport.kafka.librdkafka import Heard, error_of, making
from sac_kafka.transport.kafka.troubles import Troubles

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition

_READING = {
    "group.id": "sac-kafka-reader",  # librdkafka wants one; without a subscription or commits no broker hears of it
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "auto.offset.reset": "earliest",
    "allow.auto.create.topics": "false",
    "enable.partition.eof": "true",  # the last offsets may hold no record: compacted away, or marks of a transaction
    "isolation.level": "read_uncommitted",  # as Atlas' own consumer reads
}
_AT_ONCE = 500
_POLL_SECONDS = 0.2
_ASK_SECONDS = 1.0
_END_OF_PARTITION = "_PARTITION_EOF"
OF_A_GROUP = "GROUP_AUTHORIZATION_FAILED"
"""librdkafka asks who leads the group, though none is joined: who may read the topic needs no right to a group."""
_FINAL = frozenset({"UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "TOPIC_AUTHORIZATION_FAILED", "TOPIC_EXCEPTION"})
"""What no second question about a topic changes; others are asked again until the time is over."""

_T = TypeVar("_T")


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
        clock: Counts seconds and never goes back.

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or does not take the settings.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        topic: str,
        place: str,
        timeout_seconds: float,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._heard = Heard(config)
        self._troubles = Troubles(place, explain_reading)
        self._topic = topic
        self._timeout = timeout_seconds
        self._clock = clock
        with making():
            from confluent_kafka import Consumer

            self._consumer: Consumer = Consumer({**config, **_READING, **self._heard.callbacks})

    def __enter__(self) -> TopicReader:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the broker."""
        self._consumer.close()

    def read(
        self,
        since_ms: int | None = None,
        *,
        last: int | None = None,
        follow: bool = False,
        waiting: Callable[[], None] | None = None,
    ) -> Iterator[Consumed]:
        """Give the records from a time on, up to those that are there now, or without an end.

        Args:
            since_ms: Records of this time and later, epoch milliseconds; None from the first one that is there.
            last: At most so many of the newest of each partition; None all.
            follow: Whether to wait for more; then a broker that is gone for a while is waited for.

            waiting: Is called a few times a second while nothing comes, and may raise to end it.

        Raises:
            SacKafkaError: The topic cannot be read, or nobody has answered within the time.
        """
        ends = {number: self._ends(number) for number in self._partitions()}
        starts = self._starts(ends, since_ms)
        if last is not None:
            starts = {number: max(start, ends[number][1] - last) for number, start in starts.items()}
        left = {number for number, (_, end) in ends.items() if starts[number] < end}
        self._consumer.assign([self._partition(number, start) for number, start in starts.items()])
        last_news = self._clock()
        while follow or left:
            for message in self._consumer.consume(_AT_ONCE, _POLL_SECONDS):
                error = message.error()
                if error is not None and error.name() == OF_A_GROUP:
                    continue
                if error is not None and error.name() != _END_OF_PARTITION:
                    raise SacKafkaError(self._why(error.name(), error.str()))
                last_news = self._clock()
                number, offset = message.partition() or 0, message.offset() or 0
                if error is not None:
                    left.discard(number)
                    continue
                if offset + 1 >= ends[number][1]:
                    left.discard(number)
                    if not follow and offset >= ends[number][1]:
                        continue
                kind, stamp = message.timestamp()
                value = message.value()
                if value is not None:
                    yield Consumed(number, offset, stamp if kind else None, _bytes(message.key()), _bytes(value) or b"")
            self._listen()
            if waiting is not None:
                waiting()
            if not follow and left and self._clock() - last_news > self._timeout:
                raise SacKafkaError(self._silent())

    def _partitions(self) -> tuple[int, ...]:
        def listed() -> tuple[int, ...]:
            (found,) = self._consumer.list_topics(self._topic, timeout=_ASK_SECONDS).topics.values()
            if found.error is None:
                return tuple(found.partitions)
            if found.error.name() in _FINAL:
                raise SacKafkaError(self._why(found.error.name(), found.error.str()))
            raise RuntimeError(found.error)

        return self._answer(listed)

    def _ends(self, number: int) -> tuple[int, int]:
        asked = self._partition(number, 0)
        return self._answer(lambda: self._consumer.get_watermark_offsets(asked, timeout=_ASK_SECONDS))

    def _starts(self, ends: Mapping[int, tuple[int, int]], since_ms: int | None) -> dict[int, int]:
        if since_ms is None:
            return {number: low for number, (low, _) in ends.items()}
        asked = [self._partition(number, since_ms) for number in ends]
        found = self._answer(lambda: self._consumer.offsets_for_times(asked, timeout=_ASK_SECONDS))
        return {each.partition: each.offset if each.offset >= 0 else ends[each.partition][1] for each in found}

    def _answer(self, ask: Callable[[], _T]) -> _T:
        """What a broker answers; it is asked for a second at a time, so that a person can end it and trouble is heard.

        Raises:
            SacKafkaError: Nobody has answered in time, or it is known that nobody will.
        """
        end = self._clock() + self._timeout
        while self._clock() < end:
            try:
                return ask()
            except SacKafkaError:
                raise
            except Exception as error:  # noqa: BLE001 (KafkaException, whose name counts)
                name, text = error_of(error)
                if name in _FINAL:
                    raise SacKafkaError(self._why(name, text)) from None
            self._consumer.poll(0)
            self._listen()
        raise SacKafkaError(self._silent())

    def _silent(self) -> str:
        """Why nobody has answered: the trouble of the connection, where any is known."""
        return self._troubles.problem or self._why("_TIMED_OUT", f"waited {self._timeout:g} s")

    def _partition(self, number: int, offset: int) -> TopicPartition:
        from confluent_kafka import TopicPartition

        return TopicPartition(self._topic, number, offset)

    def _listen(self) -> None:
        """Take what the client has told.

        Raises:
            SacKafkaError: It says that nothing will ever come: a log-in that is refused, for example.
        """
        for event in self._heard.take():
            failure = self._troubles.noticed(event, self._clock()) if isinstance(event, Noticed) else None
            if failure is not None:
                raise SacKafkaError(failure.reason)

    def _why(self, name: str, text: str) -> str:
        return explain_reading(name, text, self._topic).sentence


def _bytes(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value
