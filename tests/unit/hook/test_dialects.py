"""The output of a destination: messages of Atlas or Purview, or events, by sink and dialect."""

from __future__ import annotations

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.errors import ConfigurationError
from sac_kafka.hook.dialects import output_of
from sac_kafka.openlineage.writing.output import OpenLineageOutput
from sac_kafka.settings import Settings
from tests.helpers.live_runs import APPLICATION

EVENTS = {"atlas.hook.spark.dialect": "openlineage"}
URL = {"atlas.hook.spark.openlineage.url": "http://127.0.0.1:5000"}
FILE = {"atlas.client.type": "file", "atlas.client.file.path": "/tmp/x"}
KAFKA = {"atlas.client.type": "kafka", "atlas.kafka.bootstrap.servers": "b:9092"}
TOPIC = {"atlas.notification.hook.topic.name": "openlineage"}


def output(properties: dict[str, str]) -> object:
    settings = Settings.read(properties, "test")
    return output_of(settings, context_of(APPLICATION, settings.names, settings.content))


@pytest.mark.parametrize(
    "properties",
    [
        {"atlas.client.type": "openlineage", **URL},
        {"atlas.client.type": "openlineage", **URL, "atlas.hook.spark.dialect": "purview"},
        {**FILE, **EVENTS},
        {**KAFKA, **EVENTS, **TOPIC},
        {"atlas.client.type": "memory", **EVENTS},
        {"atlas.client.type": "console", **EVENTS},
    ],
)
def test_events_go_over_http_or_to_a_topic_or_file(properties: dict[str, str]) -> None:
    assert isinstance(output(properties), OpenLineageOutput)


@pytest.mark.parametrize("properties", [FILE, KAFKA, {"atlas.client.type": "rest"}])
def test_atlas_gets_messages(properties: dict[str, str]) -> None:
    assert isinstance(output(properties), AtlasOutput)


@pytest.mark.parametrize("properties", [KAFKA, {"atlas.client.type": "rest"}, {"atlas.client.type": "purview"}])
def test_events_are_never_sent_to_what_does_not_read_them(properties: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="openlineage"):
        output({**properties, **EVENTS})


def test_events_are_a_second_destination() -> None:
    (further,) = Settings.read({**KAFKA, **URL, "atlas.also": "openlineage"}, "test").further()
    name, settings = further
    made = output_of(settings, context_of(APPLICATION, settings.names, settings.content))
    assert (name, type(made)) == ("openlineage", OpenLineageOutput)
