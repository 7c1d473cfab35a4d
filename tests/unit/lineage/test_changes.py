"""Catalog events become changes: each once, in order, whatever runs at the same time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sac_kafka.lineage.catalog.catalog import Changes
from sac_kafka.plan.catalog import (
    AlterTableEvent,
    CatalogDatabase,
    CatalogEvent,
    CatalogStorageFormat,
    CatalogTable,
    CreateTableEvent,
    DatabaseEvent,
    DropDatabaseEvent,
    DropTableEvent,
    RenameTableEvent,
    StructField,
    TableIdentifier,
)
from sac_kafka.stages.tables import Tables
from tests.cases.batches import BATCHES
from tests.helpers.every_row import every_row
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import Capture


def definition(name: str, *columns: str, provider: str = "parquet") -> CatalogTable:
    return CatalogTable(
        identifier=TableIdentifier(table=name, database="d", catalog=None),
        table_type="MANAGED",
        provider=provider,
        owner="",
        create_time=0,
        comment=None,
        storage=CatalogStorageFormat(
            location=None, input_format=None, output_format=None, serde=None, compressed=False
        ),
        fields=tuple(StructField(name=c, type="int", nullable=True) for c in columns),
        partition_column_names=(),
    )


def created(name: str, *columns: str, provider: str = "parquet") -> CreateTableEvent:
    of = definition(name, *columns, provider=provider)
    return CreateTableEvent(database="d", name=name, definition=of)


def gone(name: str) -> CreateTableEvent:
    """Return the event of a created table that no longer exists when it is looked up."""
    return CreateTableEvent(database="d", name=name, definition=None)


def altered(name: str, *columns: str, kind: str = "table") -> AlterTableEvent:
    return AlterTableEvent(database="d", name=name, kind=kind, definition=definition(name, *columns))


def unseen(name: str) -> AlterTableEvent:
    """Return the event of an altered table that no longer exists when it is looked up."""
    return AlterTableEvent(database="d", name=name, kind="table", definition=None)


def dropped(name: str) -> DropTableEvent:
    return DropTableEvent(database="d", name=name, is_looked_up=True)


def renamed(old: str, new: str, *, found: bool = True, provider: str = "parquet") -> RenameTableEvent:
    of = definition(new, "a", provider=provider) if found else None
    return RenameTableEvent(database="d", name=old, new_name=new, definition=of, is_looked_up=True)


def changes_after(changes: Changes, events: Iterable[CatalogEvent], roots: frozenset[int] = frozenset()) -> list[str]:
    """Return the changes that are ready after the events, which came while `roots` ran and have ended since."""
    for event in events:
        changes.add(event, roots)
    return [
        line.split(" MANAGED")[0].replace("table:spark_catalog.d.", "")
        for line in lineage_lines(changes.ready(frozenset()), "/nowhere")
    ]


@every_row(
    ("events", "expected"),
    [
        ([created("t", "a")], ["TableDefined t (a int)"]),
        ([created("t", "a"), altered("t", "a", "b")], ["TableDefined t (a int, b int)"]),
        ([altered("t", "a", kind="dataSchema")], ["TableDefined t (a int)"]),
        ([altered("t", "a", kind="stats")], []),
        ([dropped("t"), created("t", "b")], ["TableDefined t (b int)"]),
        ([created("t", "a"), dropped("t")], ["TableDropped t"]),
        ([renamed("t", "u")], ["TableRenamed t -> u (a int)"]),
        ([renamed("t", "u", found=False), renamed("u", "v")], ["TableRenamed t -> v (a int)"]),
        (
            [renamed("t", "u", found=False), altered("u", "a")],
            ["TableRenamed t -> u (a int)", "TableDefined u (a int)"],
        ),
        ([renamed("t", "u", found=False), renamed("u", "t")], ["TableDefined t (a int)"]),
        ([renamed("t", "u", found=False), renamed("s", "t")], ["TableDropped t", "TableRenamed s -> t (a int)"]),
        ([unseen("t"), renamed("t", "u")], ["TableRenamed t -> u (a int)", "TableDefined u (a int)"]),
        (
            [unseen("t"), renamed("t", "u", found=False), renamed("u", "v")],
            ["TableRenamed t -> v (a int)", "TableDefined v (a int)"],
        ),
        ([unseen("t"), dropped("t"), renamed("u", "t")], ["TableDropped t", "TableRenamed u -> t (a int)"]),
        ([renamed("t", "u", found=False), dropped("u")], ["TableDropped t"]),
        ([dropped("t"), renamed("u", "t")], ["TableDropped t", "TableRenamed u -> t (a int)"]),
        ([dropped("t"), gone("t")], []),
        ([dropped("t"), gone("t"), dropped("t")], ["TableDropped t"]),
        ([dropped("t"), gone("t"), renamed("t", "u")], ["TableRenamed t -> u (a int)", "TableDefined u (a int)"]),
        ([gone("t"), dropped("t")], ["TableDropped t"]),
        (
            [renamed("t", "u", found=False), created("t", "b"), dropped("u")],
            ["TableDefined t (b int)", "TableDropped u"],
        ),
        (
            [renamed("t", "u", found=False), gone("t"), renamed("u", "v"), dropped("t")],
            ["TableRenamed u -> v (a int)", "TableDropped t"],
        ),
        ([created("j", "a", provider="jdbc"), renamed("j", "k", provider="jdbc"), dropped("k")], []),
        ([created("j", "a", provider="jdbc"), renamed("j", "k", found=False), dropped("k")], []),
        (  # looked up when the name was already that of a later table
            [created("t", "a", provider="jdbc"), renamed("t", "u")],
            ["TableRenamed t -> u (a int)", "TableDefined u (a int)"],
        ),
        (
            [renamed("t", "u", provider="jdbc"), renamed("u", "v"), created("u", "a", provider="jdbc"), dropped("u")],
            ["TableRenamed t -> v (a int)", "TableDefined v (a int)"],
        ),
        ([renamed("t", "u", provider="jdbc"), dropped("u")], ["TableDropped t"]),
        ([created("j", "a", provider="jdbc"), dropped("j"), created("j", "a")], ["TableDefined j (a int)"]),
    ],
)
def test_changes_of_the_events_of_one_statement(events: list[CatalogEvent], expected: list[str]) -> None:
    assert changes_after(Changes(Tables()), events, frozenset({1})) == expected


def test_a_drop_waits_for_the_statements_that_were_open_when_it_came() -> None:
    changes = Changes(Tables())
    changes.add(dropped("t"), frozenset({1, 2}))
    assert list(changes.ready(frozenset({2}))) == []
    assert changes_after(changes, []) == ["TableDropped t"]


def test_a_definition_does_not_wait() -> None:
    changes = Changes(Tables())
    changes.add(created("t", "a"), frozenset({1, 2}))
    assert len(list(changes.ready(frozenset({2})))) == 1
    assert changes_after(changes, []) == []


def test_database_is_dropped_with_its_known_tables() -> None:
    changes = Changes(Tables())
    assert changes_after(changes, [created("t", "a"), created("u", "a"), dropped("u")]) == [
        "TableDefined t (a int)",
        "TableDropped u",
    ]
    assert changes_after(changes, [DropDatabaseEvent(database="d", is_looked_up=True)]) == [
        "TableDropped t",
        "DatabaseDropped d",
    ]
    assert changes_after(changes, [DropDatabaseEvent(database="d", is_looked_up=True)]) == ["DatabaseDropped d"]


def test_owner_of_a_database_is_one_of_its_properties() -> None:
    of = CatalogDatabase(name="d", description="", location="file:/w", properties={"owner": "me", "team": "shop"})
    changes = Changes(Tables())
    changes.add(DatabaseEvent(database="d", definition=of), frozenset())
    (change,) = changes.ready(frozenset())
    assert change.database.owner == "me"  # type: ignore[union-attr]
    assert change.database.properties == (("team", "shop"),)  # type: ignore[union-attr]


def test_without_lookups_there_are_no_changes() -> None:
    events: list[CatalogEvent] = [
        CreateTableEvent(database="d", name="t", definition=None),
        AlterTableEvent(database="d", name="t", kind="table", definition=None),
        RenameTableEvent(database="d", name="t", new_name="u", definition=None, is_looked_up=False),
        DropTableEvent(database="d", name="u", is_looked_up=False),
        DatabaseEvent(database="d", definition=None),
        DropDatabaseEvent(database="d", is_looked_up=False),
    ]
    assert changes_after(Changes(Tables()), events) == []


def test_overwritten_table_is_replaced() -> None:
    """Expect drop and create of one execution in Spark 4, and a separate, earlier drop in 3.5."""
    kinds = {p.parent.name: _kinds(p) for p in BATCHES.glob("*/table_replaced.txt")}
    defined, flow, drop = "TableDefined", "table:spark_catalog.cases.replaced", "TableDropped"
    assert kinds["4.3.0"] == [defined, flow, defined, flow, drop]
    assert kinds["3.5.9"] == [defined, flow, drop, defined, flow, drop]


def _kinds(batch: Path) -> list[str]:
    return [
        line.split()[0]
        for line in lineage_lines(Capture.outcomes_of(batch.read_text("utf-8")), "/nowhere")
        if not line.startswith(" ")
    ]
