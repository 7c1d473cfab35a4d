"""What is told, as what JSON can say: the shapes that commands with --json share (docs/tools.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sac_kafka.readable.origins import Made, origins
from sac_kafka.readable.told import ColumnFlow, ToldChange, ToldColumn, ToldProcess


def told_object(each: ToldProcess | ToldChange) -> dict[str, object]:
    """Give a process or a change under the word for what it is."""
    if isinstance(each, ToldProcess):
        return {"process": process_object(each)}
    return {"change": change_object(each)}


def process_object(told: ToldProcess) -> dict[str, object]:
    """Give a process; columns that come from no other have no sources."""
    return {
        "id": told.id,
        "name": told.name,
        "inputs": list(told.inputs),
        "outputs": list(told.outputs),
        "columns": [flow_object(each) for each in (*told.columns, *told.made)],
        "rows": told.rows,
        "about": dict(told.about),
    }


def change_object(told: ToldChange) -> dict[str, object]:
    """Give a change of the catalog."""
    return {"verb": told.verb, "type": told.type_name, "name": told.name, "details": told.details}


def flow_object(flow: ColumnFlow) -> dict[str, Any]:
    """Give what a column is made of."""
    return {
        "output": str(flow.output),
        "sources": [str(each) for each in flow.sources],
        "expression": flow.expression,
        "influences": flow.influences,
    }


def column_object(column: ToldColumn) -> dict[str, str]:
    """Give a column."""
    return {"dataset": column.dataset, "column": column.name}


def ways_object(made: Made, column: ToldColumn) -> dict[str, object]:
    """Give the ways back from a column, the asked one first in each, and what each column on them is made of."""
    ways = list(origins(made, column))
    on_them = dict.fromkeys(each for way in ways for each in way)
    return {
        "asked": column_object(column),
        "ways": [[column_object(each) for each in way] for way in ways],
        "columns": list(_flows(made, on_them)),
    }


def _flows(made: Made, columns: dict[ToldColumn, None]) -> Iterator[dict[str, Any]]:
    for column in columns:
        yield from (flow_object(flow) for flow in made.get(column, ()))
