"""A transport to a server of the tests, records for it, and their outcomes."""

from __future__ import annotations

import json

from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, Record, Transport
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.http.atlas import RestTransport
from tests.unit.transport.notification_server import NotificationServer


class Sender:
    """Send records, and remember (number, failure) in order."""

    def __init__(self) -> None:
        self.outcomes: list[tuple[int, Failure | None]] = []

    def send(self, transport: Transport, record: Record) -> None:
        transport.send(record, lambda failure: self.outcomes.append((number_of(record), failure)))

    @property
    def failures(self) -> list[Failure]:
        return [failure for _, failure in self.outcomes if failure is not None]


def record(number: int, size: int = 0, parts: int = 1, topic: str = "ATLAS_HOOK") -> Record:
    value = b'{"n": %d, "x": "%s"}' % (number, b"x" * size)
    return Record(topic, b"app", (value,) * parts)


def number_of(sent: Record) -> int:
    number: int = json.loads(sent.values[0])["n"]
    return number


def transport(server: NotificationServer | str, **keys: str) -> RestTransport:
    address = server if isinstance(server, str) else server.address
    properties = {
        "atlas.client.type": "rest",
        "atlas.rest.address": address,
        "atlas.hook.spark.rest.timeout.seconds": "60",
        **{key.replace("__", "."): text for key, text in keys.items()},
    }
    made = make_transport(Settings.read(properties, "here"))
    assert isinstance(made, RestTransport)
    return made


def numbers(server: NotificationServer) -> list[int]:
    return [each["n"] for each in server.posted]
