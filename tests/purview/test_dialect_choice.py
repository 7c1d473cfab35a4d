"""Which dialect messages are in, by itself and by settings."""

from __future__ import annotations

import pytest

from sac_kafka.dialects import is_purview
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings

HUBS = "contoso.servicebus.windows.net:9093"


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"atlas.kafka.bootstrap.servers": HUBS}, True),
        ({"atlas.kafka.bootstrap.servers": HUBS, "atlas.client.type": "console"}, True),
        ({"atlas.kafka.bootstrap.servers": HUBS, "atlas.hook.spark.dialect": "atlas"}, False),
        ({"atlas.kafka.bootstrap.servers": HUBS, "atlas.hook.spark.compat": "sac"}, False),
        ({"atlas.kafka.bootstrap.servers": "contoso.servicebus.usgovcloudapi.net:9093"}, True),
        ({"atlas.kafka.bootstrap.servers": "broker:9092"}, False),
        ({"atlas.kafka.bootstrap.servers": "broker:9092", "atlas.hook.spark.dialect": "purview"}, True),
        ({}, False),
    ],
)
def test_where_messages_go_decides_unless_it_is_set(properties: dict[str, str], expected: bool) -> None:
    assert is_purview(Settings.read(properties, "test")) is expected


def test_an_asset_has_one_name() -> None:
    both = {"atlas.hook.spark.dialect": "purview", "atlas.hook.spark.compat": "sac"}

    with pytest.raises(ConfigurationError, match=r"atlas.hook.spark.dialect = purview and .*; remove one"):
        is_purview(Settings.read(both, "test"))
