"""Connectors by their documented options: relation, V2 table, save and catalog table are one dataset."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.sources import SOURCES, source_of
from sac_kafka.lineage.datasets.systems import hudi_reads, jdbc, kafka, stores
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.lineage.extract import extract
from sac_kafka.model import Run
from sac_kafka.plan.commands import SaveIntoDataSourceCommand
from sac_kafka.plan.declaration import DECLARED
from sac_kafka.plan.options import TABLE_OPTIONS
from sac_kafka.plan.relations import LogicalRelation, OtherRelation
from sac_kafka.plan.systems.databricks import CopyIntoCommand
from sac_kafka.plan.systems.stores import CassandraTable, HBaseRelation
from sac_kafka.plan.v2_tables import DataSourceV2Relation, Identifier, V2Table
from tests.fixtures.names.connectors import ROWS, Row
from tests.helpers.every_row import every_row
from tests.helpers.live_runs import APPLICATION
from tests.unit.lineage.test_sources import _rows, _table, _v2

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "sources.md").read_text("utf-8")
EACH = every_row("row", ROWS, label=lambda r: f"{r[1]}-{','.join(r[3])}")


def _keys(found: object) -> list[str]:
    return [d.key for d in found.datasets]  # type: ignore[attr-defined]


@EACH
def test_read_dataset_has_its_name(row: Row) -> None:
    """Read by a relation or a V2 table that has the options, and by the options of the read."""
    _, _, provider, options, key = row
    relation = OtherRelation(relation_class=provider, options=options)
    leaf = LogicalRelation(relation=relation, catalog_table=None, output=())
    declared = DECLARED.get(provider, V2Table)
    table_class = declared if issubclass(declared, V2Table) else V2Table
    bare = {"table_class": provider, "name": "", "columns": (), "partitioning": (), "properties": None}
    holding = table_class(**bare, own_options=options)
    held = _v2(provider, {}, holding)
    given = _v2(provider, options)
    for found in (reading(leaf, ()), reading(given, ())):
        assert found is not None
        assert _keys(found) == ([key] if key else [])
        assert bool(found.counts) is (key is None)
    if key:
        assert _keys(reading(held, ())) == [key]


@EACH
def test_saved_dataset_has_its_name(row: Row) -> None:
    _, _, provider, options, key = row
    command = SaveIntoDataSourceCommand(
        class_name="Save", data_source=provider, options=options, query=_rows(), is_command=True
    )
    found = extract(command, Run(execution_id=1), APPLICATION)
    assert [d.key for p in found.processes for d in p.outputs] == ([key] if key else [])
    assert bool(found.counts) is (key is None)


@EACH
def test_a_table_of_the_catalog_over_it_is_only_a_name(row: Row) -> None:
    _, called, _, options, key = row
    relation = OtherRelation(relation_class="com.example.Relation", options={})
    leaf = LogicalRelation(relation=relation, catalog_table=_table(called, options), output=())
    assert _keys(reading(leaf, ())) == ([key] if key else ["table:spark_catalog.db.t"])


@EACH
def test_its_options_travel(row: Row) -> None:
    assert set(row[3]) <= set(TABLE_OPTIONS)


TESTED_BY_THEMSELVES = (*jdbc.SOURCES, *kafka.SOURCES, stores.SOURCES[0], *hudi_reads.SOURCES)
"""They are not on the page of connectors: test_jdbc_reading.py, test_sources.py (Kafka, HBase) and test_hudi.py."""


@pytest.mark.parametrize(
    "source", [each for each in SOURCES if each not in TESTED_BY_THEMSELVES], ids=lambda s: min(s.names)
)
def test_every_system_has_a_documented_row(source: Source) -> None:
    rows = [row for row in ROWS if source_of(row[1]) is source and source_of(row[2]) is source and row[4]]
    assert rows, "add a row to tests/fixtures/names/connectors.py"
    named = [name for name in source.names if f"`{name}`" in re.sub(r"`\S*DataSource`", lambda m: m[0].lower(), PAGE)]
    assert named, "add a row to docs/sources.md"


def test_no_provider_is_claimed_by_two_systems() -> None:
    for row in ROWS:
        assert len([s for s in SOURCES if row[2].startswith(s.classes)]) == 1, row


@pytest.mark.parametrize(
    ("contact", "key"),
    [
        ("{/10.0.0.1:9042}:1", "rdbms:cassandra://10.0.0.1:9042/shop/orders"),
        ("db1/10.0.0.1:9142, db2/10.0.0.2:9142", "rdbms:cassandra://db1:9142/shop/orders"),
        ("db1/<unresolved>:9042", "rdbms:cassandra://db1:9042/shop/orders"),
        ("Cloud config", "rdbms:cassandra://:/shop/orders"),
        (None, "rdbms:cassandra://:/shop/orders"),
    ],
)
def test_table_of_cassandras_catalog_has_its_host(contact: str | None, key: str) -> None:
    table = CassandraTable(keyspace="shop", table="orders", contact=contact)
    assert _keys(reading(_v2("", {}, table), ())) == [key]


def test_a_relation_of_hbase_says_its_table() -> None:
    relation = HBaseRelation(options={"hbase.table": "ns:t"})
    leaf = LogicalRelation(relation=relation, catalog_table=None, output=())
    assert _keys(reading(leaf, ())) == ["hbase:/ns:t"]


def _copy_into(**fields: object) -> CopyIntoCommand:
    return CopyIntoCommand(class_name="x.CopyIntoCommandEdge", is_command=True, **fields)


def test_copy_into_is_a_flow_from_files_or_a_query_to_the_table() -> None:
    table = DataSourceV2Relation(
        table=V2Table(table_class="x.Table", name="t", columns=(), partitioning=(), properties={}),
        catalog="main",
        identifier=Identifier(namespace=("sales",), name="orders"),
        options={},
        output=(),
    )
    for source, expected in (({"source_path": "s3://b/in"}, "path:s3://b/in"), ({"query": _rows()}, "path:file:/in")):
        (process,) = extract(_copy_into(target=table, **source), Run(execution_id=1), APPLICATION).processes
        assert [d.key for d in process.inputs] == [expected]
        assert [d.key for d in process.outputs] == ["table:main.sales.orders"]
    found = extract(_copy_into(target=table), Run(execution_id=1), APPLICATION)
    assert (found.processes, dict(found.counts)) == ((), {"command not understood: CopyIntoCommandEdge": 1})
