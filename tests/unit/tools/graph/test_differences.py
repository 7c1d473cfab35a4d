"""Differences between two states of lineage."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sac_kafka.tools.graph.differences import (
    DifferenceKind,
    LineageDifference,
    code,
    difference_lines,
    differences,
    markdown,
)
from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageProcess
from tests.helpers.work import assert_linear
from tests.unit.tools.graph.columns import flow

K = DifferenceKind


P = LineageProcess("p@old", "p", ("a",), ("b",), (flow("b.x", "a.x", how="sum(x)"), flow("b.y", "a.y")))
Q = LineageProcess("q@old", "q", ("b",), ("c",))


def between(old: list, new: list) -> list[LineageDifference]:
    return list(differences(graph_of(old), graph_of(new)))


def test_times_ids_rows_namespaces_and_order_are_no_difference() -> None:
    run = {"status": "failed", "rows_written": "7", "started": "now"}
    later = [replace(Q, id="q@new"), replace(P, id="p@new", run_status=run, columns=P.columns[::-1])]
    assert between([P, Q], later) == []
    digested = [replace(P, id="p:b:0123@new"), replace(Q, id="q:c:4567@new")]
    assert between([replace(P, id="p:b:89ab@old"), replace(Q, id="q:c:cdef@old")], digested) == []


def test_datasets_edges_and_processes() -> None:
    assert between([P, Q], [replace(P, inputs=("a", "r")), LineageProcess("n@x", "n", ("b",), ("d",))]) == [
        LineageDifference(K.NEW_SOURCE, "r"),
        LineageDifference(K.NEW_DATASET, "d"),
        LineageDifference(K.NEW_DATASET, "r"),
        LineageDifference(K.REMOVED_DATASET, "c"),
        LineageDifference(K.NEW_PROCESS, "n", after="b → d"),
        LineageDifference(K.REMOVED_PROCESS, "q", before="b → c"),
        LineageDifference(K.CHANGED_PROCESS, "p", before="a → b", after="a, r → b"),
        LineageDifference(K.NEW_EDGE, "b", "r"),
        LineageDifference(K.NEW_EDGE, "d", "b"),
        LineageDifference(K.REMOVED_EDGE, "c", "b"),
    ]


def test_flow_that_another_process_has_is_not_removed() -> None:
    found = between([P, Q], [P, replace(Q, id="renamed@old", name="renamed")])
    assert [each.kind for each in found] == [K.NEW_PROCESS, K.REMOVED_PROCESS]


def test_dataset_that_was_known_is_no_new_source() -> None:
    def new(old: list[LineageProcess], now: list[LineageProcess]) -> list[str]:
        return [each.name for each in between(old, now) if each.kind is K.NEW_SOURCE]

    assert new([P, Q], [Q]) == []
    assert new([P], [P, Q]) == []
    assert new([P], [P, replace(Q, inputs=("z",))]) == ["z"]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (flow("b.x", "a.x", how="avg(x)"), [LineageDifference(K.CHANGED_COLUMN, "b.x", "a.x", "sum(x)", "avg(x)")]),
        (
            flow("b.x", "a.x", how="sum(x)", influences=True),
            [LineageDifference(K.CHANGED_COLUMN, "b.x", "a.x", "sum(x)", "decided by sum(x)")],
        ),
        (
            flow("b.x", "a.z", how="sum(x)"),
            [
                LineageDifference(K.NEW_COLUMN_EDGE, "b.x", "a.z"),
                LineageDifference(K.REMOVED_COLUMN_EDGE, "b.x", "a.x"),
            ],
        ),
        (
            flow("b.z", "a.x", how="sum(x)"),
            [
                LineageDifference(K.NEW_COLUMN, "b.z"),
                LineageDifference(K.REMOVED_COLUMN, "b.x"),
                LineageDifference(K.NEW_COLUMN_EDGE, "b.z", "a.x"),
                LineageDifference(K.REMOVED_COLUMN_EDGE, "b.x", "a.x"),
            ],
        ),
    ],
)
def test_columns(column: ColumnFlow, expected: list[LineageDifference]) -> None:
    assert between([P], [replace(P, columns=(column, P.columns[1]))]) == expected


def test_changed_constants_and_row_clauses() -> None:
    one = replace(P, columns=(), constant_columns=(flow("b.n", how="1"),))
    two = replace(one, constant_columns=(flow("b.n", how="2"),), rows="Rows filtered by x > 1.")
    assert between([one], [two]) == [
        LineageDifference(
            K.CHANGED_PROCESS,
            "p",
            before="Rows are not joined, filtered, grouped or sorted.",
            after="Rows filtered by x > 1.",
        ),
        LineageDifference(K.CHANGED_COLUMN, "b.n", "", "1", "2"),
    ]


def test_dropped_parts_are_removed() -> None:
    dropped = CatalogChange("dropped", "spark_table", "b")
    assert LineageDifference(K.REMOVED_DATASET, "b") in between([P], [P, dropped])


def test_lines() -> None:
    assert list(difference_lines(between([P, Q], [replace(P, columns=P.columns[1:])]))) == [
        "Removed datasets",
        "  - c",
        "Removed processes",
        "  - q",
        "Removed edges between datasets",
        "  - b ──▶ c",
        "Removed columns",
        "  - b.x",
        "Removed edges between columns",
        "  - a.x ──▶ b.x",
        "5 differences: 5 removed.",
    ]
    assert list(difference_lines([])) == ["The lineage is the same."]


def wide(columns: int, target: str = "b", how: str = "") -> LineageProcess:
    """Return a process each of whose columns is made of all columns."""
    sources = tuple(f"a.s{i}" for i in range(columns))
    return LineageProcess(
        "p@old", "p", ("a",), (target,), tuple(flow(f"{target}.t{i}", *sources, how=how) for i in range(columns))
    )


def test_many_edges_between_the_columns_of_two_datasets_are_one_difference() -> None:
    edges = (K.NEW_COLUMN_EDGE, K.REMOVED_COLUMN_EDGE)
    old, new = graph_of([wide(11), Q]), graph_of([wide(11, "z"), replace(Q, columns=(flow("c.x", "b.x"),))])
    found = [each for each in differences(old, new) if each.kind in edges]
    assert found == [
        LineageDifference(K.NEW_COLUMN_EDGE, "c.x", "b.x"),
        LineageDifference(K.NEW_COLUMN_EDGE, "z", "a", number=121),
        LineageDifference(K.REMOVED_COLUMN_EDGE, "b", "a", number=121),
    ]
    assert list(difference_lines(found)) == [
        "New edges between columns",
        "  + b.x ──▶ c.x",
        "  + a ──▶ z (121 between their columns)",
        "Removed edges between columns",
        "  - a ──▶ b (121 between their columns)",
        "243 differences: 122 new, 121 removed.",
        "242 of them are summarized by dataset; --all lists each.",
    ]
    assert "**New edges between columns** (122)" in list(markdown(found))
    every = [each for each in differences(old, new, max_edges=None) if each.kind in edges]
    assert (len(every), {each.number for each in every}) == (243, {1})
    assert LineageDifference(K.NEW_COLUMN_EDGE, "z.t0", "a.s10") in every


def test_edges_of_a_wide_process_are_no_product() -> None:
    def wide(number: int, *more: str) -> LineageGraph:
        inputs, outputs = (tuple(f"{side}{n}" for n in range(number)) for side in ("in", "out"))
        return graph_of([LineageProcess("p@x", "p", (*inputs, *more), outputs, ())])

    empty = graph_of([])
    found = [each for each in differences(empty, wide(200)) if each.kind is K.NEW_EDGE]
    assert found[:2] == [
        LineageDifference(K.NEW_EDGE, "out0", number=200),
        LineageDifference(K.NEW_EDGE, "out1", number=200),
    ]
    assert list(difference_lines(found))[1] == "  + 200 datasets ──▶ out0"
    found = [each for each in differences(wide(200), wide(200, "x")) if each.kind is K.NEW_EDGE]
    assert found[0] == LineageDifference(K.NEW_EDGE, "out0", "x")
    assert len(found) == 200
    assert len([each for each in differences(empty, wide(20), None) if each.kind is K.NEW_EDGE]) == 400
    assert_linear(lambda number: lambda: differences(wide(number), wide(number, "x")), 100)


def test_edges_are_listed_up_to_the_limit() -> None:
    def number(columns: int) -> int:
        found = differences(graph_of([wide(0)]), graph_of([wide(columns)]))
        return len([each for each in found if each.kind is K.NEW_COLUMN_EDGE])

    assert (number(10), number(11)) == (100, 1)


@pytest.mark.slow
def test_changed_column_lists_the_first_columns_and_counts_the_others() -> None:
    first, *_ = differences(graph_of([wide(150, how="f")]), graph_of([wide(150, how="g")]))
    assert (first.kind, first.before, first.after) == (K.CHANGED_COLUMN, "f", "g")
    assert first.source.count(", ") == 99
    assert first.source.endswith(" and 50 more")
    whole, *_ = differences(graph_of([wide(150, how="f")]), graph_of([wide(150, how="g")]), max_edges=None)
    assert whole.source.count(", ") == 149


@pytest.mark.slow
def test_markdown_keeps_names_as_code_and_is_bounded() -> None:
    evil = "`</td>|<script>\n# [x](http://y)"
    found = [LineageDifference(K.NEW_EDGE, f"{evil}{i}", "a") for i in range(500)]
    lines = list(markdown(found))
    assert lines[0] == "### Lineage"
    assert lines[6] == "* `a` ──▶ `` `</td>|<script> # [x](http://y)0 ``"
    assert lines[-1] == "* … and 400 more"
    wide = [LineageDifference(kind, f"{'x' * 10_000}{i}", "y" * 10_000) for kind in K for i in range(500)]
    lines = list(markdown(wide))
    assert 50_000 < len("\n".join(lines)) < 65_536
    assert lines[-1] == "… truncated: the complete list is too long for a comment."


def test_code_is_fenced_by_more_backticks_than_it_has() -> None:
    assert code("") == "` `"
    assert code("`" * 100_000).startswith("`" * 160 + " ")
