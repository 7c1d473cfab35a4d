"""Render the impact of a dataset or a column as a text tree, and as a one-line summary."""

from __future__ import annotations

from collections.abc import Iterator, Set

from sac_kafka.stats import counted
from sac_kafka.tools.graph.impact import Impact, ImpactEdge, ImpactKind, Place
from sac_kafka.tools.messages.model import LineageColumn

_LINES = {ImpactKind.DATASET: "─", ImpactKind.DIRECT: "─", ImpactKind.INDIRECT: "┄", ImpactKind.ROWS: "┄"}
_NOTES = {ImpactKind.INDIRECT: "decides the value", ImpactKind.ROWS: "decides rows"}
_MAX_INDENTED = 12
"""Deepest level that is indented; lines below it start with the number of their level."""
_WIDTH = 100


def tree(impact: Impact, dropped: Set[str] = frozenset()) -> Iterator[str]:
    """Yield the lines of the tree: the start first, and each place expanded once.

    Args:
        impact: The traversal to render.
        dropped: Names of dropped datasets.
    """
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
    processes = {each.process_id for each in impact.edges}
    of = (
        f"{counted(len(columns), 'column')} of {counted(len(datasets), 'dataset')}"
        if columns
        else counted(len(datasets), "dataset")
    )
    by = f"{len(processes)} process" if len(processes) == 1 else f"{len(processes)} processes"
    more = "; more beyond the given depth" if impact.is_cut else ""
    return f"{of} {side}, through {by}{more}"


def _branches(ends: dict[Place, list[ImpactEdge]]) -> list[tuple[list[ImpactEdge], bool]]:
    last = len(ends) - 1
    return [(edges, i == last) for i, edges in enumerate(ends.values())]


def _indent(indents: list[str]) -> str:
    if len(indents) <= _MAX_INDENTED:
        return "".join(indents)
    return f"{len(indents)}: {''.join(indents[-_MAX_INDENTED:])}"


def _arrow(edges: list[ImpactEdge], is_last: bool, is_upstream: bool) -> str:
    line = "─" if any(_LINES[each.kind] == "─" for each in edges) else "┄"
    heads = {("─", True): "◀─", ("┄", True): "◁┄", ("─", False): "─▶", ("┄", False): "┄▷"}
    return f"{'└' if is_last else '├'}{heads[line, is_upstream]}"


def _dropped_note(place: Place, dropped: Set[str]) -> str:
    return "(dropped)" if (place if isinstance(place, str) else place.dataset) in dropped else ""


def _line(edges: list[ImpactEdge], note: str, dropped_note: str) -> str:
    """Return the text for one place: its name, whether it was dropped, the expressions and the processes."""
    hows = dict.fromkeys(_how(each) for each in edges)
    by = dict.fromkeys(each.process for each in edges)
    what = "rows of " if all(each.kind is ImpactKind.ROWS for each in edges) and isinstance(edges[0].end, str) else ""
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
