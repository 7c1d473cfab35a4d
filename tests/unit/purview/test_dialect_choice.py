"""Choice of the dialect: automatic and by settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.atlas.context import Receiver, context_of
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import messages
from sac_kafka.errors import ConfigurationError
from sac_kafka.hook.dialects import dialect_of
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.transport.reader import is_purview
from tests.unit.atlas.flows import APPLICATION, copy, path

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
        ({"atlas.client.type": "purview", "atlas.rest.address": "https://contoso.purview.azure.com"}, True),
        ({}, False),
    ],
)
def test_destination_selects_the_dialect_unless_it_is_set(properties: dict[str, str], expected: bool) -> None:
    assert is_purview(Settings.read(properties, "test")) is expected


def test_an_asset_has_one_name() -> None:
    both = {"atlas.hook.spark.dialect": "purview", "atlas.hook.spark.compat": "sac"}

    with pytest.raises(ConfigurationError, match=r"atlas.hook.spark.dialect = purview and .*; remove one"):
        is_purview(Settings.read(both, "test"))


def test_user_rules_are_found_next_to_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "names.toml").write_text('[mounts]\n"dbfs:/mnt/raw" = "abfss://raw@contosolake.dfs.core.windows.net"\n')
    properties = {"atlas.hook.spark.dialect": "purview", "atlas.hook.spark.purview.mapping.file": "names.toml"}
    settings = Settings.read(properties, str(tmp_path / "atlas-application.properties"))
    flow = copy(path("dbfs:/mnt/raw/orders", "id"), path("dbfs:/mnt/raw/totals", "id"))

    (message,) = messages(
        flow,
        context=context_of(APPLICATION, settings.names, settings.content, receiver=Receiver(is_purview=True)),
        remembered=Remembered(max_age_ms=1),
        now_ms=0,
        dialect=dialect_of(settings, APPLICATION),
    )

    assert "https://contosolake.dfs.core.windows.net/raw/orders/" in message.value


def test_missing_file_of_rules_is_reported(tmp_path: Path) -> None:
    properties = {"atlas.hook.spark.dialect": "purview", "atlas.hook.spark.purview.mapping.file": "names.toml"}

    with pytest.raises(ConfigurationError, match=r"purview\.mapping\.file = names\.toml"):
        dialect_of(Settings.read(properties, str(tmp_path / "x.properties")), APPLICATION)


def test_names_of_the_old_connector_are_sent_in_the_form_that_purview_reads() -> None:
    settings = Settings.read({"atlas.hook.spark.compat": "sac"}, "test")

    over_event_hubs = context_of(APPLICATION, settings.names, settings.content, receiver=Receiver(joins_parts=False))
    over_kafka = context_of(APPLICATION, settings.names, settings.content)
    assert (over_event_hubs.form, over_kafka.form) == (MessageForm.V2, MessageForm.V1)
