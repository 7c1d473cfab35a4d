"""Changes by commands of V2 catalogs that the test catalog cannot run, or not on every Spark."""

from __future__ import annotations

from sac_kafka.lineage.catalog.v2_changes import V2Changes, alter
from sac_kafka.lineage.datasets.v2_tables import named_dataset, path_of
from sac_kafka.lineage.extract import extract
from sac_kafka.model import Column, Run, TableDataset, TableDefined, TableDropped
from sac_kafka.plan.commands import ViewColumn
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRelation
from sac_kafka.plan.v2_definitions import (
    AddColumns,
    CreateTableLike,
    DropTable,
    FieldName,
    QualifiedColType,
    RenameColumn,
    ReplaceColumns,
    SetTableLocation,
    TableChange,
)
from sac_kafka.plan.v2_tables import AlterV2ViewAs, CreateV2View, Identifier, V2Column, V2Table
from sac_kafka.stages.tables import Tables
from tests.helpers.live_runs import APPLICATION

IDENTIFIER = Identifier(namespace=("a", "b"), name="t")
TABLE = V2Table(
    table_class="x.T",
    name="c.a.b.t",
    columns=(V2Column(name="k", type="int", nullable=False, comment="key"),),
    partitioning=(),
    properties={"provider": "x", "location": "file:/old", "owner": "me", "team": "sales"},
)
NODE = {"is_command": True}
OF_CATALOG = {**NODE, "catalog": "c", "catalog_class": "x.Catalog", "identifier": IDENTIFIER}


def _like(*, if_not_exists: bool, **other: object) -> CreateTableLike:
    given = {"provider": None, "location": None, "properties": None, "source": TABLE, **OF_CATALOG, **other}
    return CreateTableLike(if_not_exists=if_not_exists, **given)


def _drop(**other: object) -> DropTable:
    return DropTable(if_exists=False, **{**OF_CATALOG, **other})


def _changes() -> V2Changes:
    return V2Changes(Tables())


def _changes_of(changes: V2Changes, command: object) -> tuple:
    return changes.apply(command, (), has_written=False)[0]


def test_create_table_like_copies_columns_only() -> None:
    (defined,) = _changes_of(_changes(), _like(if_not_exists=False))
    assert defined == TableDefined(
        table=TableDataset(
            catalog="c",
            database="a.b",
            name="t",
            columns=(Column(name="k", type="int", nullable=False, comment="key"),),
        )
    )


def test_if_not_exists_is_believed_only_after_a_drop() -> None:
    changes = _changes()
    assert _changes_of(changes, _like(if_not_exists=True)) == ()
    assert isinstance(_changes_of(changes, _drop())[0], TableDropped)
    assert isinstance(_changes_of(changes, _like(if_not_exists=True))[0], TableDefined)
    assert _changes_of(changes, _like(if_not_exists=True)) == ()


def test_the_session_catalog_speaks_for_itself() -> None:
    assert _changes_of(_changes(), _drop(catalog="spark_catalog")) == ()


def test_tables_of_a_jdbc_catalog_are_ignored() -> None:
    of = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    assert _changes_of(_changes(), _drop(catalog_class=of)) == ()


def _added(name: str) -> QualifiedColType:
    return QualifiedColType(name=(name,), type="date", nullable=True, comment=None)


def _names(table: V2Table) -> list[str]:
    return [c.name for c in table.columns]


def _of_table(make: type[TableChange], **fields: object) -> TableChange:
    return make(**{**OF_CATALOG, "table": TABLE, **fields})


def test_change_that_the_connector_shows_already_is_not_applied_twice() -> None:
    add = _of_table(AddColumns, columns=(_added("d"),))
    once = alter(add, TABLE)
    assert _names(once) == _names(alter(add, once)) == ["k", "d"]
    rename = _of_table(RenameColumn, column=FieldName(class_name="", name=("k",)), new_name="q")
    assert _names(alter(rename, TABLE)) == _names(alter(rename, alter(rename, TABLE))) == ["q"]


def test_columns_are_replaced() -> None:
    assert _names(alter(_of_table(ReplaceColumns, columns=(_added("z"),)), TABLE)) == ["z"]


def test_the_location_of_a_partition_is_not_the_tables() -> None:
    moved = alter(_of_table(SetTableLocation, location="file:/new", partition_parts=None), TABLE)
    assert (moved.properties or {})["location"] == "file:/new"
    kept = alter(_of_table(SetTableLocation, location="file:/new", partition_parts=1), TABLE)
    assert kept.properties == TABLE.properties


def test_a_path_as_a_name_is_a_path() -> None:
    path = Identifier(namespace=("delta",), name="/data/t/")
    assert path_of(path) == "/data/t"
    keys = [dataset.key for found in (None, TABLE) if (dataset := named_dataset("c", path, found)) is not None]
    assert keys == ["path:/data/t", "path:file:/old"]  # its location, if given
    assert path_of(IDENTIFIER) is None


def _view_definition() -> dict[str, object]:
    output = (Attribute(1, "k", "int", True),)
    files = LogicalRelation(
        relation=HadoopFsRelation(root_paths=("file:/in",), file_format="parquet"), catalog_table=None, output=output
    )
    return {**OF_CATALOG, "query": files, "query_output": output}


def _view_command(**fields: object) -> CreateV2View:
    return CreateV2View(**_view_definition(), columns=(ViewColumn(name="q"),), **fields)


def test_view_of_another_catalog_has_its_definition() -> None:
    command = _view_command()
    (process,) = extract(command, Run(execution_id=1), APPLICATION).processes
    assert process.defines_view
    assert [(d.key, [c.name for c in d.columns]) for d in process.outputs] == [("table:c.a.b.t", ["q"])]
    assert [(c.column, [s.column for s in c.sources]) for c in process.columns] == [("q", ["k"])]
    changes, processes = _changes().apply(command, (process,), has_written=False)
    assert [type(c) for c in changes] == [TableDefined]
    assert processes == (process,)


def test_altered_view_of_a_catalog_has_the_columns_of_its_new_query() -> None:
    (process,) = extract(AlterV2ViewAs(**_view_definition()), Run(execution_id=1), APPLICATION).processes
    assert process.defines_view
    assert [(c.column, [s.column for s in c.sources]) for c in process.columns] == [("k", ["k"])]


def test_view_that_may_have_existed_counts_only_after_a_drop() -> None:
    command = _view_command(allow_existing=True)
    (process,) = extract(command, Run(execution_id=1), APPLICATION).processes
    changes = _changes()
    assert changes.apply(command, (process,), has_written=False) == ((), ())
    assert isinstance(_changes_of(changes, _drop())[0], TableDropped)
    assert changes.apply(command, (process,), has_written=False)[1] == (process,)
