"""Send records through the driver's own `KafkaProducer`.

The Java side (`java/kafka/RecordProducer`) has its own thread and queue, so that no call here waits for Kafka.
All methods are called by the worker. If the driver's JVM ends, this is an event like others, named `JvmGone`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sac_kafka.spark.java_classes import PRODUCER, load
from sac_kafka.spark.java_errors import brief, suspend_logging
from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Delivered, Failed, Throttled

GONE = "JvmGone"
NOT_MADE = "JvmClientError"
_DOWN = "_ALL_BROKERS_DOWN"  # librdkafka's name, which the transport expects
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
        self._in_flight: set[int] = set()
        self._events: list[ClientEvent] = []
        self._broken: tuple[str, str] | None = None

    def produce(self, number: int, topic: str, key: bytes | None, value: bytes) -> None:
        """Put the record into the queue of the Java side."""
        if self._java is None and self._broken is None:
            self._open()
        if self._broken is not None:
            self._events.append(Failed(number, *self._broken))
            return
        self._in_flight.add(number)
        try:
            self._java.produce(number, topic, key, value)
        except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
            self._gone(error)

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Return new events; without records in flight the JVM is not called."""
        if self._java is not None and self._broken is None and self._in_flight:
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
        """Return the cluster id of the topic's metadata, if known already; sends no request."""
        if self._java is None or self._broken is not None:
            return None
        try:
            known = self._java.clusterId()
        except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
            self._gone(error)
            return None
        return None if known is None else str(known)

    def close(self, timeout_seconds: float) -> None:
        """End the Java side: its thread closes the producer; wait for this within the timeout."""
        java, self._java = self._java, None
        if java is None or self._broken is not None:
            return
        self._broken = ("IllegalStateException", "the client is closed")
        try:
            java.close(round(max(0.0, timeout_seconds) * 1000))
        except Exception as error:  # noqa: BLE001 Py4J's errors, whatever they are
            self._events.append(ClientError(GONE, brief(error)))

    def _open(self) -> None:
        try:
            self._java = self._make()
            self.name = f"{self.name} {self._java.version()}"
        except Exception as error:  # noqa: BLE001 an incompatible Kafka client, or a JVM that has ended
            self._broken = (NOT_MADE if hasattr(error, "java_exception") else GONE, brief(error))

    def _gone(self, error: Exception) -> None:
        self._broken = (GONE, brief(error))
        self._events += [Failed(number, *self._broken) for number in sorted(self._in_flight)]
        self._in_flight.clear()

    def _read(self, line: str) -> tuple[ClientEvent, ...]:
        kind, *fields = line.split("\t")
        return _READERS[kind](self, fields)

    def _read_delivery(self, fields: list[str]) -> tuple[ClientEvent, ...]:
        number, partition, offset = map(int, fields)
        return (Delivered(number, partition, offset),) if self._is_first_outcome(number) else ()

    def _read_failure(self, fields: list[str]) -> tuple[ClientEvent, ...]:
        number = int(fields[0])
        return (Failed(number, fields[1], fields[2]),) if self._is_first_outcome(number) else ()

    def _is_first_outcome(self, number: int) -> bool:
        """Return whether this is the first outcome of a record; a thread that ends unexpectedly may report a second."""
        is_first = number in self._in_flight
        self._in_flight.discard(number)
        return is_first

    def _read_notice(self, fields: list[str]) -> tuple[ClientEvent, ...]:
        name, text = fields
        notice = ClientError(name, text)
        return (notice, ClientError(_DOWN, "")) if name in _UNREACHABLE else (notice,)

    def _read_throttling(self, fields: list[str]) -> tuple[ClientEvent, ...]:
        return (Throttled(float(fields[0])),)


_READERS: dict[str, Callable[[JvmClient, list[str]], tuple[ClientEvent, ...]]] = {
    "delivered": JvmClient._read_delivery,
    "failed": JvmClient._read_failure,
    "noticed": JvmClient._read_notice,
    "throttled": JvmClient._read_throttling,
}


@suspend_logging()
def start(gateway: Any, producer_class: Any, loader: Any, properties: Mapping[str, str]) -> Any:  # noqa: ANN401 Py4J objects
    """Create a `RecordProducer` with these properties and start its thread."""
    java_properties = gateway.jvm.java.util.Properties()
    for key, value in properties.items():
        java_properties.setProperty(key, value)
    arguments = gateway.new_array(gateway.jvm.java.lang.Object, 2)
    arguments[0], arguments[1] = java_properties, loader
    producer = producer_class.getConstructors()[0].newInstance(arguments)
    producer.start()
    return producer


_LOADED: list[tuple[Any, Any, Any]] = []  # gateway, class loader of Kafka, class


def load_producer(gateway: Any, spark_loader: Any, kafka_loader: Any) -> Any:  # noqa: ANN401 Py4J objects
    """Return the class `RecordProducer`, loaded once per JVM and class loader: Spark's, and that of Kafka's client."""
    for known_gateway, known_loader, known_class in _LOADED:
        if known_gateway is gateway and known_loader.equals(kafka_loader):
            return known_class
    java_class = load(gateway, spark_loader, kafka_loader, PRODUCER).java_class
    _LOADED[:] = [(gateway, kafka_loader, java_class)]
    return java_class
