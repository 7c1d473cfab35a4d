"""The graph as an SVG picture: cards from left to right, the full name of each on hover."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from sac_kafka.pictures.layout import Box, Layout, Point, dataset_key, edges_of, layout_of, process_key
from sac_kafka.pictures.words import family, headed, shortened, visible
from sac_kafka.readable.graph import DatasetNode, LineageGraph, ProcessNode

COLOURS = {
    "table": "#2456c7",
    "view": "#0a7285",
    "file": "#0c7a52",
    "topic": "#8b2fb0",
    "model": "#a8480a",
    "database": "#4a5568",
    "other": "#56637a",
}
"""Of each family, with a contrast of at least 4.5 on white; page.css has the same."""
FONTS = (
    "Inter, 'Segoe UI', Roboto, Helvetica, Arial, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', FreeSans, sans-serif"
)
_MARGIN = 32.0
_DEPTH = 28
"""How far below two cards the control points of an edge are that leads back; the edge stays in the gap below them."""
_ROUND = 10
"""How far from a corner of a card an edge may end."""
_NOTHING = "No lineage"
_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What no XML document may hold."""


@dataclass(frozen=True, slots=True)
class Lettering:
    """How names are written: sizes in CSS pixels, and as many characters as a card has room for."""

    title: int
    title_characters: int
    process: int
    process_characters: int
    place_characters: int
    """Of the line below a title; 0: there is none."""


NEAR = Lettering(13, 23, 11, 18, 31)
FAR = Lettering(24, 12, 20, 9, 0)
"""For a picture that is made much smaller."""
_STYLE = f"""
text{{font-family:{FONTS};font-size:11px;fill:#56637a}}
.title{{font-weight:600;fill:#172033}}
.card{{fill:#fff;stroke:#ccd4df}}
.process{{fill:#e9edf3;stroke:#ccd4df}}
.job{{fill:#38445a}}
.edge{{fill:none;stroke:#8794a8;stroke-width:1.5}}
.dropped{{stroke-dasharray:4 3}}
"""


def svg(graph: LineageGraph, title: str = "Lineage") -> str:
    """Draw a graph as an SVG document.

    Args:
        graph: What to draw; columns are not shown.
        title: What the picture is called for who does not see it.
    """
    return drawn(graph, layout_of(graph), title, NEAR)


def drawn(graph: LineageGraph, layout: Layout, title: str, letters: Lettering) -> str:
    """Draw a graph that was laid out as an SVG document.

    Args:
        graph: What to draw; columns are not shown.
        layout: Where everything stands, by `layout_of`.
        title: What the picture is called for who does not see it.
        letters: `NEAR`, or `FAR` where the picture will be made so small that its names could not be read.
    """
    width, height = size(layout)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{_text(visible(title))}" '
            f'width="{_n(width)}" height="{_n(height)}" viewBox="{_n(-_MARGIN)} {_n(-_MARGIN)} {_n(width)} {_n(height)}">',
            f"<style>{_STYLE}.title{{font-size:{letters.title}px}}\n.job{{font-size:{letters.process}px}}\n</style>",
            '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 .5 7.5 4 0 7.5z" fill="#8794a8"/></marker></defs>',
            f'<rect x="{_n(-_MARGIN)}" y="{_n(-_MARGIN)}" width="{_n(width)}" height="{_n(height)}" fill="#f6f8fb"/>',
            *_edges(graph, layout),
            *(_dataset(each, layout.boxes[dataset_key(each.name)], letters) for each in graph.datasets.values()),
            *(_process(each, layout.boxes[process_key(each.id)], letters) for each in graph.processes.values()),
            *([] if graph.datasets else [f'<text class="title" x="0" y="20">{_NOTHING}</text>']),
            "</svg>\n",
        ]
    )


def size(layout: Layout) -> tuple[float, float]:
    """Give how wide and how high the picture of a layout is, with the margin around it."""
    return max(layout.width, 160.0) + 2 * _MARGIN, max(layout.height, 24.0) + 2 * _MARGIN


