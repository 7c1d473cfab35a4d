"""What paths are called in Purview: row by row, from the paths that Spark shows."""

from __future__ import annotations

from collections import Counter

import pytest

from sac_kafka.lineage.model import PathDataset
from sac_kafka.purview.asset import UNKNOWN_TYPE
from sac_kafka.purview.names import asset
from sac_kafka.purview.names.paths import MOST_CHARACTERS, asset_of_location
from sac_kafka.purview.names.paths import asset as path_asset
from sac_kafka.purview.normalisation import normalised
from sac_kafka.purview.surroundings import AssetSurroundings
from tests.every_row import every_row
from tests.purview.names.rows import CERTAINTIES
from tests.purview.names.storage_rows import Row, storage_rows

ROWS = storage_rows()
EACH = every_row("row", ROWS, label=lambda row: row.id)


@EACH
def test_the_name_that_a_scan_gives(row: Row) -> None:
    found = asset(row.dataset, row.surroundings, is_output=row.is_output)
    assert (found.type_name, found.qualified_name) == (row.type, row.qualified_name)
    assert found.is_known is (row.type != UNKNOWN_TYPE)
    assert found.name and found.rule
    assert "secret" not in repr(found)


@EACH
def test_a_name_is_normalised(row: Row) -> None:
    found = asset(row.dataset, row.surroundings, is_output=row.is_output)
    assert normalised(found) == found


ALONE = [
    row for row in ROWS if len(row.dataset.locations) == 1 and row.dataset.format not in {"delta", "iceberg", "hudi"}
]


@every_row("row", ALONE, label=lambda row: row.id)
def test_a_location_by_itself_has_the_same_name(row: Row) -> None:
    (location,) = row.dataset.locations
    found = asset_of_location(location, row.surroundings, is_output=row.is_output)
    expected = asset(row.dataset, row.surroundings, is_output=row.is_output)
    changes = not row.surroundings.uses_resource_sets or expected.type_name in {UNKNOWN_TYPE, "fabric_path"}
    assert found == expected or (changes and "2026" in location)


def test_the_table_says_where_each_name_comes_from() -> None:
    assert [name for name, count in Counter(row.id for row in ROWS).items() if count > 1] == []
    assert [row.id for row in ROWS if not row.source or row.certainty not in CERTAINTIES] == []
    assert len(ROWS) >= 140


@pytest.mark.parametrize("locations", [(), ("abfss://raw@acct.dfs.core.windows.net/x/" + "y" * MOST_CHARACTERS,)])
def test_a_path_that_no_store_takes_is_no_asset_of_a_scan(locations: tuple[str, ...]) -> None:
    root = "abfss://raw@acct.dfs.core.windows.net/x" if locations else "s3a://b/" + "y" * MOST_CHARACTERS
    dataset = PathDataset(path=root, format="csv", locations=locations)
    assert path_asset(dataset, AssetSurroundings(), is_output=False).type_name == UNKNOWN_TYPE
    assert asset_of_location("s3a://b/" + "y" * MOST_CHARACTERS, AssetSurroundings(), is_output=False).is_known is False
