"""The driver's KafkaProducer seen from Python: lines of the Java side become events, and a JVM may be dead."""

from __future__ import annotations

from typing import Any

from sac_kafka.spark.kafka_producer import JvmClient
from sac_kafka.transport.kafka.client import ClientError, Delivered, Failed, Throttled


class JavaSide:
    """Answers as RecordProducer does, with lines that the test gives it; `gone` makes every call fail as Py4J's do."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.waits: list[int] = []
        self.produced: list[tuple[Any, ...]] = []
        self.closed: int | None = None
        self.gone = False

    def version(self) -> str:
        return "3.4.1"

    def produce(self, *record: Any) -> None:
        self._answer()
        self.produced.append(record)

    def poll(self, wait_ms: int) -> str:
        self._answer()
        self.waits.append(wait_ms)
        text, self.lines = "\n".join(self.lines), []
        return text

    def clusterId(self) -> str | None:  # noqa: N802 Java's name
        self._answer()
        return "the-cluster"

    def close(self, wait_ms: int) -> None:
        self._answer()
        self.closed = wait_ms

    def _answer(self) -> None:
        if self.gone:
            raise ConnectionRefusedError("[Errno 111] Connection refused")


def test_lines_become_events() -> None:
    java = JavaSide()
    client = JvmClient("kafka-clients", lambda: java)
    client.produce(1, "T", b"k", b"v")
    client.produce(2, "T", None, b"w")
    java.lines = [
        "noticed\tConnectException\tb:9092: ConnectException: Connection refused",
        "delivered\t1\t0\t17",
        "failed\t2\tRecordTooLargeException\tRecordTooLargeException: The message is 9 bytes",
        "throttled\t0.25",
    ]
    assert client.poll(1.5) == (
        ClientError("ConnectException", "b:9092: ConnectException: Connection refused"),
        ClientError("_ALL_BROKERS_DOWN", ""),
        Delivered(1, 0, 17),
        Failed(2, "RecordTooLargeException", "RecordTooLargeException: The message is 9 bytes"),
        Throttled(0.25),
    )
    assert java.produced == [(1, "T", b"k", b"v"), (2, "T", None, b"w")]
    assert client.name == "kafka-clients 3.4.1"
    assert client.cluster_id("T", 2) == "the-cluster"


def test_the_jvm_is_polled_only_while_records_are_in_flight() -> None:
    java = JavaSide()
    client = JvmClient("kafka-clients", lambda: java)
    assert client.poll(5) == ()
    client.produce(1, "T", None, b"v")
    client.poll(0.3)
    java.lines = ["delivered\t1\t0\t0"]
    client.poll(0.3)
    client.poll(0.3)
    assert java.waits == [300, 300]


def test_a_dead_jvm_fails_everything_once() -> None:
    java = JavaSide()
    client = JvmClient("kafka-clients", lambda: java)
    client.produce(1, "T", None, b"v")
    client.produce(2, "T", None, b"v")
    java.gone = True
    events = client.poll(1)
    assert [(event.number, event.name) for event in events if isinstance(event, Failed)] == [
        (1, "JvmGone"),
        (2, "JvmGone"),
    ]
    client.produce(3, "T", None, b"v")
    assert client.poll(1) == (Failed(3, "JvmGone", "ConnectionRefusedError: [Errno 111] Connection refused"),)
    assert client.cluster_id("T", 1) is None
    client.close(1)
    assert client.poll(0) == ()


def test_a_jvm_that_dies_during_send_fails_the_record() -> None:
    java = JavaSide()
    client = JvmClient("kafka-clients", lambda: java)
    client.produce(1, "T", None, b"v")
    java.gone = True
    client.produce(2, "T", None, b"v")
    assert [event.number for event in client.poll(0) if isinstance(event, Failed)] == [1, 2]


def test_a_client_that_cannot_be_made_fails_its_records() -> None:
    def refuse() -> Any:
        raise ConnectionRefusedError("no gateway")

    client = JvmClient("kafka-clients", refuse)
    client.produce(7, "T", None, b"v")
    assert client.poll(1) == (Failed(7, "JvmGone", "ConnectionRefusedError: no gateway"),)
    client.close(1)


def test_closing_is_bounded_and_idempotent() -> None:
    java = JavaSide()
    client = JvmClient("kafka-clients", lambda: java)
    client.close(1)
    client = JvmClient("kafka-clients", lambda: java)
    client.produce(1, "T", None, b"v")
    client.close(1.5)
    client.close(9)
    assert java.closed == 1500
