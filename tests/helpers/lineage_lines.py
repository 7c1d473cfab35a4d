"""Lineage as lines of text, so that a test compares and a person reads the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sac_kafka.model import (
    READ_BEFORE,
    Change,
    ColumnRenamed,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    Outcome,
    Process,
    RowsRemoved,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.gaps import gaps


def lineage_lines(outcomes: Iterable[Outcome], work: str) -> list[str]:
    """Return a header line per process, then one line per column dependency; one line per change; `work` becomes {work}.

    The header of a view's definition begins with "view". A streaming query is repeated only if its lines have changed.
    """
    return [line.replace(work, "{work}") for lines in _without_repetitions(outcomes) for line in lines]


def _without_repetitions(outcomes: Iterable[Outcome]) -> Iterator[list[str]]:
    earlier: dict[tuple[str, ...], list[str]] = {}
    for outcome in outcomes:
        lines = list(_outcome_lines(outcome))
        stream = outcome.stream if isinstance(outcome, Process) else None
        if stream is None or earlier.get(stream.identity) != lines:
            yield lines
        if stream is not None:
            earlier[stream.identity] = lines


def _outcome_lines(outcome: Outcome) -> Iterator[str]:
    if isinstance(outcome, Process):
        yield from _lines(outcome)
    else:
        yield f"{type(outcome).__name__} {_change(outcome)}"


def _change(change: Change) -> str:
    match change:
        case TableDefined(table=table):
            return _table(table)
        case TableRenamed(old=old, new=new):
            return f"{old.key} -> {_table(new)}"
        case ColumnRenamed(table=table, old=before, new=after):
            return f"{table.key} {before} -> {after}"
        case TableDropped(table=table):
            return table.key
        case RowsRemoved(dataset=dataset, part=part):
            return f"{dataset.key} {part}".strip()
        case DatabaseDefined(database=database):
            return _database(database)
        case DatabaseDropped(database=database):
            return database.name


def _table(table: TableDataset) -> str:
    columns = ", ".join(f"{c.name} {c.type}{f' {c.comment!r}' if c.comment else ''}" for c in table.columns)
    facts = [
        table.table_type,
        table.provider,
        table.comment,
        table.location,
        *map("=".join, table.properties),
        table.view_text,
    ]
    return f"{table.key} ({columns}) {'; '.join(f for f in facts if f)}"


def _database(database: Database) -> str:
    return "; ".join(
        filter(None, [database.name, database.comment, database.location, *map("=".join, database.properties)])
    )


def _lines(process: Process) -> Iterator[str]:
    inputs = ", ".join(d.key for d in process.inputs) or "-"
    outputs = ", ".join(d.key for d in process.outputs)
    yield f"{'view ' if process.defines_view else ''}{outputs} <= {inputs}"
    for column in process.columns:
        if not column.sources:
            yield f"  {column.column} <- -"
        for source in column.sources:
            yield f"  {column.column} <- {source.dataset} {source.column} {source.dependency.value}"
    for source in process.row_level:
        yield f"  (rows) <- {source.dataset} {source.column} {source.dependency.value}"
    for dataset, version in process.versions_read:
        yield f"  (read) <- {dataset} {version}"
    for each in process.through_driver:
        if each.how != READ_BEFORE:
            yield f"  (through the driver) <- {each.dataset.key} {each.how}"
    for each in process.decided_by:
        yield f"  (decided by) <- {each.key}"
    yield from (f"  (missing) {reason}" for reason in gaps(process))
