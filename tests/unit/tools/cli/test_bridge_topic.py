"""`sac-kafka bridge --kafka`: a consumer group over a mocked cluster; offsets are committed when the events are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.bridge.intake import Intake
from sac_kafka.bridge.journal import Journal
from sac_kafka.bridge.kafka_input import KafkaInput
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.kafka import consumer
from tests.helpers.waiting import until
from tests.unit.openlineage.small_events import event
from tests.unit.tools.cli.mock_topics import put


def read(cluster: str, topic: str, folder: Path, number: int, max_bytes: int = 1_000_000) -> list[Any]:
    """Return events that a bridge of the group receives, until there are so many."""
    intake = Intake(0, Journal(folder, max_bytes))
    settings = Settings(kafka=Kafka(properties={"bootstrap.servers": cluster}))
    source = KafkaInput(settings, topic, "bridges", folder)
    source.start(intake)
    found: list[Any] = []

    def has_all() -> bool:
        found.extend(json.loads(text) for _, text in intake.take(0.1))
        return len(found) >= number

    try:
        until(has_all, lambda: found)
    finally:
        source.stop()
        assert intake.journal is not None
        intake.journal.close()
    return found


@pytest.mark.slow
def test_next_bridge_of_the_group_goes_on_where_the_first_has_ended(
    cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The mocked cluster does not let a member leave: its place is free when the session ends.
    monkeypatch.setattr(consumer, "_CONSUMER_CONFIG", {**consumer._CONSUMER_CONFIG, "session.timeout.ms": "6000"})
    first, second = event(run="r1"), event(run="r2")
    put(cluster, "openlineage", json.dumps(first, indent=1))
    assert read(cluster, "openlineage", tmp_path / "one", 1) == [first]
    put(cluster, "openlineage", json.dumps(second))
    assert read(cluster, "openlineage", tmp_path / "two", 1) == [second]


def test_without_brokers_there_is_no_topic() -> None:
    with pytest.raises(ConfigurationError, match="bootstrap"):
        KafkaInput(Settings(), "openlineage", "bridges", Path("spool"))


def test_login_that_needs_java_is_an_error_with_the_fix() -> None:
    kerberos = {"bootstrap.servers": "b1:9093", "security.protocol": "SASL_SSL"}
    with pytest.raises(ConfigurationError, match=r"--kafka openlineage: .*GSSAPI.*SCRAM.*--listen"):
        KafkaInput(Settings(kafka=Kafka(properties=kerberos)), "openlineage", "bridges", Path("spool"))
