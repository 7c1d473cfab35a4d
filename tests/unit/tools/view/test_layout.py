"""Layout of cards: left to right, without overlap, edges around the cards between."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.view.layout import LAYER_GAP, MAX_LAYER_GAP, Box, Layout, dataset_key, layout_of, process_key
from tests.unit.tools.view.graphs import demo, hostile, process


def drawn(seed: int) -> LineageGraph:
    """Return a graph of 60 processes with cycles and separate components."""
    chance = random.Random(seed)
    names = [f"t{number}" for number in range(50)]
    return graph_of(
        process(f"p{number}", " ".join(chance.sample(names, chance.randrange(3))), chance.choice(names))
        for number in range(60)
    )


def overlapping(layout: Layout) -> list[tuple[str, str]]:
    def meet(one: Box, other: Box) -> bool:
        return (
            one.x < other.x + other.width
            and other.x < one.x + one.width
            and one.y < other.y + other.height
            and other.y < one.y + one.height
        )

    return [(a, b) for a, b in combinations(layout.boxes, 2) if meet(layout.boxes[a], layout.boxes[b])]


def test_flows_go_from_left_to_right() -> None:
    layout = layout_of(graph_of([process("p", "a b", "c"), process("q", "c", "d")]))
    columns = [["d:a", "d:b"], ["p:p"], ["d:c"], ["p:q"], ["d:d"]]
    lefts = [{layout.boxes[key].x for key in column} for column in columns]
    assert [len(each) for each in lefts] == [1] * 5
    assert sorted(lefts, key=min) == lefts


@pytest.mark.parametrize("graph", [demo(), hostile(), *map(drawn, range(4))])
def test_cards_do_not_overlap_and_edges_avoid_them(graph: LineageGraph) -> None:
    layout = layout_of(graph)
    nodes = {*map(dataset_key, graph.datasets), *map(process_key, graph.processes)}
    assert nodes <= layout.boxes.keys()
    assert overlapping(layout) == []
    assert all(box.x >= 0 and box.x + box.width <= layout.width for box in layout.boxes.values())
    assert all(box.y >= 0 and box.y + box.height <= layout.height for box in layout.boxes.values())


def test_an_edge_over_several_layers_bends_in_each_between() -> None:
    layout = layout_of(graph_of([process("p", "a", "b"), process("q", "b", "c"), process("r", "a c", "d")]))
    bends = layout.bends(("d:a", "p:r"))
    assert len(bends) == 2 * 4  # over p, b, q and c
    assert [x for x, _ in bends] == sorted(x for x, _ in bends)
    assert layout.bends(("d:a", "p:p")) == ()


def test_a_cycle_is_laid_out() -> None:
    layout = layout_of(graph_of([process("p", "a", "b"), process("q", "b", "a"), process("self", "c", "c")]))
    assert layout.boxes["d:a"].x < layout.boxes["p:p"].x < layout.boxes["d:b"].x < layout.boxes["p:q"].x
    assert layout.boxes["d:c"].x < layout.boxes["p:self"].x


def test_two_edges_that_need_not_cross_do_not() -> None:
    processes = [process("p", "a", "x"), process("q", "b", "y"), process("r", "x", "z"), process("s", "y", "z")]
    boxes = layout_of(graph_of(processes)).boxes
    assert (boxes["d:a"].y < boxes["d:b"].y) == (boxes["d:x"].y < boxes["d:y"].y)


def test_parts_that_nothing_connects_do_not_make_one_endless_column() -> None:
    layout = layout_of(graph_of(process(f"p{number}", f"a{number}", f"b{number}") for number in range(60)))
    assert layout.height < 3 * layout.width
    assert overlapping(layout) == []


def test_layers_with_long_vertical_edges_are_further_apart() -> None:
    def gap(number: int) -> float:
        """Return the gap between the processes and a table in the middle that all of them read."""
        layout = layout_of(graph_of(process(f"p{n}", f"own{n} all", f"out{n}") for n in range(number)))
        tables, processes = layout.boxes["d:all"], layout.boxes["p:p0"]
        return processes.x - tables.x - tables.width

    assert gap(2) == LAYER_GAP
    assert LAYER_GAP < gap(40) < gap(80) < MAX_LAYER_GAP
    assert gap(400) == MAX_LAYER_GAP


def test_nothing() -> None:
    layout = layout_of(graph_of([]))
    assert (layout.width, layout.height, layout.lanes) == (0.0, 0.0, ())
