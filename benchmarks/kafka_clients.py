"""Costs of a message through librdkafka and through the driver's own Kafka client: CPU of Python and of the JVM, in pairs.

    python -m benchmarks.kafka_clients [--pairs N] [--messages N]

A real broker of `stack/` over PLAINTEXT, messages of 2 kB: one after the other, each acknowledged before the next as with
small queries; and all at once. The first pair warms up and does not count. The broker's own CPU does not count either.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from pyspark.java_gateway import launch_gateway

from sac_kafka.spark import kafka_producer
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.librdkafka import LibrdkafkaClient
from sac_kafka.transport.kafka.settings.java_settings import java_settings
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate
from sac_kafka.transport.kafka.transport import KafkaTransport
from stack import jars
from stack.kafka import KafkaBroker

TOPIC = "ATLAS_HOOK"
VALUE = b'{"n":"' + b"x" * 2000 + b'"}'
TICKS = os.sysconf("SC_CLK_TCK")

Make = Callable[[], KafkaTransport]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kafka_clients", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--messages", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, KafkaBroker(Path(folder, "kafka")) as kafka, java() as (gateway, pid):
        kafka.create_topic(TOPIC)
        settings = {"bootstrap.servers": kafka.bootstrap()}
        makes = {"librdkafka": librdkafka(settings), "jvm": jvm(settings, gateway)}
        for title, send in (("one after the other", singly), ("all at once", together)):
            show(
                title,
                options.messages,
                [pair(makes, send, options.messages, pid) for _ in range(options.pairs + 1)][1:],
            )
    return 0


def pair(makes: dict[str, Make], send: Callable[[KafkaTransport, int], None], count: int, pid: int) -> dict[str, float]:
    """CPU microseconds a message, by client."""
    costs = {}
    for name, make in makes.items():
        transport = make()
        send(transport, 1)  # the connection is not counted
        before = cpu_seconds(pid)
        send(transport, count)
        costs[name] = 1e6 * (cpu_seconds(pid) - before) / count
        transport.close(5)
    return costs


def singly(transport: KafkaTransport, count: int) -> None:
    for _ in range(count):
        together(transport, 1)


def together(transport: KafkaTransport, count: int) -> None:
    failures: list[Failure | None] = []

    for _ in range(count):
        transport.send(Record(TOPIC, b"app", (VALUE,)), failures.append)
    while transport.flush(10):
        pass
    if failures != [None] * count:
        raise SystemExit(f"not delivered: {next(each for each in failures if each is not None)}")


def cpu_seconds(pid: int) -> float:
    """CPU of this process and of the JVM."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / TICKS


def librdkafka(settings: dict[str, str]) -> Make:
    return lambda: KafkaTransport(lambda: LibrdkafkaClient(translate(settings).config), name="librdkafka")


def jvm(settings: dict[str, str], gateway: object) -> Make:
    loader = gateway.jvm.java.lang.Thread.currentThread().getContextClassLoader()
    properties = java_settings(settings, {}, KerberosLogin()).properties

    def client() -> kafka_producer.JvmClient:
        def started() -> object:
            return kafka_producer.start(
                gateway, kafka_producer.load_producer(gateway, loader, loader), loader, properties
            )

        return kafka_producer.JvmClient("kafka-clients", started)

    return lambda: KafkaTransport(client, name="jvm")


@contextmanager
def java() -> Iterator[tuple[object, int]]:
    """Yield a JVM as a driver's, with Spark's Kafka connector: the gateway and the process."""
    from pyspark import __version__

    connector = "spark-kafka-3.5.7" if __version__.startswith("3") else "spark-kafka-4.1.1"
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {jars.provide(connector).class_path.replace(':', ',')} pyspark-shell"
    gateway = launch_gateway()
    try:
        yield gateway, gateway.jvm.java.lang.ProcessHandle.current().pid()
    finally:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(20)


def show(title: str, count: int, pairs: list[dict[str, float]]) -> None:
    print(f"{count} messages, {title}: CPU a message, medians of {len(pairs)} pairs")
    for name in pairs[0]:
        print(f"  {name:<12}{median(each[name] for each in pairs):>8.0f} µs")
    print(f"  {'difference':<12}{median(each['jvm'] - each['librdkafka'] for each in pairs):>8.0f} µs")


if __name__ == "__main__":
    raise SystemExit(main())
