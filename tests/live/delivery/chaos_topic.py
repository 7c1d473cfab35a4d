"""Reads a topic of one partition again and again, each time from where it was."""

from __future__ import annotations

from contextlib import suppress

from confluent_kafka import Consumer, KafkaException, TopicPartition

from tests.helpers.waiting import until
from tests.live.delivery.chaos_verdict import TopicMessage, comparable


class TopicReader:
    """All messages of a topic so far; the broker may have been away in between."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._settings = {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "enable.auto.commit": False,
            "log_level": 0,
            "reconnect.backoff.max.ms": 500,
        }
        self._topic = topic
        self._arrived: list[TopicMessage] = []

    def read(self) -> list[TopicMessage]:
        """Everything that the topic holds now, in its order.

        Raises:
            AssertionError: The broker does not return it within a minute.
        """
        consumer = Consumer(self._settings)  # a new one: one that lost its broker may have forgotten the topic
        try:
            end = self._end(consumer)
            consumer.assign([TopicPartition(self._topic, 0, len(self._arrived))])
            until(
                lambda: self._has_read(consumer, end),
                lambda: f"{len(self._arrived)} of {end} messages of {self._topic} read",
            )
        finally:
            consumer.close()
        return self._arrived

    def _has_read(self, consumer: Consumer, end: int) -> bool:
        while len(self._arrived) < end and (message := consumer.poll(1.0)) is not None:
            if message.error() is None:
                self._arrived.append(TopicMessage((message.key() or b"").decode(), comparable(message.value() or b"")))
        return len(self._arrived) >= end

    def _end(self, consumer: Consumer) -> int:
        ends: list[int] = []

        def answers() -> bool:
            with suppress(KafkaException):  # it has only just started
                ends.append(consumer.get_watermark_offsets(TopicPartition(self._topic, 0), timeout=60)[1])
            return bool(ends)

        until(answers, lambda: f"{self._topic} does not answer")
        return ends[0]
