"""`sac-kafka verify topic` end to end: a topic mocked by librdkafka, and a small Atlas with a consumer position."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.atlas.flows import NOW, ORDERS, copy, messages_for, path
from tests.unit.tools.cli.conftest import Cli
from tests.unit.tools.cli.mock_topics import configured
from tests.unit.tools.verification.test_verification import FakeAtlas

TOPIC = "ATLAS_HOOK"
FLOWS = [copy(ORDERS, path(f"hdfs://nn1/lager/売上{number}", "id", "total")) for number in range(3)]


@pytest.fixture
def atlas() -> Iterator[FakeAtlas]:
    with FakeAtlas() as fake:
        yield fake


def put(cluster: str, topic: str, *values: str) -> None:
    """Put records into the first partition, one behind the other."""
    import confluent_kafka

    producer = confluent_kafka.Producer({"bootstrap.servers": cluster})
    for value in values:
        producer.produce(topic, value.encode(), partition=0)
    assert producer.flush(60) == 0


@pytest.mark.parametrize("form", ["text", "json"])
def test_messages_of_long_ago_that_were_sent_now(
    atlas: FakeAtlas, cluster: str, tmp_path: Path, cli: Cli, form: str
) -> None:
    topic = f"replayed_{form}"
    sent = [each for flow in FLOWS for each in messages_for(flow, now_ms=86_400_000)]
    put(cluster, topic, *(each.value for each in sent))
    atlas.topic, atlas.read, atlas.taken_ms = topic, 1, int(time.time() * 1000) + 60_000
    command = [
        "verify",
        "topic",
        *configured(tmp_path, cluster, topic),
        "--conf",
        f"atlas.rest.address={atlas.address}",
    ]
    output = cli(*[*command, "--json"] if form == "json" else command).text(1)
    assert "1970" not in output
    assert "days before" not in output
    if form == "json":
        found = {each["name"]: each for each in json.loads(output)["entities"] if each["type"] == "hdfs_path"}
        ends = [(found[f"hdfs://nn1/lager/売上{number}@prod"]) for number in range(3)]
        assert [each["state"] for each in ends] == ["rejected", "pending", "pending"]
        assert ends[0]["reason"].startswith("not found, although the server has consumed it (partition 0, offset 0)")
        assert [each["reason"].partition(" is ")[2] for each in ends[1:]] == [
            "1 message behind in partition 0",
            "2 messages behind in partition 0",
        ]
    else:
        assert (
            "rejected hdfs_path hdfs://nn1/lager/売上0@prod: not found, although the server has consumed it" in output
        )
        assert "pending  hdfs_path hdfs://nn1/lager/売上2@prod: not found: the server is 2 messages behind" in output


def test_topic_without_a_reported_position_is_judged_by_the_time_of_sending(
    atlas: FakeAtlas, cluster: str, tmp_path: Path, cli: Cli
) -> None:
    put(cluster, "unreported", *(each.value for each in messages_for(FLOWS[0], now_ms=NOW)))
    command = [
        "verify",
        "topic",
        *configured(tmp_path, cluster, "unreported"),
        "--conf",
        f"atlas.rest.address={atlas.address}",
    ]
    atlas.topic, atlas.taken_ms = "unreported", int(time.time() * 1000) - 600_000
    output = cli(*command).text(1)
    assert "the server is behind: its last message was at 20" in output
    assert ", 10 min before this one was sent" in output
    assert "made" not in output
