"""Where the datasets and processes of a graph stand, and the ways of the edges between them, in CSS pixels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sac_kafka.pictures.layers import Edge, Layers, layered
from sac_kafka.readable.graph import LineageGraph

DATASET_WIDTH, DATASET_HEIGHT = 224.0, 54.0
PROCESS_WIDTH, PROCESS_HEIGHT = 128.0, 34.0
GAP = 24.0
"""Between two cards of a layer."""
BEND_HEIGHT = 10.0
LAYER_GAP = 56.0
"""Between two layers, at least."""
MAX_LAYER_GAP = 400.0
_SLANT = 0.3
"""How wide the gap between two layers is for each pixel that its edges climb: steeper ones run into one dark bar."""
PART_GAP = 64.0
"""Between two parts of the graph that nothing connects."""
_PASSES = 6
_ASPECT = 1.6

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A card: its left upper corner, and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Cards and edges by `key`; `chains` has the items that an edge goes through (`layers.Layers`)."""

    boxes: Mapping[str, Box]
    """Of bends, too: these are as wide as their layer."""
    chains: Mapping[Edge, tuple[str, ...]]
    lanes: tuple[tuple[str, ...], ...]
    """The items of each layer of each part that nothing connects, from top to bottom."""
    width: float
    height: float

    def bends(self, edge: Edge) -> tuple[Point, ...]:
        """Give the points between the ends of an edge from left to right, two for each layer that it crosses."""
        between = (self.boxes[item] for item in self.chains.get(edge, ())[1:-1])
        return tuple((x, box.y + box.height / 2) for box in between for x in (box.x, box.x + box.width))


@dataclass(frozen=True, slots=True)
class _Part:
    layers: Layers
    lefts: Sequence[float]
    """Where each layer begins."""
    tops: Mapping[str, float]
    width: float
    height: float


def dataset_key(name: str) -> str:
    """Give what a dataset is called in a layout: a process may have the same name."""
    return f"d:{name}"


def process_key(id_: str) -> str:
    """Give what a process is called in a layout."""
    return f"p:{id_}"


def edges_of(graph: LineageGraph) -> tuple[Edge, ...]:
    """Give what leads into processes and out of them, in the order of the processes, each edge once."""
    return tuple(
        dict.fromkeys(
            edge
            for process in graph.processes.values()
            for edge in (
                *((dataset_key(name), process_key(process.id)) for name in process.inputs),
                *((process_key(process.id), dataset_key(name)) for name in process.outputs),
            )
        )
    )


def layout_of(graph: LineageGraph) -> Layout:
    """Lay out a graph from left to right; parts that nothing connects stand beside and below each other."""
    nodes = [*map(dataset_key, graph.datasets), *map(process_key, graph.processes)]
    edges = edges_of(graph)
    starts = {node: 1 for node in nodes if node.startswith("p:")}
    parts = [_part(names, own, starts) for names, own in _connected(nodes, edges)]
    return _shelved(parts)


def _connected(nodes: Sequence[str], edges: Iterable[Edge]) -> list[tuple[list[str], list[Edge]]]:
    """The parts that nothing connects, those with most nodes first."""
    root = {node: node for node in nodes}

    def found(node: str) -> str:
        while root[node] != node:
            root[node] = node = root[root[node]]
        return node

    listed = list(edges)
    for source, target in listed:
        root[found(target)] = found(source)
    parts: dict[str, tuple[list[str], list[Edge]]] = {}
    for node in nodes:
        parts.setdefault(found(node), ([], []))[0].append(node)
    for edge in listed:
        parts[found(edge[0])][1].append(edge)
    return sorted(parts.values(), key=lambda part: -len(part[0]))


def _part(nodes: Sequence[str], edges: Sequence[Edge], starts: Mapping[str, int]) -> _Part:
    layers = layered(nodes, edges, starts)
    tops = _tops(layers)
    height = max((top + _height(item) for item, top in tops.items()), default=0.0)
    lefts = _lefts(layers, tops)
    last = len(lefts) - 1
    return _Part(layers, lefts, tops, lefts[last] + _width(last), height)


