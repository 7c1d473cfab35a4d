"""Arrange the nodes of a graph in layers from left to right, ordered to reduce edge crossings.

This is Sugiyama's method: cycles are broken, layers are assigned by longest path, edges over several layers get a bend in each
layer between, and layers are ordered by the mean position (barycenter) of their neighbours.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

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
    after: dict[str, list[str]] = {node: [] for node in nodes}
    waiting = dict.fromkeys(nodes, 0)
    for source, target in forward:
        after[source].append(target)
        waiting[target] += 1
    layer = {node: starts.get(node, 0) for node in nodes}
    firsts = [node for node in nodes if not waiting[node]]
    ready = list(firsts)
    for node in ready:
        for target in after[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    for node in firsts:  # Nodes without predecessors move right before their nearest successor.
        if after[node]:
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
        own = {item: at for at, item in enumerate(row)}
        row.sort(key=_mean_place(neighbours, place, own))
        place.update({item: at for at, item in enumerate(row)})


def _mean_place(
    neighbours: Mapping[str, list[str]], place: Mapping[str, int], own: Mapping[str, int]
) -> Callable[[str], float]:
    def of(item: str) -> float:
        places = [place[each] for each in neighbours[item] if each in place]
        return sum(places) / len(places) if places else own[item]

    return of


def _crossings(rows: Sequence[Sequence[str]], after: Mapping[str, list[str]]) -> int:
    """Count the crossings of edges between neighbouring layers: inversions, counted with a Fenwick tree."""
    total = 0
    for left, right in itertools.pairwise(rows):
        place = {item: at for at, item in enumerate(right)}
        ends = [at for item in left for at in sorted(place[each] for each in after[item] if each in place)]
        tree = [0] * (len(right) + 1)
        for seen, end in enumerate(ends):
            at, not_after = end + 1, 0
            while at:
                not_after += tree[at]
                at -= at & -at
            total += seen - not_after
            at = end + 1
            while at <= len(right):
                tree[at] += 1
                at += at & -at
    return total
