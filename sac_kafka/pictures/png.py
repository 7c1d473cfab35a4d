"""The SVG picture of a graph as PNG, by the library of the extra `view`."""

from __future__ import annotations

from sac_kafka.errors import SacKafkaError
from sac_kafka.pictures.layout import layout_of
from sac_kafka.pictures.svg import FAR, FONTS, NEAR, drawn, size
from sac_kafka.readable.graph import LineageGraph

_MAX_PIXELS = 24_000_000
"""As many as a camera's picture has; each takes time to compress, and a larger picture few programs open."""
_ZOOM = 2.0
_LEAST_LETTERS = 5.5
"""How many pixels high letters must be to be read."""
_PROBE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">'
    f'<text y="16" font-size="16" font-family="{FONTS}">%s</text></svg>'
)


def png(graph: LineageGraph, title: str = "Lineage") -> bytes:
    """Draw a graph as PNG; a CSS pixel of the SVG picture is two by two, fewer where that would be a huge picture.

    Where its names would be too small to be read they are larger, and shorter.

    Args:
        graph: What to draw; columns are not shown.
        title: What the picture is called.

    Raises:
        SacKafkaError: The extra is not installed, this machine has no font.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as e:
        raise SacKafkaError("PNG needs the extra view: pip install 'sac-kafka[view]'; HTML and SVG need nothing") from e
    layout = layout_of(graph)
    width, height = size(layout)
    zoom = min(_ZOOM, (_MAX_PIXELS / (width * height)) ** 0.5)
    if svg_to_bytes(svg_string=_PROBE % "lineage") == svg_to_bytes(svg_string=_PROBE % ""):
        raise SacKafkaError(
            "PNG: this machine has no font that names could be drawn with; install one "
            "(apt-get install fonts-dejavu-core), or write SVG"
        )
    letters = NEAR if NEAR.title * zoom >= _LEAST_LETTERS else FAR
    try:
        return bytes(svg_to_bytes(svg_string=drawn(graph, layout, title, letters), zoom=zoom))
    except ValueError as e:
        raise SacKafkaError(f"PNG: the picture cannot be drawn: {e}; write SVG") from e