def _edges(graph: LineageGraph, layout: Layout) -> Iterator[str]:
    for edge in edges_of(graph):
        source, target = (layout.boxes[end] for end in edge)
        way = _way(source, target, layout.bends(edge))
        yield f'<path class="edge" marker-end="url(#end)" d="{way}"/>'


def _way(source: Box, target: Box, bends: tuple[Point, ...]) -> str:
    """An edge from the right of a card to the left of another, through its bends."""
    if source.x >= target.x:
        return _way_back(source, target, bends)
    points = [
        (source.x + source.width, source.y + source.height / 2),
        *bends,
        (target.x, target.y + target.height / 2),
    ]
    return f"M{_n(points[0][0])} {_n(points[0][1])}{_curves(points)}"


def _curves(points: Sequence[Point]) -> str:
    """On from the first point through the others, level at each."""
    curves = []
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = _n((x + to_x) / 2)
        curves.append(f"H{_n(to_x)}" if y == to_y else f"C{middle} {_n(y)} {middle} {_n(to_y)} {_n(to_x)} {_n(to_y)}")
    return "".join(curves)


def _way_back(source: Box, target: Box, bends: tuple[Point, ...]) -> str:
    """An edge to the left: below both cards, or through its bends to the right side of the target."""
    from_x, to_x = (box.x + box.width / 2 for box in (source, target))
    if not bends:
        foot, to_foot = (_n(box.y + box.height) for box in (source, target))
        low = _n(max(source.y + source.height, target.y + target.height) + _DEPTH)
        return f"M{_n(from_x)} {foot}C{_n(from_x)} {low} {_n(to_x)} {low} {_n(to_x)} {to_foot}"
    (x, y), *_ = backwards = bends[::-1]
    end = target.x + target.width, min(max(backwards[-1][1], target.y + _ROUND), target.y + target.height - _ROUND)
    start = f"M{_n(from_x)} {_n(_side(source, y))}Q{_n(from_x)} {_n(y)} {_n(x)} {_n(y)}"
    return start + _curves((*backwards, end))


def _side(box: Box, height: float) -> float:
    """The upper or lower side of a card, whichever looks towards a height."""
    return box.y if height < box.y + box.height / 2 else box.y + box.height


def _dataset(node: DatasetNode, box: Box, letters: Lettering) -> str:
    colour = COLOURS[family(node.type_name)]
    x, y = _n(box.x + 18), box.y
    title, place = headed(node)
    begin = y + 23 if letters.place_characters else y + box.height / 2 + letters.title / 3
    names = f'<text class="title" x="{x}" y="{_n(begin)}">{_text(shortened(title, letters.title_characters))}</text>'
    if letters.place_characters:
        below = " · ".join(filter(None, (visible(node.type_name), place)))
        names += f'<text x="{x}" y="{_n(y + 41)}">{_text(shortened(below, letters.place_characters))}</text>'
    return (
        f"<g><title>{_text(visible(node.name))}</title>"
        f'<rect class="card{" dropped" if node.is_dropped else ""}" {_rectangle(box)} rx="8"/>'
        f'<rect x="{_n(box.x + 7)}" y="{_n(y + 11)}" width="4" height="{_n(box.height - 22)}" rx="2" fill="{colour}"/>'
        f"{names}</g>"
    )


def _process(node: ProcessNode, box: Box, letters: Lettering) -> str:
    job = visible(node.told.job if node.told and node.told.job else node.name)
    middle = box.y + box.height / 2 + letters.process / 3
    return (
        f'<g><title>{_text(visible(node.name))}</title><rect class="process" {_rectangle(box)} rx="{_n(box.height / 2)}"/>'
        f'<text class="job" text-anchor="middle" x="{_n(box.x + box.width / 2)}" y="{_n(middle)}">'
        f"{_text(shortened(job, letters.process_characters))}</text></g>"
    )


def _rectangle(box: Box) -> str:
    return f'x="{_n(box.x)}" y="{_n(box.y)}" width="{_n(box.width)}" height="{_n(box.height)}"'


def _text(text: str) -> str:
    return escape(_INVALID.sub("\N{REPLACEMENT CHARACTER}", text), quote=True)


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
