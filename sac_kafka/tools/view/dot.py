"""Render a graph as DOT text for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.view.words import COLOURS, family, visible


def dot(graph: LineageGraph) -> str:
    """Return a graph as DOT text, without columns."""
    return "".join(f"{line}\n" for line in _lines(graph))


def _lines(graph: LineageGraph) -> Iterator[str]:
    yield "digraph lineage {"
    yield '    graph [rankdir=LR nodesep=0.3 ranksep=0.8 bgcolor="#f6f8fb"]'
    yield '    node [fontname="Helvetica" fontsize=11 shape=box style="rounded,filled" fillcolor=white color="#56637a"]'
    yield '    edge [color="#8794a8" arrowsize=0.7]'
    datasets = {name: f"d{number}" for number, name in enumerate(graph.datasets)}
    for name, node in graph.datasets.items():
        colour = COLOURS[family(node.type_name)]
        style = ' style="rounded,filled,dashed"' if node.is_dropped else ""
        yield f'    {datasets[name]} [label={_quoted(name)} tooltip={_quoted(node.type_name)} color="{colour}"{style}]'
    for number, process in enumerate(graph.processes.values()):
        job = process.latest.job if process.latest else ""
        label, tooltip = _quoted(job or process.name), _quoted(process.name)
        yield f'    p{number} [label={label} tooltip={tooltip} shape=hexagon style=filled fillcolor="#e9edf3"]'
        yield from (f"    {datasets[name]} -> p{number}" for name in dict.fromkeys(process.inputs))
        yield from (f"    p{number} -> {datasets[name]}" for name in dict.fromkeys(process.outputs))
    yield "}"


def _quoted(text: str) -> str:
    r"""Quote a text: in labels Graphviz interprets escapes such as `\N`, and `&` as the start of an entity."""
    safe = visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{safe}"'
