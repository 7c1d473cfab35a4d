"""A record is made to be shown to others: no literal gets into it, whatever the SQL text of messages is to be."""

from __future__ import annotations

import pytest

from sac_kafka.assembly import listener_settings
from sac_kafka.settings import Settings


@pytest.mark.parametrize(
    ("text", "record", "literals"),
    [
        ("verbatim", None, True),
        ("verbatim", "/tmp/batch", False),
        ("masked", "/tmp/batch", False),
        ("masked", None, False),
    ],
)
def test_a_record_holds_no_literals(text: str, record: str | None, literals: bool) -> None:
    keys = {"atlas.client.type": "memory", "atlas.metadata.namespace": "test", "atlas.hook.spark.query.text": text}
    if record:
        keys["atlas.hook.spark.record.path"] = record
    assert listener_settings(Settings.read(keys, "test"), {}, looks_up_catalog=True).literals is literals
