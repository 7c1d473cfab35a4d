"""Names of paths in Purview, row by row, from paths as Spark shows them."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from sac_kafka.lineage.streams.united_flow import UnitedFlow
from sac_kafka.model import PathDataset, TableDataset
from sac_kafka.purview.asset import UNKNOWN_TYPE
from sac_kafka.purview.names import asset
from sac_kafka.purview.names.paths import MAX_CHARACTERS, asset_of_location
from sac_kafka.purview.names.paths import asset as path_asset
from sac_kafka.purview.names.tables import location
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import normalise
from sac_kafka.settings.declarations.choices import PartitionFolders
from tests.cases.batches import BATCHES, owed
from tests.helpers.every_row import every_row
from tests.helpers.live_runs import Capture
from tests.unit.purview.names.rows import CERTAINTIES
from tests.unit.purview.names.storage_rows import Row, shown, storage_rows

ROWS = storage_rows()
EACH = every_row("row", ROWS, label=lambda row: row.id)


@EACH
def test_the_name_that_a_scan_gives(row: Row) -> None:
    found = asset(row.dataset, row.surroundings, is_output=row.is_output)
    assert (found.type_name, found.qualified_name) == (row.type, row.qualified_name)
    assert found.is_known is (row.type != UNKNOWN_TYPE)
    assert found.name == row.name
    assert "{" not in found.name
    assert found.rule
    assert "secret" not in repr(found)


@EACH
def test_a_name_is_normalised(row: Row) -> None:
    found = asset(row.dataset, row.surroundings, is_output=row.is_output)
    assert normalise(found) == found


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


@pytest.mark.parametrize("is_output", [False, True], ids=["in", "out"])
def test_a_stream_has_the_name_of_a_batch(is_output: bool) -> None:
    """Keep only one location of a stream, whose plans have the files of a batch."""
    store = "abfss://raw@acct.dfs.core.windows.net"
    files = [f"{store}/daily/2026-11-{day}/part-0000{day}-c000.snappy.parquet" for day in (20, 21)]
    stream: UnitedFlow | None = None
    for file in files:
        found = shown([file], "parquet")
        flow = UnitedFlow(inputs=(found,), outputs=(found,))
        stream = UnitedFlow().with_more(flow) if stream is None else stream.with_more(flow)
    assert stream is not None
    (of_stream,) = stream.inputs
    batch = shown([f"{store}/daily/2026-11-20", f"{store}/daily/2026-11-21"], "parquet")
    expected = asset(batch, NamingContext(), is_output=is_output)
    assert isinstance(of_stream, PathDataset)
    assert (of_stream.locations, of_stream.example) == ((), files[0])
    assert asset(of_stream, NamingContext(), is_output=is_output) == expected
    assert expected.qualified_name.endswith("/raw/daily/{Year}-{Month}-{Day}/{SparkPartitions}")


ORDERS = "abfss://raw@acct.dfs.core.windows.net/orders"
PARTITIONED = {
    "a write of the whole": shown([ORDERS], "parquet", ("Year", "day")),
    "a write of one partition": shown([f"{ORDERS}/Year=2026/day=7"], "parquet"),
    "a read of the root": shown([ORDERS], "parquet", ("Year", "day")),
    "a read of one partition": shown([f"{ORDERS}/Year=2026"], "parquet", ("day",)),
    "a read of some of them": shown([f"{ORDERS}/Year=2025", f"{ORDERS}/Year=2026"], "parquet", ("day",)),
    "a read below a base path": shown([f"{ORDERS}/Year=2026"], "parquet", ("Year", "day")),
    "a read of a part file": shown([f"{ORDERS}/Year=2026/day=7/part-00000-a.c000.snappy.parquet"], "parquet"),
}


@pytest.mark.parametrize("how", PARTITIONED)
@pytest.mark.parametrize(
    ("form", "between"),
    [
        (PartitionFolders.COLUMN, "{Year}/{day}/"),
        (PartitionFolders.COLUMN_AND_VALUE, "Year={Year}/day={day}/"),
        (PartitionFolders.NONE, ""),
    ],
)
def test_a_partitioned_directory_is_one_asset(how: str, form: PartitionFolders, between: str) -> None:
    found = asset(PARTITIONED[how], NamingContext(partitions=form), is_output="write" in how)
    assert found.qualified_name == f"https://acct.dfs.core.windows.net/raw/orders/{between}{{SparkPartitions}}"
    assert (found.type_name, found.name) == ("azure_datalake_gen2_resource_set", "orders")


def test_a_table_has_the_name_of_its_partitioned_directory() -> None:
    table = TableDataset(database="d", name="t", provider="parquet", location=ORDERS, partition_columns=("Year", "day"))
    found = location(table, NamingContext(), is_output=True)
    assert found == asset(PARTITIONED["a write of the whole"], NamingContext(), is_output=True)
    delta = location(dataclasses.replace(table, provider="delta"), NamingContext(), is_output=True)
    assert delta is not None and delta.qualified_name.endswith("/orders/{SparkPartitions}")


def test_a_folder_of_a_partition_without_a_value_stays() -> None:
    found = asset(shown([f"{ORDERS}/Division=/day=7"], "parquet"), NamingContext(), is_output=False)
    assert found.qualified_name.endswith("/orders/Division=/{day}/{SparkPartitions}")


@pytest.mark.parametrize("version", owed())
@pytest.mark.parametrize("case", ["partitioned_text", "stream_files_into_partitions"])
def test_spark_names_the_partitions_that_it_writes_and_finds(case: str, version: str) -> None:
    processes = Capture.processes_of((BATCHES / version / f"{case}.txt").read_text("utf-8"))
    found = [
        d for p in processes for d in (*p.inputs, *p.outputs) if isinstance(d, PathDataset) and "partition" in d.path
    ]
    assert found
    assert {d.partitions for d in found} == {("day",)}


def test_table_has_the_origin_of_each_name() -> None:
    assert [name for name, count in Counter(row.id for row in ROWS).items() if count > 1] == []
    assert [row.id for row in ROWS if not row.source or row.certainty not in CERTAINTIES] == []
    assert len(ROWS) >= 140


@pytest.mark.parametrize("locations", [(), ("abfss://raw@acct.dfs.core.windows.net/x/" + "y" * MAX_CHARACTERS,)])
def test_path_of_no_known_store_is_no_scanned_asset(locations: tuple[str, ...]) -> None:
    root = "abfss://raw@acct.dfs.core.windows.net/x" if locations else "s3a://b/" + "y" * MAX_CHARACTERS
    dataset = PathDataset(path=root, format="csv", locations=locations)
    assert path_asset(dataset, NamingContext(), is_output=False).type_name == UNKNOWN_TYPE
    assert asset_of_location("s3a://b/" + "y" * MAX_CHARACTERS, NamingContext(), is_output=False).is_known is False
