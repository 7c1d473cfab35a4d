"""A Kafka client that produces through the driver's own `KafkaProducer`, seen from Python.

The Java side (`java/kafka/RecordProducer`) has a thread and a queue of its own, so that no call here waits for Kafka.
All methods are called by the worker. A driver's JVM that is gone is an event like others, under the name `JvmGone`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sac_kafka.spark.java_classes import load
from sac_kafka.spark.java_errors import brief
from sac_kafka.spark.java_units import PRODUCER
from sac_kafka.spark.quiet import unlogged
from sac_kafka.transport.kafka.client import ClientEvent, Delivered, Failed, Noticed, Throttled

GONE = "JvmGone"
NOT_MADE = "JvmClientError"
_DOWN = "_ALL_BROKERS_DOWN"  # in librdkafka's words, as the transport knows it
_UNREACHABLE = frozenset(
    {
        "ConnectException",
        "UnknownHostException",
        "SocketTimeoutException",
        "NoRouteToHostException",
        "DisconnectException",
    }
)


class JvmClient:
    """A producer in the driver's JVM; the settings' secrets are held by the JVM and by `make`, not by this object.

    Args:
        name: What logs call it.
        make: Gives a started `RecordProducer` (a Py4J object); called by the first record.
    """

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self.name = name
        self._make = make
        self._java: Any = None
        self._under_way: set[int] = set()
        self._events: list[ClientEvent] = []
        self._broken: tuple[str, str] | None = None

    def produce(self, number: int, topic: str, key: bytes | None, value: bytes) -> None:
        """Put the record into the queue of the Java side."""
        if self._java is None and self._broken is None:
            self._open()
        if self._broken is not None:
            self._events.append(Failed(number, *self._broken))
            return
        self._under_way.add(number)
        try:
            self._java.produce(number, topic, key, value)
        except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
            self._gone(error)

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Give what has happened; without records under way nothing does, and the JVM is left alone."""
        if self._java is not None and self._broken is None and self._under_way:
            wait_ms = 0 if self._events else round(timeout_seconds * 1000)
            try:
                text = self._java.poll(max(0, wait_ms))
            except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
                self._gone(error)
            else:
                self._events += [event for line in text.split("\n") if line for event in self._read(line)]
        events, self._events = tuple(self._events), []
        return events

    def cluster_id(self, topic: str, timeout_seconds: float) -> str | None:  # noqa: ARG002 the protocol's signature
        """Give what the broker has said with the topic's leader; nothing is asked, so nothing is waited for."""
        if self._java is None or self._broken is not None:
            return None
        try:
            known = self._java.clusterId()
        except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
            self._gone(error)
            return None
        return None if known is None else str(known)

    def close(self, timeout_seconds: float) -> None:
        """End the Java side: its thread closes the producer, which is waited for within the time."""
        java, self._java = self._java, None
        if java is None or self._broken is not None:
            return
        self._broken = ("IllegalStateException", "the client is closed")
        try:
            java.close(round(max(0.0, timeout_seconds) * 1000))
        except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
            self._events.append(Noticed(GONE, brief(error)))

    def _open(self) -> None:
        try:
            self._java = self._make()
            self.name = f"{self.name} {self._java.version()}"
        except Exception as error:  # noqa: BLE001 a Kafka client that is not what we know, or a JVM that is gone
            self._broken = (NOT_MADE if hasattr(error, "java_exception") else GONE, brief(error))

    def _gone(self, error: Exception) -> None:
        self._broken = (GONE, brief(error))
        self._events += [Failed(number, *self._broken) for number in sorted(self._under_way)]
        self._under_way.clear()

    def _read(self, line: str) -> tuple[ClientEvent, ...]:
        kind, *fields = line.split("\t")
        return _READERS[kind](self, fields)

    def _delivered(self, fields: list[str]) -> tuple[ClientEvent, ...]:
        number, partition, offset = map(int, fields)
        return (Delivered(number, partition, offset),) if self._is_news(number) else ()

    def _failed(self, fields: list[str]) -> tuple[ClientEvent, ...]:
        number = int(fields[0])
        return (Failed(number, fields[1], fields[2]),) if self._is_news(number) else ()

    def _is_news(self, number: int) -> bool:
        """Whether this is the first report of a record; a thread that ends unexpectedly may give another."""
        is_news = number in self._under_way
        self._under_way.discard(number)
        return is_news

    def _noticed(self, fields: list[str]) -> tuple[ClientEvent, ...]:
        name, text = fields
        notice = Noticed(name, text)
        return (notice, Noticed(_DOWN, "")) if name in _UNREACHABLE else (notice,)

    def _throttled(self, fields: list[str]) -> tuple[ClientEvent, ...]:
        return (Throttled(float(fields[0])),)


_READERS: dict[str, Callable[[JvmClient, list[str]], tuple[ClientEvent, ...]]] = {
    "delivered": JvmClient._delivered,
    "failed": JvmClient._failed,
    "noticed": JvmClient._noticed,
    "throttled": JvmClient._throttled,
}


@unlogged()
def start(gateway: Any, producer_class: Any, loader: Any, properties: Mapping[str, str]) -> Any:  # noqa: ANN401 Py4J objects
    """Make a `RecordProducer` with these properties and start its thread."""
    java_properties = gateway.jvm.java.util.Properties()
    for key, value in properties.items():
        java_properties.setProperty(key, value)
    arguments = gateway.new_array(gateway.jvm.java.lang.Object, 2)
    arguments[0], arguments[1] = java_properties, loader
    producer = producer_class.getConstructors()[0].newInstance(arguments)
    producer.start()
    return producer


_COMPILED: list[tuple[Any, Any, Any]] = []  # gateway, the loader that sees Kafka, the class


def compiled(gateway: Any, spark_loader: Any, kafka_loader: Any) -> Any:  # noqa: ANN401 Py4J objects
    """Give the class `RecordProducer`, compiled once for a JVM and a loader.

    Args:
        gateway: Py4J's.
        spark_loader: Sees the compiler that Spark carries.
        kafka_loader: Sees Kafka's client.
    """
    for known_gateway, known_loader, known_class in _COMPILED:
        if known_gateway is gateway and known_loader.equals(kafka_loader):
            return known_class
    java_class = load(gateway, spark_loader, kafka_loader, PRODUCER).java_class
    _COMPILED[:] = [(gateway, kafka_loader, java_class)]
    return java_class
