"""Build the page: one self-contained HTML file with the graph and its scripts, which makes no network requests."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from importlib.resources import files
from itertools import count

from sac_kafka.atlas.flows.run_facts import COMPLETE, PARTIAL
from sac_kafka.tools.graph.graph import DatasetNode, LineageGraph
from sac_kafka.tools.messages.model import LineageColumn, LineageProcess
from sac_kafka.tools.view.layout import DATASET_HEIGHT, Layout, dataset_key, edges_of, layout_of, process_key
from sac_kafka.tools.view.words import family, headed, visible

_TABLE_MARK = "."
_FAILURE = ("failure",)
_REASONS = ("other_sources", "inputs_excluded", "through_driver", "column_lineage", *_FAILURE)
"""Attributes of a process with reasons for incomplete lineage, or other origins of rows."""

Contents = dict[str, object]


def contents(graph: LineageGraph, title: str) -> Contents:
    """Return the data of the page as JSON values.

    Args:
        graph: The labelled graph.
        title: The title of the page.
    """
    layout = layout_of(graph)
    keys = {
        **{dataset_key(name): f"d{number}" for number, name in enumerate(graph.datasets)},
        **{process_key(id_): f"p{number}" for number, id_ in enumerate(graph.processes)},
    }
    columns = _columns(graph)
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
        "headHeight": DATASET_HEIGHT,
        "datasets": [_dataset(each, marks.get(each.name, _TABLE_MARK)) for each in graph.datasets.values()],
        "processes": [_process(each, keys) for each in graph.processes.values()],
        "columns": [[keys[dataset_key(dataset)], visible(name)] for dataset, name in columns],
        "flows": flows,
        "expressions": [visible(each) for each in expressions],
        "constants": [
            [columns[key], visible(flow.expression)]
            for process in graph.processes.values()
            for flow in process.constant_columns
            if (key := (flow.output.dataset, flow.output.name)) in columns
        ],
        **_places(graph, layout, keys),
    }


def _columns(graph: LineageGraph) -> dict[tuple[str, str], int]:
    names = ((node.name, column) for node in graph.datasets.values() for column in node.columns)
    return {column: number for number, column in enumerate(names)}


def _marks(graph: LineageGraph) -> dict[str, str]:
    """Return the separator between dataset and column, by dataset (`LineageColumn.mark`)."""
    ends: dict[str, LineageColumn] = {}
    for edge in graph.column_edges():
        ends.setdefault(edge.source.dataset, edge.source)
        ends.setdefault(edge.target.dataset, edge.target)
    return {name: column.mark for name, column in ends.items()}


def _dataset(node: DatasetNode, mark: str) -> Contents:
    title, place = headed(node)
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
        "inputs": [keys[dataset_key(name)] for name in dict.fromkeys(node.inputs)],
        "outputs": [keys[dataset_key(name)] for name in dict.fromkeys(node.outputs)],
        "rows": visible(node.rows),
        "query": visible(about.pop("query", "")),
        "reasons": {visible(key): visible(value) for key, value in reasons.items()},
        "facts": {visible(key): visible(value) for key, value in about.items() if key not in reasons},
    }


def _reasons(process: LineageProcess, about: Mapping[str, str]) -> dict[str, str]:
    """Return the reasons why the lineage of a process is incomplete, by attribute; if it is complete, only a failure."""
    state, _, why = about.get("lineage", "").partition(": ")
    if state == COMPLETE:
        return {key: about[key] for key in _FAILURE if key in about}
    reasons = {"other_sources": process.other_sources, "through_driver": process.through_driver}
    return {
        **{key: about[key] for key in _REASONS if key in about},
        **({"lineage": why or state} if state == PARTIAL else {}),
        **{key: value for key, value in reasons.items() if value},
    }


def _places(graph: LineageGraph, layout: Layout, keys: Mapping[str, str]) -> Contents:
    """Return the initial layout; the page moves the cards below one that is opened."""
    bends = count()
    called = {key: keys[key] if key in keys else f"b{next(bends)}" for key in layout.boxes}
    edges = []
    for source, target in edges_of(graph):
        chain = layout.chains.get((source, target), ())
        edges.append([called[source], called[target], [called[item] for item in chain[1:-1]]])
    return {
        "boxes": {
            called[key]: [round(box.x, 1), round(box.y, 1), box.width, box.height] for key, box in layout.boxes.items()
        },
        "lanes": [[called[item] for item in lane] for lane in layout.lanes],
        "edges": edges,
    }


_FOLDER = files("sac_kafka.tools.view") / "browser"
LIBRARY = "graphology/graphology.umd.min.js"
"""The graph library, the released graphology 0.26.0; the page uses it for neighbours of nodes."""
LICENCE = "graphology/LICENSE"
"""Its licence (MIT), which precedes it in the page."""
SCRIPTS = (
    "model.js",
    "placing.js",
    "theme.js",
    "texts.js",
    "view.js",
    "gestures.js",
    "curves.js",
    "far.js",
    "cards.js",
    "details.js",
    "search.js",
    "choosing.js",
    "start.js",
)
"""Scripts of the page, in the order in which they run."""
_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""Characters that could end the element with the data, or a line of a script."""


def page(graph: LineageGraph, title: str) -> str:
    """Return the HTML page of a graph.

    Args:
        graph: The labelled graph.
        title: The title, such as the name of the file with the messages.
    """
    values = contents(graph, title)
    style = _read("page.css")
    library = _library()
    script = "\n".join(['"use strict";', *map(_read, SCRIPTS)])
    parts = {
        "title": html.escape(str(values["title"])),
        "policy": _policy(style, library, script),
        "style": style,
        "library": library,
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


def _library() -> str:
    """Return the library after its licence, without the reference to a source map, which a browser would request."""
    code, _, _ = _read(LIBRARY).partition("\n//# sourceMappingURL=")
    return f"/*\n{_read(LICENCE)}*/\n{code}"


def _policy(style: str, *scripts: str) -> str:
    """Return the Content-Security-Policy: only these scripts and this style, no network addresses."""
    allowed = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return _FOLDER.joinpath(name).read_text("utf-8")
