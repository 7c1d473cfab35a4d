"""Layout of cards: left to right, without overlap, edges around the cards between."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest

from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from tests.unit.tools.view.browsers import IN_BROWSER
from tests.unit.tools.view.graphs import demo, hostile, process

pytestmark = IN_BROWSER
Box = dict[str, Any]
LEAST_GAP, MOST_GAP = 24, 400


def boxes(opened) -> dict[str, Box]:
    """Return the boxes by the names of datasets and processes; bends have their keys."""
    found = opened.tab.evaluate(
        """[...lineage.boxes.values()].map((box) => ({
            ...box, name: model.nodes.has(box.key) ? lineage.nameOf({ node: box.key }) : box.key,
        }))"""
    )
    return {each["name"]: each for each in found}


def drawn(seed: int) -> LineageGraph:
    """Return a graph of 60 processes with cycles and separate components."""
    chance = random.Random(seed)
    names = [f"t{number}" for number in range(50)]
    return graph_of(
        process(f"p{number}", " ".join(chance.sample(names, chance.randrange(3))), chance.choice(names))
        for number in range(60)
    )


def overlapping(found: dict[str, Box]) -> list[tuple[str, str]]:
    def meet(one: Box, other: Box) -> bool:
        return (
            one["x"] < other["x"] + other["width"]
            and other["x"] < one["x"] + one["width"]
            and one["y"] < other["y"] + other["height"]
            and other["y"] < one["y"] + one["height"]
        )

    return [(a, b) for a, b in combinations(found, 2) if meet(found[a], found[b])]


def test_flows_go_from_left_to_right(show) -> None:
    found = boxes(show(graph_of([process("p", "a b", "c"), process("q", "c", "d")])))
    middles = [{found[name]["x"] + found[name]["width"] / 2 for name in names} for names in ("ab", "p", "c", "q", "d")]
    assert [len(each) for each in middles] == [1] * 5
    assert sorted(middles, key=min) == middles


@pytest.mark.parametrize("graph", [demo(), hostile(), *map(drawn, range(4))])
def test_cards_do_not_overlap(show, graph: LineageGraph) -> None:
    opened = show(graph)
    found = boxes(opened)
    assert opened.tab.evaluate("[...lineage.model.nodes.keys()].every((key) => lineage.boxes.has(key))")
    assert overlapping(found) == []


def test_an_opened_card_overlaps_nothing(show) -> None:
    opened = show(drawn(1))
    opened.tab.evaluate("for (const key of model.nodes.keys()) lineage.choosing.press(key)")
    assert overlapping(boxes(opened)) == []


def test_an_edge_over_several_layers_bends_in_each_between(show) -> None:
    found = boxes(show(graph_of([process("p", "a", "b"), process("q", "b", "c"), process("r", "a c", "d")])))
    bends = sorted(found[name]["x"] for name in found if name.startswith("b") and name != "b")
    assert len(bends) == 4  # over p, b, q and c
    assert found["a"]["x"] < bends[0]
    assert bends[-1] < found["r"]["x"]


def test_a_cycle_is_laid_out(show) -> None:
    found = boxes(show(graph_of([process("p", "a", "b"), process("q", "b", "a"), process("self", "c", "c")])))
    assert found["a"]["x"] < found["p"]["x"] < found["b"]["x"] < found["q"]["x"]
    assert found["c"]["x"] < found["self"]["x"]


def test_both_edges_of_a_process_that_reads_what_it_writes_are_drawn(show) -> None:
    opened = show(graph_of([process("self", "c", "c"), process("p", "a", "b"), process("q", "b", "a")]))
    assert opened.tab.evaluate("model.edges.length") == 6
    assert opened.tab.locator("path.edge").count() == 6


def test_two_edges_that_need_not_cross_do_not(show) -> None:
    processes = [process("p", "a", "x"), process("q", "b", "y"), process("r", "x", "z"), process("s", "y", "z")]
    found = boxes(show(graph_of(processes)))
    assert (found["a"]["y"] < found["b"]["y"]) == (found["x"]["y"] < found["y"]["y"])


def test_parts_that_nothing_connects_do_not_make_one_endless_column(show) -> None:
    found = boxes(show(graph_of(process(f"p{number}", f"a{number}", f"b{number}") for number in range(60))))
    height = max(each["y"] + each["height"] for each in found.values())
    assert height < 3 * max(each["x"] + each["width"] for each in found.values())
    assert overlapping(found) == []


def test_layers_with_long_vertical_edges_are_further_apart(show) -> None:
    def gap(number: int) -> float:
        """Return the gap between the processes and a table in the middle that all of them read."""
        found = boxes(
            show(graph_of(process(f"p{n}", f"own{n} all", f"out{n}") for n in range(number)), size=(400, 400))
        )
        return found["p0"]["x"] - found["all"]["x"] - found["all"]["width"]

    assert gap(2) == LEAST_GAP
    assert LEAST_GAP < gap(40) < gap(80) < MOST_GAP
    assert gap(400) == MOST_GAP
