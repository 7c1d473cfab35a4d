"""Topics of a cluster mocked by librdkafka: fill them, and configure commands for them."""

from __future__ import annotations

from pathlib import Path


def put(cluster: str, topic: str, *values: str) -> None:
    """Put records of one key into a topic."""
    import confluent_kafka

    producer = confluent_kafka.Producer({"bootstrap.servers": cluster, "linger.ms": 0})
    for value in values:
        producer.produce(topic, value.encode(), key=b"app")
    assert producer.flush(60) == 0
    producer.close()


def configured(folder: Path, cluster: str, topic: str) -> list[str]:
    """Return the options of a command that reads a topic of the cluster."""
    file = folder / "reading.properties"
    file.write_text(f"atlas.kafka.bootstrap.servers={cluster}\natlas.notification.hook.topic.name={topic}\n")
    return ["--conf-file", str(file)]
