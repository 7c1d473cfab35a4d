"""Every asset has the mandatory attributes of its type: Purview drops messages in which one is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sac_kafka
from sac_kafka.atlas.types.inheritance import ancestry_of
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.dataset_assets import entity
from tests.helpers.every_row import every_row
from tests.unit.purview.names.rows import rows
from tests.unit.purview.names.storage_rows import storage_rows

PACKAGE = Path(sac_kafka.__file__).parent
TYPES: dict[str, dict[str, Any]] = {
    each["name"]: each
    for family in ("purview", "atlas")
    for file in sorted((PACKAGE / family / "typedefs").glob("*.json"))
    for each in json.loads(file.read_text(encoding="utf-8")).get("entityDefs", [])
}
NAMED = sorted({row.type for row in (*rows("tables.csv"), *storage_rows())} | {"fs_path", "hdfs_path"})


def ancestry(type_name: str) -> tuple[str, ...]:
    return ancestry_of(type_name, lambda each: TYPES[each]["superTypes"])


def mandatory(type_name: str) -> Iterator[str]:
    for name in ancestry(type_name):
        yield from (each["name"] for each in TYPES[name]["attributeDefs"] if not each["isOptional"])


@every_row("type_name", NAMED)
def test_an_asset_has_what_its_type_demands(type_name: str) -> None:
    asset = Asset(type_name=type_name, qualified_name="s3://lake/orders/@ns", name="orders", rule="r")
    given = {"qualifiedName": asset.qualified_name, **entity(asset).attributes}
    assert [name for name in mandatory(type_name) if not given.get(name)] == []


@every_row("type_name", NAMED)
def test_an_asset_can_be_in_lineage(type_name: str) -> None:
    """Check that inputs and outputs of a process are of DataSet or a subtype."""
    assert "DataSet" in ancestry(type_name)
