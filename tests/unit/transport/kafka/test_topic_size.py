"""The doctor's line on the longest message: the topic's limit, and each reason why it is unknown."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from sac_kafka.settings import Settings
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.kafka.client import Failed
from sac_kafka.transport.kafka.librdkafka_queries import TopicProbe, event_hubs_size, size
from tests.helpers.secret_search import used

SETTINGS = Settings.read({"atlas.notification.hook.topic.name": "HOOKS"}, "test")
SECRET = used("hunter2")


def probe(found: Future[Any]) -> TopicProbe:
    """Return a probe whose broker answers this for the topic's settings."""
    made = TopicProbe({"bootstrap.servers": "127.0.0.1:9"}, "HOOKS", 1)
    made._admin = SimpleNamespace(describe_configs=lambda resources, **_: {resources[0]: found})  # type: ignore[assignment]
    return made


def of(answer: object) -> Finding:
    """Return the line for a broker that answers this, or never for None."""
    found: Future[Any] = Future()
    if isinstance(answer, int):
        found.set_exception(KafkaException(KafkaError(answer, f"it has password={SECRET}")))
    elif answer is not None:
        found.set_result(answer)
    return size(SETTINGS, probe(found).max_message_bytes(0.05))


@pytest.mark.parametrize(
    ("answer", "verdict", "text"),
    [
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, Verdict.SKIPPED, "this user may not query it: only this check needs"),
        (KafkaError.CLUSTER_AUTHORIZATION_FAILED, Verdict.SKIPPED, "needs DescribeConfigs on the topic"),
        (
            KafkaError._TIMED_OUT,
            Verdict.DOUBT,
            "the broker did not respond in time: run it again, or increase --timeout",
        ),
        (KafkaError.REQUEST_TIMED_OUT, Verdict.DOUBT, "did not respond in time"),
        (None, Verdict.DOUBT, "did not respond in time"),
        (KafkaError._TRANSPORT, Verdict.DOUBT, "did not respond in time"),
        (KafkaError._UNSUPPORTED_FEATURE, Verdict.SKIPPED, "this broker does not report it: check max.message.bytes"),
        (KafkaError.UNSUPPORTED_VERSION, Verdict.SKIPPED, "this broker does not report it"),
        ({}, Verdict.SKIPPED, "this broker does not report it"),
        ({"max.message.bytes": SimpleNamespace(value=None)}, Verdict.SKIPPED, "this broker does not report it"),
        (KafkaError.UNKNOWN_TOPIC_OR_PART, Verdict.WRONG, "the topic HOOKS does not exist any more: create it"),
        (KafkaError.UNKNOWN, Verdict.DOUBT, "the topic's limit is unknown: UNKNOWN it has password=********"),
        ({"max.message.bytes": SimpleNamespace(value="many")}, Verdict.DOUBT, "unknown: ValueError invalid literal"),
        ({"max.message.bytes": SimpleNamespace(value="2000000")}, Verdict.GOOD, "the topic accepts 2,000,000"),
        ({"max.message.bytes": SimpleNamespace(value="5000")}, Verdict.WRONG, "raise its max.message.bytes"),
    ],
)
def test_each_reason_has_its_line(answer: object, verdict: Verdict, text: str) -> None:
    found = of(answer)
    assert (found.name, found.verdict) == ("size", verdict), found.text
    assert found.text.startswith("messages have up to 900,000 bytes")
    assert text in found.text
    assert SECRET not in found.text


def test_a_limit_that_no_setting_can_have_is_not_proposed() -> None:
    assert "or set " not in size(SETTINGS, 5000).text
    assert "or set atlas.notification.message.max.length.bytes = 98976" in size(SETTINGS, 100_000).text


def test_event_hubs_has_its_own_limit() -> None:
    assert (event_hubs_size(SETTINGS).verdict, "Event Hubs accepts 1 MB" in event_hubs_size(SETTINGS).text) == (
        Verdict.GOOD,
        True,
    )


def test_a_silent_broker_is_reported_in_the_clients_words(cluster: str) -> None:
    found = TopicProbe({"bootstrap.servers": cluster}, "HOOKS", 5).max_message_bytes(
        0.5
    )  # librdkafka's own has no such answer
    assert isinstance(found, Failed)
    assert found.name == "_TIMED_OUT"
