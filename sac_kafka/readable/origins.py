"""Where a column comes from, over all processes that messages tell of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from sac_kafka.readable.lineage import plain
from sac_kafka.readable.told import ColumnFlow, ToldChange, ToldColumn, ToldProcess

MOST_WAYS = 1000
"""The ways back from one column: there may be exponentially many."""

Made = Mapping[ToldColumn, tuple[ColumnFlow, ...]]
"""What is said of each column that something made: what flows into it, and what influences it."""


def made_of(told: Iterable[ToldProcess | ToldChange]) -> Made:
    """What is said of columns in the end: each flow once, as it was last told, without those that were deleted since."""
    flows: dict[str | ColumnFlow, ColumnFlow] = {}
    by_process: dict[str, set[str | ColumnFlow]] = {}
    without_sources: dict[str, tuple[ColumnFlow, ...]] = {}
    for each in told:
        if isinstance(each, ToldProcess):
            own = {flow.id or flow: flow for flow in each.columns}
            by_process.setdefault(plain(each.id), set()).update(own)
            flows |= own
            if each.outputs:  # the process itself is told, not only more of its columns
                without_sources[plain(each.id)] = each.made
        elif each.verb == "dropped":
            for key in (each.name, *by_process.pop(each.name, ())):
                flows.pop(key, None)
            without_sources.pop(each.name, None)
    made: dict[ToldColumn, list[ColumnFlow]] = {}
    for flow in dict.fromkeys(chain(flows.values(), *without_sources.values())):
        made.setdefault(flow.output, []).append(flow)
    return {column: tuple(each) for column, each in made.items()}


def origins(made: Made, column: ToldColumn) -> Iterator[tuple[ToldColumn, ...]]:
    """The ways from a column back to columns that nothing made, the asked one first, at most MOST_WAYS.

    What only influences a column is no way back. A column that is made of itself is followed once.
    """
    stack: list[tuple[ToldColumn, ...]] = [(column,)]
    given = 0
    while stack and given < MOST_WAYS:
        way = stack.pop()
        sources = dict.fromkeys(c for flow in made.get(way[-1], ()) if not flow.influences for c in flow.sources)
        before = [each for each in sources if each not in way]
        if before:
            stack.extend((*way, each) for each in reversed(before))
        else:
            given += 1
            yield way