def _tops(layers: Layers) -> dict[str, float]:
    """How high items stand: as near to the mean of their neighbours as their order and the gaps between them allow."""
    neighbours: dict[str, tuple[list[str], list[str]]] = {item: ([], []) for row in layers.rows for item in row}
    for chain in layers.chains.values():
        for left, right in itertools.pairwise(chain):
            neighbours[right][0].append(left)
            neighbours[left][1].append(right)
    middle: dict[str, float] = {}
    for row in layers.rows:
        middle.update(_apart(row, [0.0] * len(row)))
    for number in range(_PASSES):
        side = number % 2
        for row in layers.rows if side == 0 else reversed(layers.rows):
            wished = []
            for item in row:
                near = neighbours[item][side] or ([] if number else neighbours[item][1])
                wished.append(sum(middle[each] for each in near) / len(near) if near else middle[item])
            middle.update(_apart(row, wished))
    tops = {item: at - _height(item) / 2 for item, at in middle.items()}
    highest = min(tops.values(), default=0.0)
    return {item: top - highest for item, top in tops.items()}


def _apart(row: Sequence[str], wished: Sequence[float]) -> dict[str, float]:
    """The middles nearest to those wished for that keep the order and the gaps: least squares, neighbours pooled."""
    offsets = [0.0]
    for upper, lower in itertools.pairwise(row):
        gap = GAP if not (_is_bend(upper) or _is_bend(lower)) else GAP / 2
        offsets.append(offsets[-1] + (_height(upper) + _height(lower)) / 2 + gap)
    pools: list[tuple[float, int]] = []  # mean of what is wished, how many
    for wish, offset in zip(wished, offsets, strict=False):
        mean, number = wish - offset, 1
        while pools and pools[-1][0] >= mean:
            above, more = pools.pop()
            mean, number = (above * more + mean * number) / (more + number), more + number
        pools.append((mean, number))
    means = [mean for mean, number in pools for _ in range(number)]
    return {item: mean + offset for item, mean, offset in zip(row, means, offsets, strict=False)}


def _shelved(parts: Sequence[_Part]) -> Layout:
    """Put parts beside each other, and below where a shelf is full, so that the whole is about as wide as a screen."""
    area = sum((part.width + PART_GAP) * (part.height + PART_GAP) for part in parts)
    most = max([math.sqrt(area * _ASPECT), *(part.width for part in parts)], default=0.0)
    boxes: dict[str, Box] = {}
    chains: dict[Edge, tuple[str, ...]] = {}
    x = y = depth = width = 0.0
    for part in parts:
        if x and x + part.width > most:
            x, y, depth = 0.0, y + depth + PART_GAP, 0.0
        for at, row in enumerate(part.layers.rows):
            for item in row:
                boxes[item] = Box(x + part.lefts[at], y + part.tops[item], _width(at), _height(item))
        chains |= part.layers.chains
        width, depth = max(width, x + part.width), max(depth, part.height)
        x += part.width + PART_GAP
    lanes = tuple(row for part in parts for row in part.layers.rows if row)
    return Layout(boxes, chains, lanes, width, y + depth)


def _lefts(layers: Layers, tops: Mapping[str, float]) -> list[float]:
    """Where each layer begins: gaps are as wide as their edges climb on average, within bounds."""
    layer = {item: at for at, row in enumerate(layers.rows) for item in row}
    climbs: list[list[float]] = [[] for _ in layers.rows]
    for chain in layers.chains.values():
        for left, right in itertools.pairwise(chain):
            climbs[layer[left]].append(abs(_middle(right, tops) - _middle(left, tops)))
    lefts = [0.0]
    for at, own in enumerate(climbs[:-1]):
        climb = sum(own) / len(own) if own else 0.0
        lefts.append(lefts[-1] + _width(at) + min(MAX_LAYER_GAP, max(LAYER_GAP, round(_SLANT * climb))))
    return lefts


def _middle(item: str, tops: Mapping[str, float]) -> float:
    return tops[item] + _height(item) / 2


def _width(layer: int) -> float:
    """Datasets stand in even layers, processes in odd ones."""
    return PROCESS_WIDTH if layer % 2 else DATASET_WIDTH


def _height(item: str) -> float:
    if _is_bend(item):
        return BEND_HEIGHT
    return DATASET_HEIGHT if item.startswith("d:") else PROCESS_HEIGHT


def _is_bend(item: str) -> bool:
    return item.startswith("\0")
