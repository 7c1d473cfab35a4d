"""The page: one file of HTML that holds the graph, what draws it, and nothing that asks a network for more."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files

from sac_kafka.pictures.contents import contents
from sac_kafka.readable.graph import LineageGraph

_FOLDER = files("sac_kafka.pictures") / "page"
LIBRARY = "graphology/graphology.umd.min.js"
"""The graph library, graphology 0.26.0 as it is released; it holds what is beside what."""
LICENCE = "graphology/LICENSE"
"""Its licence (MIT), which stands before it in the page."""
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
"""Ours, in the order in which the page runs them."""
_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""What could end the element that holds the values, or a line of a script."""


def page(graph: LineageGraph, title: str) -> str:
    """Put the page of a graph together.

    Args:
        graph: What is shown.
        title: What it is called, such as the file that the messages were read from.
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
    """The library below its licence, without the line that names a map of its source, which nothing should ask for."""
    code, _, _ = _read(LIBRARY).partition("\n//# sourceMappingURL=")
    return f"/*\n{_read(LICENCE)}*/\n{code}"


def _policy(style: str, *scripts: str) -> str:
    """The Content-Security-Policy: these scripts and this style, no other, and no address at all."""
    allowed = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return _FOLDER.joinpath(name).read_text("utf-8")
