"""A running Kafka and Atlas for tests: send messages, wait until they are read, query, and read the logs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from stack.atlas import AtlasServer
from stack.atlas_logs import AtlasLogs, LogMark
from stack.atlas_settings import HOOK_GROUP
from stack.kafka import KafkaBroker
from tests.helpers.waiting import until
from tests.live.server.rest import AtlasRest

TOPIC = "ATLAS_HOOK"
STALL_SECONDS = 600
"""How long the server may stay with one message; what it takes for all of them depends on the machine."""


class RunningAtlas:
    """The server of a test run and the Kafka it reads from."""

    def __init__(self, kafka: KafkaBroker, server: AtlasServer) -> None:
        self.kafka = kafka
        self.server = server
        self.rest = AtlasRest(self.url, self.user, self.password)

    @property
    def url(self) -> str:
        """The address of the server, without `/api/atlas`."""
        return self.server.url

    @property
    def user(self) -> str:
        """A user who may do everything."""
        return self.server.credentials.username

    @property
    def password(self) -> str:
        """That user's password."""
        return self.server.credentials.password

    @property
    def bootstrap(self) -> str:
        """The PLAINTEXT listener of the Kafka; `kafka` has the SASL_SSL one."""
        return self.kafka.bootstrap("PLAINTEXT")

    @property
    def logs(self) -> AtlasLogs:
        """The logs of the server."""
        return self.server.logs

    def send(self, messages: Iterable[Mapping[str, Any] | str | bytes]) -> None:
        """Put messages on ATLAS_HOOK in order and return once the server has read them, whatever it made of them."""
        producer = Producer({"bootstrap.servers": self.bootstrap, "acks": "all", "message.max.bytes": 20_000_000})
        for message in messages:
            value = json.dumps(message) if isinstance(message, Mapping) else message
            producer.produce(TOPIC, value, partition=0)
        assert producer.flush(60) == 0, "Kafka has not taken the messages"
        self.wait_consumed()

    def wait_consumed(self) -> None:
        """Return once the server has read all that is on ATLAS_HOOK now.

        A message that it drops moves its committed offset only with the next good one: a message without an effect, the
        deletion of a missing entity, is sent behind the others.
        """
        producer = Producer({"bootstrap.servers": self.bootstrap, "acks": "all"})
        producer.produce(TOPIC, json.dumps(_deletion_of_nothing()), partition=0)
        assert producer.flush(60) == 0, "Kafka has not taken the marker"
        group = Consumer({"bootstrap.servers": self.bootstrap, "group.id": HOOK_GROUP, "enable.auto.commit": False})
        try:
            self._wait_until_read(group, group.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=60)[1])
        finally:
            group.close()

    def _wait_until_read(self, group: Consumer, end: int) -> None:
        read = -1

        def is_read() -> bool:
            nonlocal read
            read = max(read, _committed(group, read))
            assert read >= end or self.server.pid is not None, "Atlas has ended"
            return read >= end

        def why_not() -> str:
            complaints = "\n".join(str(entry) for entry in self.logs.complaints()[-10:])
            return (
                f"Atlas has read {read} of {end} messages, and no other for {STALL_SECONDS} s; its log:\n{complaints}"
            )

        until(is_read, why_not, STALL_SECONDS, lambda: read)

    def assert_no_complaints(self, since: LogMark) -> None:
        """Fail if the server has dropped a message, or warned of anything, since a mark."""
        dropped = self.logs.dropped(since)
        complaints = [str(entry) for entry in self.logs.complaints(since)]
        assert not dropped, f"{len(dropped)} messages were dropped: {dropped[0][:2000]}\n" + "\n".join(complaints[:10])
        assert not complaints, "\n".join(complaints[:10])


def _committed(group: Consumer, known: int) -> int:
    """Return how far the server has read; the last known place if Kafka does not answer now."""
    try:
        return int(group.committed([TopicPartition(TOPIC, 0)], timeout=10)[0].offset)
    except KafkaException:
        return known


def _deletion_of_nothing() -> dict[str, Any]:
    nothing = {"typeName": "fs_path", "uniqueAttributes": {"qualifiedName": f"nothing-{time.time_ns()}@marker"}}
    return {
        "version": {"version": "1.0.0"},
        "msgCompressionKind": "NONE",
        "msgSplitIdx": 1,
        "msgSplitCount": 1,
        "message": {"type": "ENTITY_DELETE_V2", "user": "marker", "entities": [nothing]},
    }
