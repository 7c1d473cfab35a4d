"""Reads a topic of one partition again and again, each time from where it was."""

from __future__ import annotations

import time

from confluent_kafka import Consumer, TopicPartition
from delivery.chaos_verdict import Arrived, comparable

READ_SECONDS = 60


class TopicReader:
    """All messages of a topic so far; the broker may have been away in between."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        settings = {"bootstrap.servers": bootstrap, "group.id": "reader", "enable.auto.commit": False, "log_level": 0}
        self._consumer = Consumer({**settings, "reconnect.backoff.max.ms": 500})
        self._partition = TopicPartition(topic, 0)
        self._arrived: list[Arrived] = []

    def read(self) -> list[Arrived]:
        """Everything that the topic holds now, in its order.

        Raises:
            TimeoutError: The broker does not give it within a minute.
        """
        deadline = time.monotonic() + READ_SECONDS
        _, end = self._consumer.get_watermark_offsets(self._partition, timeout=READ_SECONDS)
        self._consumer.assign([TopicPartition(self._partition.topic, 0, len(self._arrived))])
        while len(self._arrived) < end:
            message = self._consumer.poll(1.0)
            if message is not None and message.error() is None:
                self._arrived.append(Arrived((message.key() or b"").decode(), comparable(message.value() or b"")))
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(self._arrived)} of {end} messages of {self._partition.topic} read")
        return self._arrived

    def close(self) -> None:
        self._consumer.close()
