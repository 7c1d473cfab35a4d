"""Reads a topic of one partition again and again, each time from where it was."""

from __future__ import annotations

import time
from contextlib import suppress

from confluent_kafka import Consumer, KafkaException, TopicPartition

from tests.delivery.chaos_verdict import Arrived, comparable

READ_SECONDS = 60


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
        self._arrived: list[Arrived] = []

    def read(self) -> list[Arrived]:
        """Everything that the topic holds now, in its order.

        Raises:
            TimeoutError: The broker does not give it within a minute.
        """
        deadline = time.monotonic() + READ_SECONDS
        consumer = Consumer(self._settings)  # anew: one that has seen the broker go may not know the topic any more
        try:
            end = self._end(consumer, deadline)
            consumer.assign([TopicPartition(self._topic, 0, len(self._arrived))])
            while len(self._arrived) < end:
                message = consumer.poll(1.0)
                if message is not None and message.error() is None:
                    self._arrived.append(Arrived((message.key() or b"").decode(), comparable(message.value() or b"")))
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{len(self._arrived)} of {end} messages of {self._topic} read")
        finally:
            consumer.close()
        return self._arrived

    def _end(self, consumer: Consumer, deadline: float) -> int:
        while time.monotonic() < deadline:
            with suppress(KafkaException):  # it has only just started
                return consumer.get_watermark_offsets(TopicPartition(self._topic, 0), timeout=60)[1]
            time.sleep(0.2)
        raise TimeoutError(f"{self._topic} does not answer within {READ_SECONDS} s")
