"""Drop executions of a batch that are a part of another one: the files that a CTAS or `saveAsTable` writes are its table.

Spark states for each only that it runs within the batch. Files are matched to a table by its location, or by its directory
name if the function has dropped the table again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sac_kafka.lineage.executions import Ended, analyzed
from sac_kafka.lineage.extract import Extraction
from sac_kafka.lineage.model import Dataset, PathDataset, Process, TableDataset
from sac_kafka.plan.commands import CreateDataSourceTableAsSelectCommand, SaveAsV1TableCommand
from sac_kafka.plan.execution import SparkListenerSQLExecutionEnd
from sac_kafka.plan.hive_commands import CreateHiveTableAsSelectCommand

_MADE_BY = (CreateDataSourceTableAsSelectCommand, CreateHiveTableAsSelectCommand)
MAKING = (CreateDataSourceTableAsSelectCommand, SaveAsV1TableCommand)
"""Commands that create a table whose files another execution writes."""

Extracted = tuple[Ended, Extraction]
"""An execution that has ended, and its processes."""


def independent_processes(found: Sequence[Extracted]) -> Iterator[Process]:
    """Yield the processes of the executions within a batch, in the order of their ends, without parts of others."""
    for position, ((event, _), extraction) in enumerate(found):
        if _is_reported_within(event, found[:position]):
            continue
        # A nested execution starts after the outer one and ends before it.
        around = [
            table
            for (outer, _), of in found[position + 1 :]
            if outer.execution_id < event.execution_id and isinstance(analyzed(outer), MAKING)
            for process in of.processes
            for table in process.outputs
        ]
        yield from (p for p in extraction.processes if not (p.outputs and all(_is_in(o, around) for o in p.outputs)))


def _is_reported_within(event: SparkListenerSQLExecutionEnd, ended: Sequence[Extracted]) -> bool:
    """Return whether a command that `saveAsTable` ran reports its table: only that one has the current database."""
    plan = analyzed(event)
    if not isinstance(plan, SaveAsV1TableCommand):
        return False
    name = plan.table.identifier.table.lower()
    made = (analyzed(inner) for (inner, _), of in ended if inner.execution_id > event.execution_id and of.processes)
    return any(isinstance(each, _MADE_BY) and each.table.identifier.table.lower() == name for each in made)


def _is_in(output: Dataset, tables: Sequence[Dataset]) -> bool:
    return isinstance(output, PathDataset) and any(
        isinstance(table, TableDataset) and _lies_at(table, output.path) for table in tables
    )


def _lies_at(table: TableDataset, path: str) -> bool:
    """Return whether a path is a table's location; for a table without a known location, compare the directory's name.

    >>> _lies_at(TableDataset(database="sales", name="Stage"), "file:/warehouse/sales.db/stage")
    True
    >>> _lies_at(TableDataset(database="sales", name="stage"), "file:/out/orders")
    False
    """
    if table.location is not None:
        return table.location.rstrip("/") == path.rstrip("/")
    return path.rstrip("/").rpartition("/")[2].lower() == table.name.lower()
