"""Memories of an application's tables follow every change: the next flow sends nothing that was deleted."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import pytest

from sac_kafka.lineage.catalog.catalog import Catalog
from sac_kafka.model import (
    Change,
    Column,
    ColumnLineage,
    ColumnRenamed,
    ColumnSource,
    Database,
    DatabaseDropped,
    Dependency,
    PathDataset,
    Process,
    Run,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.plan import wire
from sac_kafka.plan.catalog import DropDatabaseEvent, DropTableEvent
from sac_kafka.plan.execution import QueryExecution, SparkListenerSQLExecutionEnd
from sac_kafka.plan.v2_definitions import DropNamespace
from sac_kafka.stages.definitions import Definitions
from sac_kafka.stages.process_stages import pass_outcomes, pass_stages_of_datasets
from sac_kafka.stages.tables import Tables
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions, stage_state

OUT = PathDataset(path="file:/out", format="parquet")


def _table(*columns: str, name: str = "t", database: str = "db", catalog: str | None = "mem") -> TableDataset:
    return TableDataset(catalog=catalog, database=database, name=name, columns=tuple(Column(name=c) for c in columns))


def _reading(table: TableDataset, column: str = "a") -> Process:
    source = ColumnSource(table.key, column, Dependency.IDENTITY)
    return Process(
        application=APPLICATION,
        run=Run(execution_id=1),
        inputs=(table,),
        outputs=(OUT,),
        columns=(ColumnLineage(dataset=OUT.key, column="x", sources=(source,)),),
        row_level=(source,),
    )


def _after(*changes: Change) -> Definitions:
    definitions = Definitions()
    for change in changes:
        definitions.apply(change)
    return definitions


def _names(process: Process) -> list[str]:
    return [c.name for d in process.inputs for c in d.columns]


def _tables(changes: Iterable[Change]) -> Iterable[tuple[Change, TableDataset]]:
    for change in changes:
        match change:
            case TableDefined(table=table) | ColumnRenamed(table=table) | TableRenamed(new=table):
                yield change, table


@pytest.mark.parametrize("version", owed())
def test_flow_after_each_change_has_the_changed_table(version: str) -> None:
    changes = Capture.outcomes_of((BATCHES / version / "v2_table_changes.txt").read_text("utf-8"))
    definitions = Definitions()
    seen = []
    for change, table in _tables(changes):
        definitions.apply(change)
        (known,) = definitions.apply_to(_reading(table)).inputs
        assert known == table
        seen.append(type(change))
    assert ColumnRenamed in seen and TableRenamed in seen


def test_renamed_column_is_removed_although_a_plan_still_has_it() -> None:
    definitions = _after(TableDefined(table=_table("a", "d")), ColumnRenamed(table=_table("a", "f"), old="d", new="f"))
    assert _names(definitions.apply_to(_reading(_table("a", "d")))) == ["a", "f"]


def test_dropped_or_replaced_columns_are_removed() -> None:
    definitions = _after(TableDefined(table=_table("a", "b", "c")), TableDefined(table=_table("z")))
    assert _names(definitions.apply_to(_reading(_table("a", "b", "c")))) == ["z"]


def test_recreated_column_exists() -> None:
    definitions = _after(*(TableDefined(table=_table(*names)) for names in (("a", "b"), ("a",), ("a", "b"))))
    assert _names(definitions.apply_to(_reading(_table("a", "b")))) == ["a", "b"]


def test_column_added_elsewhere_belongs_to_the_table() -> None:
    definitions = _after(TableDefined(table=_table("a", "b")))
    assert _names(definitions.apply_to(_reading(_table("A", "b", "new")))) == ["a", "b", "new"]


def test_a_table_is_read_under_the_name_that_it_has_now() -> None:
    definitions = _after(TableRenamed(old=_table(name="t"), new=_table("a", name="u")))
    process = definitions.apply_to(_reading(_table("a", name="t")))
    assert [d.key for d in process.inputs] == ["table:mem.db.u"]
    assert {s.dataset for c in process.columns for s in c.sources} == {"table:mem.db.u"}
    assert {s.dataset for s in process.row_level} == {"table:mem.db.u"}


def test_a_table_that_was_renamed_twice_has_its_last_name() -> None:
    definitions = _after(
        TableRenamed(old=_table(name="t"), new=_table("a", name="u")),
        TableRenamed(old=_table(name="u"), new=_table("a", name="v")),
    )
    assert [d.key for d in definitions.apply_to(_reading(_table("a", name="t"))).inputs] == ["table:mem.db.v"]


def test_a_new_table_under_an_old_name_is_itself() -> None:
    definitions = _after(
        TableRenamed(old=_table(name="t"), new=_table("a", name="u")), TableDefined(table=_table("b", name="t"))
    )
    assert [d.key for d in definitions.apply_to(_reading(_table("b", name="t"))).inputs] == ["table:mem.db.t"]


def test_new_table_under_an_old_name_is_distinct_even_without_a_lookup() -> None:
    definitions = _after(TableRenamed(old=_table(name="t"), new=_table("a", name="u")))
    definitions.note_creation(_table(name="t").key)
    assert [d.key for d in definitions.apply_to(_reading(_table("b", name="t"))).inputs] == ["table:mem.db.t"]


def test_view_definition_has_the_last_name_and_a_write_the_name_at_its_time() -> None:
    definitions = _after(TableRenamed(old=_table(name="t"), new=_table("a", name="u")))
    old = _table("a", name="t")
    process = dataclasses.replace(_reading(_table("a", name="source")), outputs=(old,))
    assert definitions.apply_to(process).outputs == (old,)
    view = definitions.apply_to(dataclasses.replace(process, defines_view=True))
    assert [d.key for d in view.outputs] == ["table:mem.db.u"]


def test_two_tables_that_swap_names_follow_the_last_rename() -> None:
    definitions = _after(
        TableRenamed(old=_table(name="t"), new=_table("a", name="old")),
        TableRenamed(old=_table(name="fresh"), new=_table("b", name="t")),
    )
    assert definitions.apply_to(_reading(_table("b", name="t"))).inputs == (_table("b", name="t"),)
    assert definitions.apply_to(_reading(_table("b", name="fresh"))).inputs == (_table("b", name="t"),)


def test_dropped_table_is_forgotten() -> None:
    definitions = _after(TableDefined(table=_table("a", "b")), TableDropped(table=_table()))
    assert _names(definitions.apply_to(_reading(_table("c")))) == ["c"]


def test_tables_are_forgotten_with_their_database() -> None:
    inner = _table("a", "b", database="db.inner")
    definitions = _after(
        TableDefined(table=_table("a", "b")),
        TableDefined(table=inner),
        TableDefined(table=_table("a", database="db2")),
        DatabaseDropped(database=Database(name="db", catalog="mem")),
    )
    assert _names(definitions.apply_to(_reading(_table("c")))) == ["c"]
    assert _names(definitions.apply_to(_reading(dataclasses.replace(inner, columns=(Column(name="c"),))))) == ["c"]
    assert _names(definitions.apply_to(_reading(_table("c", database="db2")))) == ["a", "c"]


def test_a_database_is_dropped_with_the_tables_that_it_has_by_then() -> None:
    tables = Tables()
    for name in ("kept", "renamed", "dropped"):
        tables.add_seen(_table(name=name))
    tables.forget(_table(name="dropped").key)
    tables.forget(_table(name="renamed").key)
    assert [t.name for t in tables.forget_database(Database(name="db", catalog="mem"))] == ["kept"]


def test_dropped_namespace_does_not_drop_tables_again() -> None:
    read = [
        line.event
        for line in wire.read((BATCHES / "4.3.0" / "v2_table_changes.txt").read_text("utf-8"))
        if isinstance(line, wire.Projected)
    ]
    actions = Actions(APPLICATION)
    for event in read:
        list(actions.add(event))
    gone = _dropping("mem", "db")
    assert [type(o) for o in actions.add(gone)] == [DatabaseDropped]


def test_table_read_during_its_delayed_drop_is_removed_afterwards() -> None:
    state = stage_state()
    catalog = Catalog(state.known)

    def ready() -> list[type]:
        return [type(change) for change in pass_outcomes(catalog.pending((), frozenset()), state)]

    table = dataclasses.replace(_table("a", catalog=None), location="file:/w/t")
    catalog.add(DropTableEvent(database="db", name="t", is_looked_up=True), frozenset({7}))
    pass_stages_of_datasets(_reading(table), state)
    assert ready() == [TableDropped]
    path = PathDataset(path="file:/w/t", format="parquet", locations=("file:/w/t",))
    again = dataclasses.replace(_reading(table), inputs=(path,))
    assert pass_stages_of_datasets(again, state).inputs == (path,)
    catalog.add(DropDatabaseEvent(database="db", is_looked_up=True), frozenset())
    assert ready() == [DatabaseDropped]


def _dropping(catalog: str, database: str) -> SparkListenerSQLExecutionEnd:
    command = DropNamespace(
        class_name="", is_command=True, catalog=catalog, catalog_class="com.example.Catalog", namespace=(database,)
    )
    query = QueryExecution(analyzed=command, mode="SKIP", sql_text=None)
    return SparkListenerSQLExecutionEnd(execution_id=1_000, name="command", time=0, failure=None, query_execution=query)
