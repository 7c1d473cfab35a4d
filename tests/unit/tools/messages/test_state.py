"""What a server holds after it has processed notifications."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, EntityPartialUpdate, Notification
from sac_kafka.errors import MessageError
from sac_kafka.tools.graph.graph import LineageGraph, graph_of, label_graph
from sac_kafka.tools.messages.entities import data_type_of
from sac_kafka.tools.messages.model import CatalogChange, LineageColumn, LineageProcess
from sac_kafka.tools.messages.state import ServerState
from tests.helpers.work import assert_linear
from tests.unit.tools.messages.notifications import column, deletion, entity, flow_between, renaming, table

A, B = "s.a@ns", "s.b@ns"
COPY = flow_between("spark_table", A, B, "id", "n")


def graph(*notifications: Notification) -> LineageGraph:
    return graph_of(ServerState(notifications).items())


def edges(*notifications: Notification) -> set[tuple[str, str]]:
    return {(str(each.source), str(each.target)) for each in graph(*notifications).column_edges()}


def dropped(found: LineageGraph) -> list[str]:
    return [name for name, each in found.datasets.items() if each.is_dropped]


BOTH = {("s.a@ns.id", "s.b@ns.id"), ("s.a@ns.n", "s.b@ns.n")}


def test_attributes_and_column_lineage_of_earlier_messages_are_kept() -> None:
    first = flow_between("spark_table", A, B, "id", queryText="insert", details=json.dumps({"user": "x"}))
    second = flow_between("spark_table", A, B, "n", description="Rows filtered by n > 1.")
    (process,) = graph(first, second).processes.values()
    assert process.attributes["query"] == "insert"
    assert process.rows == "Rows filtered by n > 1."
    assert edges(first, second) == BOTH
    reset = EntityPartialUpdate(id=AtlasObjectId("spark_process", "p@ns"), attributes={"queryText": None})
    assert "query" not in graph(first, second, reset).processes["p@ns"].attributes


def test_custom_attributes_are_replaced_as_a_whole() -> None:
    process = COPY.entities[-3]
    facts = (
        replace(process, custom_attributes=each)
        for each in ({"status": "failed", "failure": "X"}, {"status": "ok"}, {})
    )
    (found,) = graph(*(EntityCreate(entities=(each,)) for each in facts)).processes.values()
    assert found.run_status == {"status": "ok"}


def test_other_inputs_replace_the_earlier_ones_but_deleted_ones() -> None:
    other = flow_between("spark_table", "s.c@ns", B)
    assert graph(COPY, other).processes["p@ns"].inputs == ("s.c@ns",)
    found = graph(COPY, deletion("spark_table", A), other)
    assert found.processes["p@ns"].inputs == ("s.c@ns", A)
    assert dropped(found) == [A]


def test_deleted_column_lineage_and_process_are_gone_until_they_are_sent_again() -> None:
    gone = deletion("spark_column_lineage", "p:id@ns")
    assert edges(COPY, gone) == {("s.a@ns.n", "s.b@ns.n")}
    assert edges(gone, COPY) == edges(COPY, gone, COPY) == BOTH
    assert not graph(COPY, deletion("spark_process", "p@ns")).processes
    again = flow_between("spark_table", A, B)  # Column lineage of the deleted process is not that of the new one.
    assert not edges(COPY, deletion("spark_process", "p@ns"), again)
    assert graph(COPY, deletion("spark_process", "p@other")).processes.keys() == {"p@ns"}


def test_a_deleted_column_has_no_lineage_and_keeps_what_was_made_of_it() -> None:
    name = column(B, "id").qualified_name
    last = flow_between("spark_table", B, "s.c@ns", "id", process="q@ns")
    assert edges(COPY, last, deletion("spark_column", name)) == {("s.a@ns.n", "s.b@ns.n"), ("s.b@ns.id", "s.c@ns.id")}
    again = EntityCreate(entities=(*table(B, "id"), *COPY.entities[-2:]))
    assert edges(COPY, deletion("spark_column", name), again) == BOTH


def test_a_dropped_table_keeps_its_lineage_until_it_is_created_again() -> None:
    drop = deletion("spark_table", B)
    found = graph(COPY, drop)
    assert dropped(found) == [B]
    assert edges(COPY, drop) == BOTH
    again = EntityCreate(entities=table(B, "id", "n"))  # Its columns are not those that had the lineage.
    assert not dropped(graph(COPY, drop, again))
    assert not edges(COPY, drop, again)
    assert edges(COPY, drop, COPY) == BOTH


def test_a_renamed_table_is_one_dataset() -> None:
    new = "s.c@ns"
    renames = [
        renaming("spark_table", B, new),
        *(renaming("spark_column", column(B, each)[1], column(new, each)[1]) for each in ("id", "n")),
    ]
    reused = flow_between("spark_table", A, B, "id", process="q@ns")
    found = graph(COPY, *renames, reused)
    assert (found.processes["p@ns"].outputs, found.processes["q@ns"].outputs) == ((new,), (B,))
    assert edges(COPY, *renames, reused) == {
        ("s.a@ns.id", "s.c@ns.id"),
        ("s.a@ns.n", "s.c@ns.n"),
        ("s.a@ns.id", "s.b@ns.id"),
    }
    back = renaming("spark_table", new, B)
    assert dropped(graph(COPY, renames[0], back, deletion("spark_table", B))) == [B]
    assert graph(renames[0]).datasets.keys() == {new}  # its creation may precede these messages


def test_a_deleted_column_belongs_to_its_renamed_table() -> None:
    last = flow_between("spark_table", B, "s.c@ns", "id", process="q@ns")
    gone = deletion("spark_column", column(B, "id").qualified_name)
    renames = (
        renaming("spark_table", B, "s.d@ns"),
        renaming("spark_column", column(B, "n")[1], column("s.d@ns", "n")[1]),
    )
    found = graph(COPY, last, gone, *renames)
    assert found.datasets.keys() == {A, "s.d@ns", "s.c@ns"}
    assert edges(COPY, last, gone, *renames) == {("s.a@ns.n", "s.d@ns.n"), ("s.d@ns.id", "s.c@ns.id")}


def test_names_in_texts_follow_renames() -> None:
    details = json.dumps({"rows_by_filter": ["s.a.n", "s.gone.x"], "columns_without_sources": ["k = 1"]})
    first = flow_between("spark_table", A, B, "n", "k", details=details)
    renames = (
        renaming("spark_table", A, "s.c@ns"),
        renaming("spark_column", "s.a.n@ns", "s.c.m@ns"),
        renaming("spark_column", "s.b.k@ns", "s.b.l@ns"),
    )
    (process,) = graph(first, *renames).processes.values()
    assert process.row_columns == (("filter", LineageColumn("s.c@ns", "m")),)
    assert [(str(each.output), each.expression) for each in process.constant_columns] == [("s.b@ns.l", "1")]
    (process,) = graph(first, deletion("spark_column", "s.b.k@ns")).processes.values()
    assert process.constant_columns == ()


def asset_process(*pairs: tuple[str, str]) -> EntityCreate:
    """Return the message of a process in Purview that maps columns from `in` to `out@c`."""
    mapping = [
        {
            "DatasetMapping": {"Source": "in", "Sink": "out@c"},
            "ColumnMapping": [{"Source": a, "Sink": b} for a, b in pairs],
        }
    ]
    sides = {
        "inputs": (AtlasObjectId("azure_sql_table", "in"),),
        "outputs": (AtlasObjectId("azure_sql_table", "out@c"),),
    }
    id_ = AtlasObjectId("databricks_process", "job/processes/1")
    return EntityCreate(entities=(AtlasEntity(id=id_, attributes={"columnMapping": json.dumps(mapping)}, sides=sides),))


def test_a_column_mapping_replaces_the_earlier_one() -> None:
    first, second = asset_process(("a", "x"), ("*", "z")), asset_process(("b", "y"))
    assert edges(first, second) == {("in@#b", "out@c@#y")}
    assert not graph(first, second).processes["job/processes/1"].constant_columns
    emptied = EntityPartialUpdate(id=first.entities[0].id, attributes={"columnMapping": "[]"})
    assert not edges(first, emptied)
    assert dropped(graph(first, deletion("azure_sql_table", "out@c"))) == ["out@c@"]


def test_names_of_assets_have_a_namespace_if_their_types_do() -> None:
    ends = {
        "hive_table": "sales.orders@prod",
        "DataSet": "file:/out@prod",
        "azure_datalake_gen2_path": "https://a/b@c.csv",
    }
    mapping = [
        {
            "DatasetMapping": {"Source": source, "Sink": ends["DataSet"]},
            "ColumnMapping": [{"Source": "id", "Sink": "id"}],
        }
        for source in (ends["hive_table"], ends["azure_datalake_gen2_path"])
    ]
    ids = {kind: AtlasObjectId(kind, name) for kind, name in ends.items()}
    sides = {"inputs": (ids["hive_table"], ids["azure_datalake_gen2_path"]), "outputs": (ids["DataSet"],)}
    process = AtlasEntity(
        id=AtlasObjectId("databricks_process", "p"), attributes={"columnMapping": json.dumps(mapping)}, sides=sides
    )
    messages = EntityCreate(entities=(process,)), deletion("hive_table", ends["hive_table"])
    shown = label_graph(graph(*messages))
    assert {name: each.is_dropped for name, each in shown.datasets.items()} == {
        "sales.orders": True,
        "https://a/b@c.csv": False,
        "file:/out": False,
    }
    assert {str(each.source) for each in shown.column_edges()} == {"sales.orders#id", "https://a/b@c.csv#id"}


@pytest.mark.parametrize("mapping", ["{", '[{"DatasetMapping": 1}]'])
def test_invalid_column_lineage_changes_nothing(mapping: str) -> None:
    state = ServerState([COPY])
    before = list(state.items())
    for entities in (
        (entity("spark_column_lineage", "x@ns", {"inputs": (column(A, "id"),), "outputs": (column(B, "id"),)}),),
        (replace(asset_process().entities[0], attributes={"columnMapping": mapping}),),
    ):
        with pytest.raises(MessageError, match="a column lineage without its process or output"):
            state.apply(EntityCreate(entities=(*table("s.new@ns", "x"), *entities)))
    assert list(state.items()) == before


def test_tables_and_databases_without_a_flow() -> None:
    db = AtlasObjectId("spark_db", "s@ns")
    of_table = replace(table("s.new@ns", "x")[0], references={"db": db})
    message = EntityCreate(entities=(AtlasEntity(id=db, attributes={}), of_table, *table("s.new@ns", "x", "y")[1:]))
    defined = CatalogChange("defined", "spark_table", "s.new@ns", "columns x, y")
    assert list(ServerState([message]).items()) == [defined]
    alone = EntityCreate(entities=(AtlasEntity(id=db, attributes={}),))
    assert list(ServerState([alone]).items()) == [CatalogChange("defined", "spark_db", "s@ns")]
    drop = EntityDelete(ids=(AtlasObjectId("spark_table", "s.new@ns"), db))
    assert list(ServerState([message, drop]).items()) == [CatalogChange("dropped", "spark_table", "s.new@ns")]
    assert list(ServerState([drop]).items()) == []


def test_column_lineage_of_a_process_that_was_sent_before_these_messages() -> None:
    (process,) = [
        each
        for each in ServerState([EntityCreate(entities=COPY.entities[-2:])]).items()
        if isinstance(each, LineageProcess)
    ]
    assert process.is_of_columns_alone
    assert len(process.columns) == 2


def test_work_is_linear_in_tables_drops_and_columns() -> None:
    def run(number: int) -> Iterable[Notification]:
        names = [f"s.t{n}@ns" for n in range(number)]
        yield from (flow_between("spark_table", A, name, "id", process=f"{name}") for name in names)
        yield from (deletion("spark_table", name) for name in names)

    assert_linear(lambda number: lambda: graph(*run(number)), 50)


def test_columns_have_the_type_that_was_sent_last() -> None:
    name = column(B, "id")
    typed = EntityCreate(entities=(AtlasEntity(id=name, attributes={"name": "id", "type": "int"}),))
    wider = EntityPartialUpdate(id=name, attributes={"type": "bigint"})
    assert graph(COPY).datasets[B].columns == {"id": "", "n": ""}
    assert graph(COPY, typed).datasets[B].columns == {"id": "int", "n": ""}
    assert graph(COPY, typed, wider, COPY).datasets[B].columns == {"id": "bigint", "n": ""}
    renamed = renaming("spark_column", name.qualified_name, "s.b.key@ns")
    assert graph(COPY, typed, renamed).datasets[B].columns == {"key": "int", "n": ""}


@pytest.mark.parametrize(
    ("type_name", "attributes", "data_type"),
    [
        ("spark_column", {"type": "decimal(10,2)", "doc": "int"}, "decimal(10,2)"),
        ("hive_column", {"type": "array<int>"}, "array<int>"),
        ("rdbms_column", {"data_type": "VARCHAR"}, "VARCHAR"),
        ("avro_field", {"type": [{"typeName": "avro_primitive"}], "doc": "struct<a:int>"}, "struct<a:int>"),
        ("avro_field", {"doc": "interval day to second"}, "interval day to second"),
        ("avro_field", {"doc": "integer that identifies a customer"}, ""),
        ("avro_field", {"doc": None}, ""),
        ("spark_column", {"type": None}, ""),
    ],
)
def test_types_of_columns_by_kind(type_name: str, attributes: dict[str, object], data_type: str) -> None:
    assert data_type_of(type_name, attributes) == data_type
