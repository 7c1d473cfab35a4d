"""Render a graph as DOT text for Graphviz, or as a Mermaid flowchart, which GitHub, GitLab and many wikis display in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sac_kafka.tools.graph.drawing import shorten
from sac_kafka.tools.graph.graph import LineageGraph, label_graph
from sac_kafka.tools.view.words import COLOURS, family, visible

_MAX_CHARACTERS = 80
_SHAPES = {"topic": ("([", "])"), "file": ("[/", "/]"), "table": ("[(", ")]"), "view": ("[(", ")]")}
_CARD, _PROCESS = ("[", "]"), ("{{", "}}")
_UNSAFE = re.compile(r"[^\w .,:/=+@()*$-]")
"""Characters with a meaning in Mermaid, Markdown or HTML inside a quoted text; they are written as `#` and their number."""


def dot(graph: LineageGraph) -> str:
    """Return a graph as DOT text, without columns, with display names."""
    return "".join(f"{line}\n" for line in _dot_lines(label_graph(graph)))


def _dot_lines(graph: LineageGraph) -> Iterator[str]:
    yield "digraph lineage {"
    yield '    graph [rankdir=LR nodesep=0.3 ranksep=0.8 bgcolor="#f6f8fb"]'
    yield '    node [fontname="Helvetica" fontsize=11 shape=box style="rounded,filled" fillcolor=white color="#56637a"]'
    yield '    edge [color="#8794a8" arrowsize=0.7]'
    datasets = {name: f"d{number}" for number, name in enumerate(graph.datasets)}
    for name, node in graph.datasets.items():
        colour = COLOURS[family(node.type_name)]
        style = ' style="rounded,filled,dashed"' if node.is_dropped else ""
        label, tooltip = _quote_for_dot(name), _quote_for_dot(node.type_name)
        yield f'    {datasets[name]} [label={label} tooltip={tooltip} color="{colour}"{style}]'
    for number, process in enumerate(graph.processes.values()):
        label, tooltip = _quote_for_dot(process.job or process.name), _quote_for_dot(process.name)
        yield f'    p{number} [label={label} tooltip={tooltip} shape=hexagon style=filled fillcolor="#e9edf3"]'
        yield from (f"    {datasets[name]} -> p{number}" for name in dict.fromkeys(process.inputs))
        yield from (f"    p{number} -> {datasets[name]}" for name in dict.fromkeys(process.outputs))
    yield "}"


def _quote_for_dot(text: str) -> str:
    r"""Quote a text: in labels Graphviz interprets escapes such as `\N`, and `&` as the start of an entity."""
    safe = visible(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{safe}"'


def mermaid(graph: LineageGraph) -> str:
    """Return a graph as a flowchart, without columns; display names, whose special characters are escaped."""
    return "".join(f"{line}\n" for line in _mermaid_lines(label_graph(graph)))


def _mermaid_lines(graph: LineageGraph) -> Iterator[str]:
    yield "flowchart LR"
    datasets = {name: f"d{number}" for number, name in enumerate(graph.datasets)}
    for name, node in graph.datasets.items():
        left, right = _SHAPES.get(family(node.type_name), _CARD)
        yield f"    {datasets[name]}{left}{_quote_for_mermaid(name)}{right}"
    for number, process in enumerate(graph.processes.values()):
        yield f"    p{number}{_PROCESS[0]}{_quote_for_mermaid(process.job or process.name)}{_PROCESS[1]}"
        yield from (f"    {datasets[name]} --> p{number}" for name in dict.fromkeys(process.inputs))
        yield from (f"    p{number} --> {datasets[name]}" for name in dict.fromkeys(process.outputs))


def _quote_for_mermaid(text: str) -> str:
    safe = _UNSAFE.sub(lambda found: f"#{ord(found[0])};", shorten(visible(text), _MAX_CHARACTERS))
    return f'"{safe or " "}"'  # no name would be an error
