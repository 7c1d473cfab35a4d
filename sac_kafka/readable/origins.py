"""Where a column comes from, over all processes that messages tell of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sac_kafka.readable.graph import LineageGraph
from sac_kafka.readable.told import ColumnFlow, ToldColumn

MAX_WAYS = 1000
"""The ways back from one column: there may be exponentially many."""

Made = Mapping[ToldColumn, tuple[ColumnFlow, ...]]
"""What is said of each column that something made: what flows into it, and what influences it."""


def made_of(graph: LineageGraph) -> Made:
    """What is said of columns in the end."""
    made: dict[ToldColumn, dict[ColumnFlow, None]] = {}
    for process in graph.processes.values():
        for flow in (*process.columns, *(process.told.made if process.told else ())):
            made.setdefault(flow.output, {}).setdefault(flow)
    return {column: tuple(each) for column, each in made.items()}


def origins(made: Made, column: ToldColumn) -> Iterator[tuple[ToldColumn, ...]]:
    """The ways from a column back to columns that nothing made, the asked one first, at most MAX_WAYS.

    What only influences a column is no way back. A column that is made of itself is followed once.
    """
    stack: list[tuple[ToldColumn, ...]] = [(column,)]
    given = 0
    while stack and given < MAX_WAYS:
        way = stack.pop()
        sources = dict.fromkeys(c for flow in made.get(way[-1], ()) if not flow.influences for c in flow.sources)
        before = [each for each in sources if each not in way]
        if before:
            stack.extend((*way, each) for each in reversed(before))
        else:
            given += 1
            yield way
