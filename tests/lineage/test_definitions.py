"""What a table is by now is said of it, whatever a plan shows."""

from __future__ import annotations

import pytest
from live import APPLICATION

from sac_kafka.lineage.definitions import MOST_DEFINITIONS, Definitions
from sac_kafka.lineage.model import (
    Change,
    PathDataset,
    Process,
    Run,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)


def named(name: str, comment: str | None = None) -> TableDataset:
    return TableDataset(database="d", name=name, comment=comment)


PATH = PathDataset(path="file:/data", format="parquet")
STALE = Process(
    application=APPLICATION,
    run=Run(execution_id=1),
    inputs=(PATH, named("read", "stale")),
    outputs=(named("written", "stale"),),
)


def comments(*changes: Change) -> list[str | None]:
    """The comments of what is read and written after changes."""
    definitions = Definitions()
    for change in changes:
        definitions.take(change)
    process = definitions.applied(STALE)
    assert [d.key for d in (*process.inputs, *process.outputs)] == [d.key for d in (*STALE.inputs, *STALE.outputs)]
    return [d.comment for d in (*process.inputs, *process.outputs) if isinstance(d, TableDataset)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([], ["stale", "stale"]),
        ([TableDefined(table=named("read", "one"))], ["one", "stale"]),
        ([TableDefined(table=named("written", "one")), TableDefined(table=named("written", "two"))], ["stale", "two"]),
        ([TableRenamed(old=named("before"), new=named("read", "moved"))], ["moved", "stale"]),
        (
            [TableDefined(table=named("read", "one")), TableRenamed(old=named("read"), new=named("written", "moved"))],
            ["stale", "moved"],
        ),
        ([TableDefined(table=named("read", "one")), TableDropped(table=named("read"))], ["stale", "stale"]),
    ],
)
def test_the_last_definition_that_was_said_counts(changes: list[Change], said: list[str | None]) -> None:
    assert comments(*changes) == said


def test_the_oldest_definition_is_forgotten_first() -> None:
    others = [TableDefined(table=named(f"t{i}")) for i in range(MOST_DEFINITIONS - 1)]
    old, again = TableDefined(table=named("read", "old")), TableDefined(table=named("written", "kept"))
    assert comments(old, again, *others) == ["stale", "kept"]
    assert comments(old, *others, old, again) == ["old", "kept"]
