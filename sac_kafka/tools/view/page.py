"""Build the page: one self-contained HTML file with the graph and its scripts, which makes no network requests."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from importlib.resources import files

from sac_kafka.model import facts
from sac_kafka.tools.graph.graph import DatasetNode, LineageGraph, label_graph
from sac_kafka.tools.messages.model import LineageColumn, LineageProcess
from sac_kafka.tools.view.words import family, title_and_location, visible

_TABLE_MARK = "."
_REASONS = (facts.OTHER_SOURCES, facts.INPUTS_EXCLUDED, facts.THROUGH_DRIVER, facts.COLUMN_LINEAGE, facts.FAILURE)
"""Attributes of a process with reasons for incomplete lineage, or other origins of rows."""

Contents = dict[str, object]
_FOLDER = files("sac_kafka.tools.view") / "browser"
SCRIPTS = (
    "model.js",
    "theme.js",
    "texts.js",
    "layout.js",
    "placing.js",
    "view.js",
    "gestures.js",
    "curves.js",
    "far.js",
    "cards.js",
    "details.js",
    "search.js",
    "choosing.js",
    "map.js",
    "parts.js",
    "start.js",
)
"""Scripts of the page, in the order in which they run."""
_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""Characters that could end the element with the data, or a line of a script."""


def contents(graph: LineageGraph, title: str) -> Contents:
    """Return the data of the page as JSON values, with display names."""
    graph = label_graph(graph)
    keys = {name: f"d{number}" for number, name in enumerate(graph.datasets)}
    names = ((node.name, column) for node in graph.datasets.values() for column in node.columns)
    columns = {column: number for number, column in enumerate(names)}
    expressions: dict[str, int] = {"": 0}
    processes = {id_: number for number, id_ in enumerate(graph.processes)}
    flows = [
        [
            columns[edge.source.dataset, edge.source.name],
            columns[edge.target.dataset, edge.target.name],
            processes[edge.process],
            int(edge.is_direct),
            expressions.setdefault(edge.expression, len(expressions)),
        ]
        for edge in graph.column_edges()
    ]
    marks = _marks(graph)
    return {
        "title": visible(title),
        "datasets": [_dataset(dataset, marks.get(dataset.name, _TABLE_MARK)) for dataset in graph.datasets.values()],
        "processes": [_process(each, keys) for each in graph.processes.values()],
        "columns": [
            [keys[node.name], visible(name), *([visible(data_type)] if data_type else ())]
            for node in graph.datasets.values()
            for name, data_type in node.columns.items()
        ],
        "flows": flows,
        "expressions": [visible(expression) for expression in expressions],
        "constants": [
            [columns[key], visible(flow.expression)]
            for process in graph.processes.values()
            for flow in process.constant_columns
            if (key := (flow.output.dataset, flow.output.name)) in columns
        ],
    }


def _marks(graph: LineageGraph) -> dict[str, str]:
    """Return the separator between dataset and column, by dataset (`LineageColumn.mark`)."""
    ends: dict[str, LineageColumn] = {}
    for edge in graph.column_edges():
        ends.setdefault(edge.source.dataset, edge.source)
        ends.setdefault(edge.target.dataset, edge.target)
    return {name: column.mark for name, column in ends.items()}


def _dataset(node: DatasetNode, mark: str) -> Contents:
    title, place = title_and_location(node)
    return {
        "name": visible(node.name),
        "title": title,
        "place": place,
        "type": visible(node.type_name),
        "family": family(node.type_name),
        "mark": mark,
        "dropped": node.is_dropped,
    }


def _process(node: LineageProcess, keys: Mapping[str, str]) -> Contents:
    about = {key: value for key, value in node.attributes.items() if value}
    reasons = _reasons(node, about)
    return {
        "id": visible(node.id),
        "name": visible(node.name),
        "job": visible(node.job),
        "inputs": [keys[name] for name in dict.fromkeys(node.inputs)],
        "outputs": [keys[name] for name in dict.fromkeys(node.outputs)],
        "rows": visible(node.rows),
        "query": visible(about.pop("query", "")),
        "reasons": {visible(key): visible(value) for key, value in reasons.items()},
        "facts": {visible(key): visible(value) for key, value in about.items() if key not in reasons},
    }


def _reasons(process: LineageProcess, about: Mapping[str, str]) -> dict[str, str]:
    """Return the reasons why the lineage of a process is incomplete, by attribute; if it is complete, only a failure."""
    state, _, why = facts.LINEAGE.read(about).partition(": ")
    if state == facts.COMPLETE:
        return {fact.name: about[fact.name] for fact in (facts.FAILURE,) if fact.name in about}
    reasons = {facts.OTHER_SOURCES.name: process.other_sources, facts.THROUGH_DRIVER.name: process.through_driver}
    return {
        **{fact.name: about[fact.name] for fact in _REASONS if fact.name in about},
        **({facts.LINEAGE.name: why or state} if state == facts.PARTIAL else {}),
        **{key: value for key, value in reasons.items() if value},
    }


def page(graph: LineageGraph, title: str) -> str:
    """Return the HTML page of a graph, with display names."""
    values = contents(graph, title)
    style = _read("page.css")
    script = "\n".join(['"use strict";', *map(_read, SCRIPTS)])
    parts = {
        "title": html.escape(str(values["title"])),
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "values": json.dumps(values, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE),
    }
    text = _read("page.html")
    pieces = text.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        filled += [parts[name], rest]
    return "".join(filled)


def _policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy: only this script and this style, no network addresses."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return _FOLDER.joinpath(name).read_text("utf-8")
