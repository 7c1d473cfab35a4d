"""Find everything upstream or downstream of a dataset or a column in a lineage graph, and draw it as a tree."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from sac_kafka.stats import with_noun
from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.messages.model import LineageColumn, LineageProcess

Place: TypeAlias = str | LineageColumn
"""A dataset by its name, or a column."""
MAX_REPEATED_EDGES = 10_000
"""Edges of one process after which no further ones to the same places are listed: their number is inputs times outputs."""


class ImpactKind(str, Enum):
    """Kind of a dependency: dataset to dataset, direct or indirect between columns, or column to the rows of a dataset."""

    DATASET = "dataset"
    DIRECT = "direct"
    INDIRECT = "indirect"
    ROWS = "rows"


@dataclass(frozen=True, slots=True)
class ImpactEdge:
    """Dependency between two places in a process; `how` is the expression, or `join`, `filter`, `group by` and `sort`.

    `start` is the end nearer to the start of the traversal, whichever way the data flows.
    """

    start: Place
    end: Place
    kind: ImpactKind
    process: str
    process_id: str
    how: str = ""


@dataclass(frozen=True, slots=True)
class Impact:
    """Result of a traversal from `start`.

    `edges` are ordered by distance, `depths` has the shortest distance of every place (`start` is at 0). `is_cut` is set if the
    requested depth hides further places. `omitted` is the number of edges between these places that are not listed.
    """

    start: Place
    is_upstream: bool
    edges: tuple[ImpactEdge, ...]
    depths: Mapping[Place, int]
    is_cut: bool = False
    omitted: int = 0


def impact_of(graph: LineageGraph, start: Place, *, is_upstream: bool = False, depth: int | None = None) -> Impact:
    """Traverse the graph breadth-first from a dataset or a column.

    ROWS edges are not followed further: they affect every column of a dataset, whose impact can be computed on its own.

    `depth` is the number of processes to pass at most, None for all.
    """
    fans = (_column_fans if isinstance(start, LineageColumn) else _dataset_fans)(graph, is_upstream=is_upstream)
    depths: dict[Place, int] = {start: 0}
    followed, found, is_cut, omitted = {start}, [], False, 0
    numbers: Counter[str] = Counter()
    listed: set[int] = set()
    waiting: deque[tuple[Place, int]] = deque([(start, 0)])
    while waiting:
        place, distance = waiting.popleft()
        below = fans(place)
        if depth is not None and distance >= depth:
            is_cut = is_cut or bool(below)
            continue
        edges: dict[ImpactEdge, None] = {}
        for fan in below:
            if id(fan.ends) in listed and numbers[fan.process.id] >= MAX_REPEATED_EDGES:
                omitted += len(fan.ends)
                continue
            listed.add(id(fan.ends))
            numbers[fan.process.id] += len(fan.ends)
            edges |= dict.fromkeys(fan.edges(place))
        for edge in edges:
            found.append(edge)
            depths.setdefault(edge.end, distance + 1)
            if edge.kind is not ImpactKind.ROWS and edge.end not in followed:
                followed.add(edge.end)
                waiting.append((edge.end, distance + 1))
    return Impact(start, is_upstream, tuple(found), depths, is_cut, omitted)


@dataclass(frozen=True, slots=True)
class _Fan:
    """Edges of a process from one place to several; places with equal ends share them."""

    process: LineageProcess
    ends: Sequence[Place]
    kind: ImpactKind = ImpactKind.DATASET
    how: str = ""

    def edges(self, start: Place) -> Iterator[ImpactEdge]:
        return (ImpactEdge(start, end, self.kind, self.process.name, self.process.id, self.how) for end in self.ends)


_Fans = Callable[[Place], list[_Fan]]
"""Returns the edges that start at a place, in the direction of the traversal."""


def _dataset_fans(graph: LineageGraph, *, is_upstream: bool) -> _Fans:
    """Return the edges between the datasets of each process, and between those that only its column flows name."""
    by_start: dict[Place, list[_Fan]] = {}
    for process in graph.processes.values():
        order = -1 if is_upstream else 1
        starts, ends = (process.inputs, process.outputs)[::order]
        fan = _Fan(process, tuple(dict.fromkeys(ends)))
        for start in dict.fromkeys(starts) if ends else ():
            by_start.setdefault(start, []).append(fan)
        known = {*starts}, {*ends}
        others: dict[str, dict[str, None]] = {}
        for flow in process.columns:
            for source in flow.sources:
                start, end = (source.dataset, flow.output.dataset)[::order]
                if start not in known[0] or end not in known[1]:
                    others.setdefault(start, {})[end] = None
        for start, found in others.items():
            by_start.setdefault(start, []).append(_Fan(process, tuple(found)))
    return lambda place: by_start.get(place, [])


def _column_fans(graph: LineageGraph, *, is_upstream: bool) -> _Fans:
    """Return the edges between columns, and between the columns that decide rows and what they decide.

    Downstream these are datasets; upstream, each column that a process writes depends on the columns that decide its rows.
    """
    by_start: dict[Place, list[_Fan]] = {}
    for process in graph.processes.values():
        written: dict[LineageColumn, None] = {}
        outputs = tuple(dict.fromkeys(process.outputs))
        for flow in process.columns:
            kind = ImpactKind.INDIRECT if flow.influences else ImpactKind.DIRECT
            starts, ends = (flow.sources, (flow.output,))[:: -1 if is_upstream else 1]
            fan = _Fan(process, ends, kind, flow.expression)
            for start in dict.fromkeys(starts):
                by_start.setdefault(start, []).append(fan)
            if flow.sources and flow.output.dataset in process.outputs:
                written.setdefault(flow.output)
        for how, columns in _row_clauses(process).items():
            fan = _Fan(process, columns if is_upstream else outputs, ImpactKind.ROWS, how)
            for start in written if is_upstream else columns:
                by_start.setdefault(start, []).append(fan)
    return lambda place: by_start.get(place, [])


def _row_clauses(process: LineageProcess) -> Mapping[str, tuple[LineageColumn, ...]]:
    """Return the columns that decide the rows of a process by their clauses, such as `join, group by`."""
    clauses: dict[LineageColumn, dict[str, None]] = {}
    for clause, column in process.row_columns:
        clauses.setdefault(column, {}).setdefault(clause.replace("_", " "))
    columns: dict[str, list[LineageColumn]] = {}
    for column, names in clauses.items():
        columns.setdefault(", ".join(names), []).append(column)
    return {how: tuple(each) for how, each in columns.items()}


_LINES = {ImpactKind.DATASET: "─", ImpactKind.DIRECT: "─", ImpactKind.INDIRECT: "┄", ImpactKind.ROWS: "┄"}
_NOTES = {ImpactKind.INDIRECT: "decides the value", ImpactKind.ROWS: "decides rows"}
_MAX_INDENTED = 12
"""Deepest level that is indented; lines below it start with the number of their level."""
_WIDTH = 100


def tree(impact: Impact, dropped: Set[str] = frozenset()) -> Iterator[str]:
    """Yield the lines of the tree: the start first, and each place expanded once."""
    children: dict[Place, dict[Place, list[ImpactEdge]]] = {}
    parents: dict[Place, Place] = {}
    for edge in impact.edges:
        children.setdefault(edge.start, {}).setdefault(edge.end, []).append(edge)
        if edge.kind is not ImpactKind.ROWS and edge.end != impact.start:
            parents.setdefault(edge.end, edge.start)
    yield "   ".join(filter(None, (str(impact.start), _dropped_note(impact.start, dropped))))
    opened: dict[Place, None] = {impact.start: None}
    stack = [iter(_branches(children.get(impact.start, {})))]
    indents = [""]
    while stack:
        branch = next(stack[-1], None)
        if branch is None:
            stack.pop()
            indents.pop()
            opened.popitem()
            continue
        edges, is_last = branch
        end, start = edges[0].end, edges[0].start
        is_here = parents.get(end) == start and any(each.kind is not ImpactKind.ROWS for each in edges)
        note = "" if is_here or end not in children else "cycle" if end in opened else "expanded elsewhere"
        line = _line(edges, note, _dropped_note(end, dropped))
        yield f"{_indent(indents)}{_arrow(edges, is_last, impact.is_upstream)} {line}"
        if is_here:
            opened[end] = None
            stack.append(iter(_branches(children.get(end, {}))))
            indents.append("    " if is_last else "│   ")


def summary(impact: Impact) -> str:
    """Return one sentence with the number of places that were reached."""
    side = "upstream" if impact.is_upstream else "downstream"
    reached = [place for place in impact.depths if place != impact.start]
    if not reached:
        return f"nothing {side} of {impact.start}"
    columns = [each for each in reached if isinstance(each, LineageColumn)]
    datasets = {each.dataset if isinstance(each, LineageColumn) else each for each in reached}
    processes = {edge.process_id for edge in impact.edges}
    subject = (
        f"{with_noun(len(columns), 'column')} of {with_noun(len(datasets), 'dataset')}"
        if columns
        else with_noun(len(datasets), "dataset")
    )
    by = f"{len(processes)} process" if len(processes) == 1 else f"{len(processes)} processes"
    more = "; more beyond the given depth" if impact.is_cut else ""
    omitted = f"; {impact.omitted:,} further edges between them are not listed" if impact.omitted else ""
    return f"{subject} {side}, through {by}{more}{omitted}"


def _branches(ends: dict[Place, list[ImpactEdge]]) -> list[tuple[list[ImpactEdge], bool]]:
    last = len(ends) - 1
    return [(edges, i == last) for i, edges in enumerate(ends.values())]


def _indent(indents: list[str]) -> str:
    if len(indents) <= _MAX_INDENTED:
        return "".join(indents)
    return f"{len(indents)}: {''.join(indents[-_MAX_INDENTED:])}"


def _arrow(edges: list[ImpactEdge], is_last: bool, is_upstream: bool) -> str:
    line = "─" if any(_LINES[edge.kind] == "─" for edge in edges) else "┄"
    heads = {("─", True): "◀─", ("┄", True): "◁┄", ("─", False): "─▶", ("┄", False): "┄▷"}
    return f"{'└' if is_last else '├'}{heads[line, is_upstream]}"


def _dropped_note(place: Place, dropped: Set[str]) -> str:
    return "(dropped)" if (place if isinstance(place, str) else place.dataset) in dropped else ""


def _line(edges: list[ImpactEdge], note: str, dropped_note: str) -> str:
    """Return the text for one place: its name, whether it was dropped, the expressions and the processes."""
    hows = dict.fromkeys(_how(edge) for edge in edges)
    by = dict.fromkeys(edge.process for edge in edges)
    what = "rows of " if all(edge.kind is ImpactKind.ROWS for edge in edges) and isinstance(edges[0].end, str) else ""
    parts = [
        f"{what}{edges[0].end}",
        dropped_note,
        _cut(" | ".join(filter(None, hows))),
        f"by {_cut(', '.join(by))}",
        f"({note})" if note else "",
    ]
    return "   ".join(filter(None, parts))


def _how(edge: ImpactEdge) -> str:
    note = _NOTES.get(edge.kind, "")
    return f"{note}: {edge.how}" if note and edge.how else note or edge.how


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
