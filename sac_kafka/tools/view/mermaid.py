"""Render a graph as a Mermaid flowchart, which GitHub, GitLab and many wikis display in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.view.words import family, shortened, visible

MAX_EDGES = 500
"""Limit of Mermaid's default configuration (`maxEdges`)."""
_MAX_CHARACTERS = 80
_SHAPES = {"topic": ("([", "])"), "file": ("[/", "/]"), "table": ("[(", ")]"), "view": ("[(", ")]")}
_CARD, _PROCESS = ("[", "]"), ("{{", "}}")
_UNSAFE = re.compile(r"[^\w .,:/=+@()*$-]")
"""Characters with a meaning in Mermaid, Markdown or HTML inside a quoted text; they are written as `#` and their number."""


def mermaid(graph: LineageGraph) -> str:
    """Return a graph as a flowchart, without columns; special characters in names are escaped."""
    return "".join(f"{line}\n" for line in _lines(graph))


def _lines(graph: LineageGraph) -> Iterator[str]:
    yield "flowchart LR"
    datasets = {name: f"d{number}" for number, name in enumerate(graph.datasets)}
    for name, node in graph.datasets.items():
        left, right = _SHAPES.get(family(node.type_name), _CARD)
        yield f"    {datasets[name]}{left}{_quoted(name)}{right}"
    for number, process in enumerate(graph.processes.values()):
        job = process.latest.job if process.latest else ""
        yield f"    p{number}{_PROCESS[0]}{_quoted(job or process.name)}{_PROCESS[1]}"
        yield from (f"    {datasets[name]} --> p{number}" for name in dict.fromkeys(process.inputs))
        yield from (f"    p{number} --> {datasets[name]}" for name in dict.fromkeys(process.outputs))


def _quoted(text: str) -> str:
    safe = _UNSAFE.sub(lambda found: f"#{ord(found[0])};", shortened(visible(text), _MAX_CHARACTERS))
    return f'"{safe or " "}"'  # no name would be an error
