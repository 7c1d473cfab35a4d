"""Trace a column back to its origins, through all processes of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn

MAX_PATHS = 1000
"""Limit of the paths from one column: their number may be exponential in the size of the graph."""

FlowsByColumn = Mapping[LineageColumn, tuple[ColumnFlow, ...]]
"""Output column to its flows, direct and indirect."""


def flows_by_column(graph: LineageGraph) -> FlowsByColumn:
    """Index the column flows of all processes by output column."""
    flows: dict[LineageColumn, dict[ColumnFlow, None]] = {}
    for process in graph.processes.values():
        for flow in (*process.columns, *(process.latest.constant_columns if process.latest else ())):
            flows.setdefault(flow.output, {}).setdefault(flow)
    return {column: tuple(each) for column, each in flows.items()}


def paths_to_origins(flows: FlowsByColumn, column: LineageColumn) -> Iterator[tuple[LineageColumn, ...]]:
    """Yield the paths from a column back to columns without sources, starting with the column; at most MAX_PATHS.

    Indirect dependencies are not followed, and a cycle is passed once.
    """
    stack: list[tuple[LineageColumn, ...]] = [(column,)]
    yielded = 0
    while stack and yielded < MAX_PATHS:
        path = stack.pop()
        sources = dict.fromkeys(c for flow in flows.get(path[-1], ()) if not flow.influences for c in flow.sources)
        unvisited = [each for each in sources if each not in path]
        if unvisited:
            stack.extend((*path, each) for each in reversed(unvisited))
        else:
            yielded += 1
            yield path
