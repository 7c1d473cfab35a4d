"""Convert lineage to the JSON objects that commands print with `--json` (see docs/tools.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sac_kafka.tools.graph.origins import FlowsByColumn, paths_to_origins
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess


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
        "columns": [flow_object(each) for each in (*process.columns, *process.constant_columns)],
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
        "sources": [str(each) for each in flow.sources],
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
        "columns": list(_flow_objects(flows, columns)),
    }


def _flow_objects(flows: FlowsByColumn, columns: dict[LineageColumn, None]) -> Iterator[dict[str, Any]]:
    for column in columns:
        yield from (flow_object(flow) for flow in flows.get(column, ()))
