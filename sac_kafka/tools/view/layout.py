"""Compute the positions of datasets and processes, and the routes of the edges between them, in CSS pixels."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from sac_kafka.tools.graph.graph import LineageGraph

MAX_BENDS = 20_000
"""Limit of the bends of all edges together; further edges are straight."""
_SWEEPS = 8

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Layers:
    """Layers and edges: `rows[i]` has the nodes and bends of layer i from top to bottom.

    `chains` maps an edge to the items that it passes from left to right, including its ends. The chain of a reversed edge (of a
    cycle) goes from its target to its source.
    """

    rows: tuple[tuple[str, ...], ...]
    chains: Mapping[Edge, tuple[str, ...]]


def layered(nodes: Sequence[str], edges: Iterable[Edge], starts: Mapping[str, int]) -> Layers:
    """Arrange the nodes of one connected graph in layers.

    Args:
        nodes: All nodes.
        edges: The edges between them; duplicates count once.
        starts: The first layer allowed for a node; 0 if missing.
    """
    forward = _without_cycles(nodes, dict.fromkeys(edges))
    layer = _longest_paths(nodes, forward, starts)
    chains: dict[Edge, tuple[str, ...]] = {}
    bends = 0
    for (source, target), edge in forward.items():
        between = range(layer[source] + 1, layer[target]) if bends < MAX_BENDS else ()
        names = [f"\0{source}\0{target}\0{at}" for at in between]
        layer.update(zip(names, between, strict=True))
        bends += len(names)
        chains[edge] = (source, *names, target)
    return Layers(_ordered(layer, chains.values()), chains)


def _without_cycles(nodes: Sequence[str], edges: Mapping[Edge, None]) -> dict[Edge, Edge]:
    """Map each edge directed from left to right to the original edge; edges that close a cycle are reversed."""
    after: dict[str, list[str]] = {node: [] for node in nodes}
    for source, target in edges:
        after[source].append(target)
    entered = {target for _, target in edges}
    done: set[str] = set()
    turned: dict[Edge, Edge] = {}
    for root in (*(n for n in nodes if n not in entered), *nodes):
        if root in done:
            continue
        on_way, stack = {root}, [(root, iter(after[root]))]
        while stack:
            node, rest = stack[-1]
            if (following := next(rest, None)) is None:
                stack.pop()
                on_way.discard(node)
                done.add(node)
            elif following in on_way:
                turned[following, node] = (node, following)
            elif following not in done:
                on_way.add(following)
                stack.append((following, iter(after[following])))
    against = set(turned.values())
    kept = {edge: edge for edge in edges if edge not in against}
    # Two nodes with edges in both directions have one chain; the page draws the reversed edge next to it.
    return {**{way: edge for way, edge in turned.items() if way not in kept and way[0] != way[1]}, **kept}


def _longest_paths(nodes: Sequence[str], forward: Mapping[Edge, Edge], starts: Mapping[str, int]) -> dict[str, int]:
    before: dict[str, list[str]] = {node: [] for node in nodes}
    after: dict[str, list[str]] = {node: [] for node in nodes}
    for source, target in forward:
        before[target].append(source)
        after[source].append(target)
    layer = dict.fromkeys(nodes, 0)
    for node in TopologicalSorter(before).static_order():
        layer[node] = max([starts.get(node, 0), *(layer[source] + 1 for source in before[node])])
    for node in nodes:  # Nodes without predecessors move right before their nearest successor.
        if after[node] and not before[node]:
            layer[node] = min(layer[target] for target in after[node]) - 1
    return layer


def _ordered(layer: Mapping[str, int], chains: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    before: dict[str, list[str]] = {item: [] for item in layer}
    after: dict[str, list[str]] = {item: [] for item in layer}
    for chain in chains:
        for left, right in itertools.pairwise(chain):
            before[right].append(left)
            after[left].append(right)
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for item in _depth_first(layer, before, after):
        rows[layer[item]].append(item)
    best, fewest = [list(row) for row in rows], _crossings(rows, after)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        _sweep(rows, before if sweep % 2 == 0 else after, reverse=sweep % 2 == 1)
        if (crossings := _crossings(rows, after)) < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return tuple(map(tuple, best))


def _depth_first(
    layer: Mapping[str, int], before: Mapping[str, list[str]], after: Mapping[str, list[str]]
) -> Iterable[str]:
    """Return all items in depth-first order, which keeps neighbours together."""
    seen: dict[str, None] = {}
    for root in sorted(layer, key=layer.__getitem__):
        stack = [root]
        while stack:
            item = stack.pop()
            if item not in seen:
                seen[item] = None
                stack.extend(reversed([*after[item], *before[item]]))
    return seen


def _sweep(rows: list[list[str]], neighbours: Mapping[str, list[str]], *, reverse: bool) -> None:
    """Order each layer by the mean position of the neighbours in the previous layer; items without neighbours stay."""
    place: dict[str, int] = {}
    for row in reversed(rows) if reverse else rows:
        means: dict[str, float] = {}
        for at, item in enumerate(row):
            places = [place[each] for each in neighbours[item] if each in place]
            means[item] = sum(places) / len(places) if places else at
        row.sort(key=means.__getitem__)
        place |= {item: at for at, item in enumerate(row)}


def _crossings(rows: Sequence[Sequence[str]], after: Mapping[str, list[str]]) -> int:
    """Count the crossings of edges between neighbouring layers: the inversions of their ends."""
    total = 0
    for left, right in itertools.pairwise(rows):
        place = {item: at for at, item in enumerate(right)}
        seen: list[int] = []
        for item in left:
            for end in sorted(place[each] for each in after[item] if each in place):
                total += len(seen) - bisect_right(seen, end)
                insort(seen, end)
    return total


DATASET_WIDTH, DATASET_HEIGHT = 224.0, 54.0
PROCESS_WIDTH, PROCESS_HEIGHT = 128.0, 34.0
GAP = 24.0
"""Vertical gap between two cards of a layer."""
BEND_HEIGHT = 10.0
LAYER_GAP = 56.0
"""Smallest gap between two layers."""
MAX_LAYER_GAP = 400.0
_SLANT = 0.3
"""Width of the gap between two layers per pixel of vertical distance of its edges; steeper edges would merge visually."""
PART_GAP = 64.0
"""Gap between two connected components of the graph."""
_PASSES = 6
_ASPECT = 1.6

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """Position of a card's upper left corner, and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes by key; `chains` has the items that an edge passes (`layers.Layers`)."""

    boxes: Mapping[str, Box]
    """Includes bends, which are as wide as their layer."""
    chains: Mapping[Edge, tuple[str, ...]]
    lanes: tuple[tuple[str, ...], ...]
    """Items of each layer of each connected component, from top to bottom."""
    width: float
    height: float

    def bends(self, edge: Edge) -> tuple[Point, ...]:
        """Return the points between the ends of an edge from left to right, two per layer that it crosses."""
        between = (self.boxes[item] for item in self.chains.get(edge, ())[1:-1])
        return tuple((x, box.y + box.height / 2) for box in between for x in (box.x, box.x + box.width))


