"""Trace columns to their origins, find the processes of datasets, and convert both to JSON objects (see docs/tools.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sac_kafka.model.facts import ENDED, FAILURE, ROWS_WRITTEN, STATUS
from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess

MAX_PATHS = 1000
"""Limit of the paths from one column: their number may be exponential in the size of the graph."""

FlowsByColumn = Mapping[LineageColumn, tuple[ColumnFlow, ...]]
"""Output column to its flows, direct and indirect."""


def flows_by_column(graph: LineageGraph) -> FlowsByColumn:
    """Index the column flows of all processes by output column."""
    flows: dict[LineageColumn, dict[ColumnFlow, None]] = {}
    for process in graph.processes.values():
        for flow in process.flows:
            flows.setdefault(flow.output, {}).setdefault(flow)
    return {column: tuple(each) for column, each in flows.items()}


def other_sources(graph: LineageGraph) -> Mapping[LineageColumn, str]:
    """Return for each column without source columns what else the rows of its process come from, if anything."""
    processes = graph.processes.values()
    return {flow.output: process.other_sources for process in processes for flow in process.constant_columns}


def paths_to_origins(flows: FlowsByColumn, column: LineageColumn) -> Iterator[tuple[LineageColumn, ...]]:
    """Yield the paths from a column back to columns without sources, starting with the column; at most MAX_PATHS.

    Indirect dependencies are not followed, and a cycle is passed once.
    """
    stack: list[tuple[LineageColumn, ...]] = [(column,)]
    yielded = 0
    while stack and yielded < MAX_PATHS:
        path = stack.pop()
        sources = dict.fromkeys(c for flow in flows.get(path[-1], ()) if not flow.influences for c in flow.sources)
        unvisited = [source for source in sources if source not in path]
        if unvisited:
            stack.extend((*path, each) for each in reversed(unvisited))
        else:
            yielded += 1
            yield path


def writers_and_readers(
    graph: LineageGraph, dataset: str
) -> tuple[tuple[LineageProcess, ...], tuple[LineageProcess, ...]]:
    """Return the processes that write a dataset, and those that read it, each in the order of the graph."""
    processes = graph.processes.values()
    return (
        tuple(process for process in processes if dataset in process.outputs),
        tuple(process for process in processes if dataset in process.inputs),
    )


def accesses_object(
    dataset: str, writers: Iterable[LineageProcess], readers: Iterable[LineageProcess]
) -> dict[str, object]:
    """Return the processes that write and read a dataset as JSON object."""
    return {
        "dataset": dataset,
        "writers": [_access_object(writer) for writer in writers],
        "readers": [_access_object(reader) for reader in readers],
    }


def _access_object(process: LineageProcess) -> dict[str, object]:
    """Return a process with the facts of its last run; a fact is "" if unknown."""
    facts = process.attributes
    rows = ROWS_WRITTEN.read(facts)
    return {
        "job": process.job,
        "process": process.name,
        "process_id": process.id,
        "status": STATUS.read(facts),
        "failure": FAILURE.read(facts),
        "ended_ms": _epoch_ms(ENDED.read(facts)),
        "rows_written": int(rows) if rows.isdecimal() else None,
    }


def _epoch_ms(timestamp: str) -> int | None:
    """Return an ISO 8601 time in epoch milliseconds; None if it is no such time."""
    try:
        return round(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def item_object(each: LineageProcess | CatalogChange) -> dict[str, object]:
    """Return a process or a change under the key `process` or `change`."""
    if isinstance(each, LineageProcess):
        return {"process": process_object(each)}
    return {"change": change_object(each)}


def process_object(process: LineageProcess) -> dict[str, object]:
    """Return a process as JSON object; constant columns have an empty list of sources."""
    return {
        "id": process.id,
        "name": process.name,
        "inputs": list(process.inputs),
        "outputs": list(process.outputs),
        "columns": [flow_object(flow) for flow in process.flows],
        "rows": process.rows,
        "attributes": dict(process.attributes),
    }


def change_object(change: CatalogChange) -> dict[str, object]:
    """Return a change of the catalog as JSON object."""
    return {"verb": change.verb, "type": change.type_name, "name": change.name, "details": change.details}


def flow_object(flow: ColumnFlow) -> dict[str, Any]:
    """Return a column with its sources as JSON object."""
    return {
        "output": str(flow.output),
        "sources": [str(source) for source in flow.sources],
        "expression": flow.expression,
        "influences": flow.influences,
    }


def column_object(column: LineageColumn) -> dict[str, str]:
    """Return the name of a column as JSON object."""
    return {"dataset": column.dataset, "column": column.name}


def origins_object(flows: FlowsByColumn, column: LineageColumn) -> dict[str, object]:
    """Return the paths from a column back to its origins, and the flows of each column on them, as JSON object."""
    paths = list(paths_to_origins(flows, column))
    columns = dict.fromkeys(each for path in paths for each in path)
    return {
        "column": column_object(column),
        "paths": [[column_object(each) for each in path] for path in paths],
        "columns": [flow_object(flow) for each in columns for flow in flows.get(each, ())],
    }
