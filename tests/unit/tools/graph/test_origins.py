"""Paths from a column to its origins, over all messages."""

from __future__ import annotations

from sac_kafka.tools.graph.graph import graph_of
from sac_kafka.tools.graph.objects import MAX_PATHS, flows_by_column, paths_to_origins
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageProcess
from tests.unit.tools.graph.columns import c


def made(output: str, *sources: str, influences: bool = False, lineage: str = "") -> LineageProcess:
    return LineageProcess("p@x", "p", (), (), (ColumnFlow(c(output), tuple(map(c, sources)), "", influences, lineage),))


def ways(column: str, *processes: LineageProcess | CatalogChange) -> list[list[str]]:
    return [
        [f"{each.dataset}.{each.name}" for each in way]
        for way in paths_to_origins(flows_by_column(graph_of(processes)), c(column))
    ]


def test_paths_end_at_columns_without_sources() -> None:
    parsed = (made("b.x", "a.x", "a.y"), made("c.x", "b.x"))
    assert ways("c.x", *parsed) == [["c.x", "b.x", "a.x"], ["c.x", "b.x", "a.y"]]


def test_a_column_of_itself_is_followed_once() -> None:
    assert ways("a.x", made("a.x", "a.x", "b.x")) == [["a.x", "b.x"]]
    assert ways("a.x", made("a.x", "b.x"), made("b.x", "a.x")) == [["a.x", "b.x"]]


def test_influence_is_no_path_to_an_origin() -> None:
    assert ways("c.x", made("c.x", "b.x"), made("c.x", "a.flag", influences=True)) == [["c.x", "b.x"]]


def test_ways_of_a_second_message_are_added_once() -> None:
    assert ways("c.x", made("c.x", "b.x"), made("c.x", "b.x"), made("c.x", "a.x")) == [["c.x", "b.x"], ["c.x", "a.x"]]


def test_exponentially_many_ways_are_bounded() -> None:
    parsed = [made(f"t{i + 1}.{name}", f"t{i}.a", f"t{i}.b") for i in range(30) for name in "ab"]
    assert len(ways("t30.a", *parsed)) == MAX_PATHS


def test_deleted_lineage_is_no_path_to_an_origin() -> None:
    parsed = (made("c.x", "b.x", lineage="p:1"), made("c.x", "a.x", lineage="p:2"))
    assert ways("c.x", *parsed, CatalogChange("dropped", "spark_column_lineage", "p:1")) == [["c.x", "a.x"]]
    assert ways("c.x", CatalogChange("dropped", "spark_column_lineage", "p:1"), *parsed) == [
        ["c.x", "b.x"],
        ["c.x", "a.x"],
    ]


def test_lineage_of_a_deleted_process_is_no_path_to_an_origin() -> None:
    gone = CatalogChange("dropped", "spark_process", "p@x")
    assert ways("c.x", made("c.x", "b.x", lineage="p:1"), made("c.x", "a.x"), gone) == [["c.x"]]
    assert ways("c.x", made("c.x", "b.x"), gone, made("c.x", "a.x")) == [["c.x", "a.x"]]


def test_columns_without_sources_are_those_of_the_last_run() -> None:
    def run(expression: str) -> LineageProcess:
        return LineageProcess("p@x", "p", (), ("c",), constant_columns=(ColumnFlow(c("c.n"), (), expression),))

    parsed = (run("1"), run("count(*)"), LineageProcess("p@x", "p", (), ()))
    assert flows_by_column(graph_of(parsed))[c("c.n")] == (ColumnFlow(c("c.n"), (), "count(*)"),)
    assert flows_by_column(graph_of((*parsed, CatalogChange("dropped", "spark_process", "p@x")))) == {}
    assert ways("d.n", *parsed, made("d.n", "c.n")) == [["d.n", "c.n"]]
