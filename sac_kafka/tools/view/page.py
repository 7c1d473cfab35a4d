"""Build the page: one self-contained HTML file with the graph and its scripts, which makes no network requests."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files

from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.view.contents import contents

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