@dataclass(frozen=True, slots=True)
class _Part:
    layers: Layers
    lefts: Sequence[float]
    """Left edge of each layer."""
    tops: Mapping[str, float]
    width: float
    height: float


def dataset_key(name: str) -> str:
    """Return the key of a dataset in a layout, which differs from that of a process with the same name."""
    return f"d:{name}"


def process_key(id_: str) -> str:
    """Return the key of a process in a layout."""
    return f"p:{id_}"


def edges_of(graph: LineageGraph) -> tuple[Edge, ...]:
    """Return the edges into and out of processes, in the order of the processes, each once."""
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
    """Lay out a graph from left to right; connected components are placed next to and below each other."""
    nodes = [*map(dataset_key, graph.datasets), *map(process_key, graph.processes)]
    edges = edges_of(graph)
    starts = {node: 1 for node in nodes if node.startswith("p:")}
    parts = [_part(names, own, starts) for names, own in _connected(nodes, edges)]
    return _shelved(parts)


def _connected(nodes: Sequence[str], edges: Iterable[Edge]) -> list[tuple[list[str], list[Edge]]]:
    """Return the connected components, the largest first."""
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
    """Compute vertical positions: as near to the mean of the neighbours as order and gaps allow."""
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
    """Return the middles closest to the wished ones that keep order and gaps (isotonic regression by pooling)."""
    offsets = [0.0]
    for upper, lower in itertools.pairwise(row):
        gap = GAP if not (_is_bend(upper) or _is_bend(lower)) else GAP / 2
        offsets.append(offsets[-1] + (_height(upper) + _height(lower)) / 2 + gap)
    pools: list[tuple[float, int]] = []  # mean of the wished positions, and their number
    for wish, offset in zip(wished, offsets, strict=False):
        mean, number = wish - offset, 1
        while pools and pools[-1][0] >= mean:
            above, more = pools.pop()
            mean, number = (above * more + mean * number) / (more + number), more + number
        pools.append((mean, number))
    means = [mean for mean, number in pools for _ in range(number)]
    return {item: mean + offset for item, mean, offset in zip(row, means, offsets, strict=False)}


def _shelved(parts: Sequence[_Part]) -> Layout:
    """Place components in rows, so that the whole has about the aspect ratio of a screen."""
    area = sum((part.width + PART_GAP) * (part.height + PART_GAP) for part in parts)
    max_width = max([math.sqrt(area * _ASPECT), *(part.width for part in parts)], default=0.0)
    boxes: dict[str, Box] = {}
    chains: dict[Edge, tuple[str, ...]] = {}
    x = y = depth = width = 0.0
    for part in parts:
        if x and x + part.width > max_width:
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
    """Return the left edge of each layer; a gap grows with the mean vertical distance of its edges, within limits."""
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
    """Return the width of a layer: datasets are in even layers, processes in odd ones."""
    return PROCESS_WIDTH if layer % 2 else DATASET_WIDTH


def _height(item: str) -> float:
    if _is_bend(item):
        return BEND_HEIGHT
    return DATASET_HEIGHT if item.startswith("d:") else PROCESS_HEIGHT


def _is_bend(item: str) -> bool:
    return item.startswith("\0")
