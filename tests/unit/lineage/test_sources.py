"""Tables that are names for data of another system: every way to create, write and read one resolves it."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.catalog.catalog import Changes
from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.extract import extract
from sac_kafka.model import HBaseDataset, RdbmsDataset, Run, TableDataset, TopicDataset
from sac_kafka.plan.catalog import (
    CatalogStorageFormat,
    CatalogTable,
    CreateTableEvent,
    DropTableEvent,
    RenameTableEvent,
    StructField,
    TableIdentifier,
)
from sac_kafka.plan.commands import (
    CreateDataSourceTableAsSelectCommand,
    InsertIntoDataSourceCommand,
    SaveIntoDataSourceCommand,
)
from sac_kafka.plan.expressions import Attribute, AttributeReference
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRelation
from sac_kafka.plan.systems.jdbc import JDBCTable
from sac_kafka.plan.v2_tables import DataSourceV2Relation, Identifier, V2Table
from sac_kafka.plan.v2_writes import DeleteFromTable
from sac_kafka.plan.wire import UnknownObject
from sac_kafka.stages.tables import Tables
from tests.helpers.live_runs import APPLICATION

NODE = {"is_command": True}
CATALOG = '{"table": {"namespace": "ns", "name": "t"}, "rowkey": "value"}'
JDBC = {"url": "jdbc:sqlserver://h:1433;databaseName=d", "dbtable": "dbo.t"}
OUTPUT = (Attribute(1, "key", "string", True), Attribute(2, "value", "string", True))

SYSTEMS = [
    ("jdbc", JDBC, RdbmsDataset),
    ("JDBC", JDBC, RdbmsDataset),
    ("org.apache.spark.sql.jdbc", JDBC, RdbmsDataset),
    ("org.apache.spark.sql.execution.datasources.jdbc.JdbcRelationProvider", JDBC, RdbmsDataset),
    ("com.microsoft.sqlserver.jdbc.spark", JDBC, RdbmsDataset),
    ("kafka", {"topic": "t", "kafka.bootstrap.servers": "b:9092"}, TopicDataset),
    ("org.apache.spark.sql.kafka010.KafkaSourceProvider", {"topic": "t"}, TopicDataset),
    ("org.apache.hadoop.hbase.spark", {"hbase.table": "ns:t"}, HBaseDataset),
    ("org.apache.hadoop.hbase.spark.DefaultSource", {"catalog": CATALOG}, HBaseDataset),
    ("org.apache.spark.sql.execution.datasources.hbase", {"catalog": CATALOG}, HBaseDataset),
]


def _table(provider: str, options: dict[str, str], name: str = "t") -> CatalogTable:
    return CatalogTable(
        identifier=TableIdentifier(table=name, database="db", catalog=None),
        table_type="EXTERNAL",
        provider=provider,
        owner="",
        create_time=0,
        comment=None,
        storage=CatalogStorageFormat(
            location=None, input_format=None, output_format=None, serde=None, compressed=False, properties=options
        ),
        fields=tuple(StructField(name=a.name, type=a.type, nullable=True, comment=None) for a in OUTPUT),
        partition_column_names=(),
    )


def _rows() -> LogicalPlan:
    files = HadoopFsRelation(root_paths=("file:/in",), file_format="parquet")
    return LogicalRelation(relation=files, catalog_table=None, output=OUTPUT)


@pytest.mark.parametrize(("provider", "options", "kind"), SYSTEMS)
def test_no_table_of_such_a_system_is_announced(provider: str, options: dict[str, str], kind: type) -> None:
    del kind
    changes = Changes(Tables())
    table = _table(provider, options)
    changes.add(CreateTableEvent(database="db", name="t", definition=table), frozenset())
    renamed = _table(provider, options, "u")
    changes.add(
        RenameTableEvent(database="db", name="t", new_name="u", definition=renamed, is_looked_up=True), frozenset()
    )
    changes.add(DropTableEvent(database="db", name="u", is_looked_up=True), frozenset())
    assert list(changes.ready(frozenset())) == []


@pytest.mark.parametrize(("provider", "options", "kind"), SYSTEMS)
def test_ctas_writes_the_dataset_of_the_other_system(provider: str, options: dict[str, str], kind: type) -> None:
    command = CreateDataSourceTableAsSelectCommand(
        class_name="CTAS",
        table=_table(provider, options),
        query=_rows(),
        output_column_names=tuple(a.name for a in OUTPUT),
        query_output=OUTPUT,
        **NODE,
    )
    (process,) = extract(command, Run(execution_id=1), APPLICATION).processes
    assert [type(d) for d in process.outputs] == [kind]
    assert [c.column for c in process.columns] == ["key", "value"]


@pytest.mark.parametrize(("provider", "options", "kind"), SYSTEMS)
def test_insert_through_an_unknown_relation_is_identified_by_table_options(
    provider: str, options: dict[str, str], kind: type
) -> None:
    command = InsertIntoDataSourceCommand(
        class_name="Insert",
        relation=UnknownObject("com.example.Relation"),
        catalog_table=_table(provider, options),
        query=_rows(),
        query_output=OUTPUT,
        **NODE,
    )
    (process,) = extract(command, Run(execution_id=1), APPLICATION).processes
    assert [type(d) for d in process.outputs] == [kind]


@pytest.mark.parametrize(("provider", "options", "kind"), SYSTEMS)
def test_read_of_a_table_reads_the_dataset_of_the_other_system(
    provider: str, options: dict[str, str], kind: type
) -> None:
    leaf = LogicalRelation(
        relation=UnknownObject("com.example.Relation"), catalog_table=_table(provider, options), output=OUTPUT
    )
    found = reading(leaf, ())
    assert found is not None and [type(d) for d in found.datasets] == [kind]


@pytest.mark.parametrize(
    ("provider", "options", "kind"),
    [
        ("org.apache.spark.sql.execution.datasources.jdbc", JDBC, RdbmsDataset),
        *(each for each in SYSTEMS[4:] if "." in each[0]),
    ],
)
def test_save_into_a_table_writes_the_dataset_of_the_other_system(
    provider: str, options: dict[str, str], kind: type
) -> None:
    command = SaveIntoDataSourceCommand(
        class_name="Save", data_source=f"{provider}.X", options=options, query=_rows(), query_output=OUTPUT, **NODE
    )
    (process,) = extract(command, Run(execution_id=1), APPLICATION).processes
    assert [type(d) for d in process.outputs] == [kind]


def test_table_without_a_location_is_identified_by_its_name() -> None:
    command = CreateDataSourceTableAsSelectCommand(
        class_name="CTAS",
        table=_table("org.apache.hadoop.hbase.spark", {}),
        query=_rows(),
        output_column_names=("key", "value"),
        query_output=OUTPUT,
        **NODE,
    )
    (process,) = extract(command, Run(execution_id=1), APPLICATION).processes
    assert [type(d) for d in process.outputs] == [TableDataset]


def test_a_table_of_files_is_announced() -> None:
    changes = Changes(Tables())
    changes.add(CreateTableEvent(database="db", name="t", definition=_table("parquet", {})), frozenset())
    assert len(list(changes.ready(frozenset()))) == 1


def _v2(table_class: str, options: dict[str, str], table: object = None) -> DataSourceV2Relation:
    return DataSourceV2Relation(
        table=table or V2Table(table_class=table_class, name="", columns=(), partitioning=(), properties=None),
        catalog="of",
        identifier=None if table is None else Identifier(namespace=("db",), name="t"),
        options=options,
        output=OUTPUT,
    )


def test_table_of_a_v2_source_is_identified_by_its_options() -> None:
    found = reading(_v2("org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable", {"topic": "t"}), ())
    assert found is not None and found.only == TopicDataset(topic="t", columns=found.datasets[0].columns)
    assert [c.name for c in found.datasets[0].columns] == ["key", "value"]


def test_index_of_a_v2_source_is_no_path() -> None:
    found = reading(_v2("org.elasticsearch.spark.sql.ElasticsearchTable", {"path": "orders/doc"}), ())
    assert found is not None and [d.key for d in found.datasets] == ["other:elasticsearch://localhost:9200/orders"]


def test_rows_deleted_by_the_database_are_those_of_its_own_table() -> None:
    target = _v2("", {}, JDBCTable(url=JDBC["url"], table=JDBC["dbtable"], query=None))
    condition = AttributeReference(expr_id=1)
    command = DeleteFromTable(children=(target,), is_command=True, condition=condition)
    (process,) = extract(command, Run(execution_id=1), APPLICATION).processes
    assert [type(d) for d in process.outputs] == [RdbmsDataset]
