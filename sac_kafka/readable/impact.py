"""What depends on a dataset or a column, or what it depends on, through all processes that messages tell of."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from sac_kafka.readable.graph import LineageGraph, ProcessNode
from sac_kafka.readable.told import ToldColumn

Place: TypeAlias = str | ToldColumn
"""A dataset by its name, or a column."""


class ImpactKind(str, Enum):
    """How one place bears on the next: rows of a dataset, a column's value, what decides a value, what decides rows."""

    DATASET = "dataset"
    DIRECT = "direct"
    INDIRECT = "indirect"
    ROWS = "rows"


@dataclass(frozen=True, slots=True)
class ImpactEdge:
    """One place bears on another in a process; `how` is the expression, or the way in which rows are decided.

    `start` is the place on the side of what was asked for, whichever way the data flows.
    """

    start: Place
    end: Place
    kind: ImpactKind
    process: str
    process_id: str
    how: str = ""


@dataclass(frozen=True, slots=True)
class Impact:
    """What was reached from `asked`.

    `edges` are in the order of their distance, `depths` has the least distance of every place, `asked` itself at 0.
    `is_cut`: there is more, further away than was asked for.
    """

    asked: Place
    is_upstream: bool
    edges: tuple[ImpactEdge, ...]
    depths: Mapping[Place, int]
    is_cut: bool = False


def impact_of(graph: LineageGraph, asked: Place, *, is_upstream: bool = False, depth: int | None = None) -> Impact:
    """Follow the lineage of a dataset or a column.

    What decides rows is followed no further: it bears on all columns of a dataset, and the dataset can be asked for.

    Args:
        graph: What flows into what.
        asked: A dataset of the graph, or a column.
        is_upstream: Whether to go to what it is made of; else to what is made of it.
        depth: How many processes far, None for all.
    """
    ways = _Ways(_edges(graph, of_columns=isinstance(asked, ToldColumn)), is_upstream=is_upstream)
    depths: dict[Place, int] = {asked: 0}
    followed, found, is_cut = {asked}, [], False
    waiting: deque[tuple[Place, int]] = deque([(asked, 0)])
    while waiting:
        place, distance = waiting.popleft()
        below = ways.of(place)
        if depth is not None and distance >= depth:
            is_cut = is_cut or bool(below)
            continue
        for edge in below:
            found.append(edge)
            depths.setdefault(edge.end, distance + 1)
            if edge.kind is not ImpactKind.ROWS and edge.end not in followed:
                followed.add(edge.end)
                waiting.append((edge.end, distance + 1))
    return Impact(asked, is_upstream, tuple(found), depths, is_cut)


def _edges(graph: LineageGraph, *, of_columns: bool) -> Iterator[ImpactEdge]:
    """All edges in the direction of the data."""
    for process in graph.processes.values():
        yield from _of_columns(process) if of_columns else _of_datasets(process)


def _of_datasets(process: ProcessNode) -> Iterator[ImpactEdge]:
    """Those between its datasets; where only some of its columns were told, those of these."""
    ends = [(source, target) for target in process.outputs for source in process.inputs]
    of_columns = [(source.dataset, flow.output.dataset) for flow in process.columns for source in flow.sources]
    for source, target in dict.fromkeys(ends + of_columns):
        yield ImpactEdge(source, target, ImpactKind.DATASET, process.name, process.id)


def _of_columns(process: ProcessNode) -> Iterator[ImpactEdge]:
    found = (
        ImpactEdge(source, flow.output, kind, process.name, process.id, flow.expression)
        for flow in process.columns
        for kind in (ImpactKind.INDIRECT if flow.influences else ImpactKind.DIRECT,)
        for source in flow.sources
    )
    yield from dict.fromkeys(found)
    decides: dict[ToldColumn, dict[str, None]] = {}
    for how, column in process.told.row_columns if process.told else ():
        decides.setdefault(column, {}).setdefault(how.replace("_", " "))
    for column, ways in decides.items():
        for output in process.outputs:
            yield ImpactEdge(column, output, ImpactKind.ROWS, process.name, process.id, ", ".join(ways))


class _Ways:
    """The edges as they are followed: upstream every column of an output has what decides the output's rows above it."""

    def __init__(self, edges: Iterable[ImpactEdge], *, is_upstream: bool) -> None:
        self._by_start: dict[Place, list[ImpactEdge]] = {}
        self._rows: dict[Place, list[ImpactEdge]] = {}  # upstream, by the dataset
        self._made: set[tuple[str, Place]] = set()
        for each in edges:
            followed = replace(each, start=each.end, end=each.start) if is_upstream else each
            is_above = is_upstream and each.kind is ImpactKind.ROWS
            (self._rows if is_above else self._by_start).setdefault(followed.start, []).append(followed)
            self._made.add((each.process_id, each.end))

    def of(self, place: Place) -> list[ImpactEdge]:
        """Give the edges that start there."""
        rows = self._rows.get(place.dataset, ()) if isinstance(place, ToldColumn) else ()
        return self._by_start.get(place, []) + [
            replace(each, start=place) for each in rows if (each.process_id, place) in self._made
        ]
