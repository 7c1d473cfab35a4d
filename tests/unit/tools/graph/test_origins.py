"""Paths from a column to its origins, over all messages."""

from __future__ import annotations

from sac_kafka.tools.graph.graph import graph_of
from sac_kafka.tools.graph.objects import MAX_PATHS, flows_by_column, paths_to_origins
from sac_kafka.tools.messages.model import ColumnFlow, LineageProcess
from tests.unit.tools.graph.columns import c


def made(output: str, *sources: str, influences: bool = False) -> ColumnFlow:
    return ColumnFlow(c(output), tuple(map(c, sources)), "", influences)


def ways(column: str, *flows: ColumnFlow) -> list[list[str]]:
    graph = graph_of(LineageProcess(f"p{n}@x", "p", (), (), (each,)) for n, each in enumerate(flows))
    return [
        [f"{each.dataset}.{each.name}" for each in way] for way in paths_to_origins(flows_by_column(graph), c(column))
    ]


def test_paths_end_at_columns_without_sources() -> None:
    parsed = (made("b.x", "a.x", "a.y"), made("c.x", "b.x"))
    assert ways("c.x", *parsed) == [["c.x", "b.x", "a.x"], ["c.x", "b.x", "a.y"]]


def test_a_column_of_itself_is_followed_once() -> None:
    assert ways("a.x", made("a.x", "a.x", "b.x")) == [["a.x", "b.x"]]
    assert ways("a.x", made("a.x", "b.x"), made("b.x", "a.x")) == [["a.x", "b.x"]]


def test_influence_is_no_path_to_an_origin() -> None:
    assert ways("c.x", made("c.x", "b.x"), made("c.x", "a.flag", influences=True)) == [["c.x", "b.x"]]


def test_ways_of_a_second_process_are_added_once() -> None:
    assert ways("c.x", made("c.x", "b.x"), made("c.x", "b.x"), made("c.x", "a.x")) == [["c.x", "b.x"], ["c.x", "a.x"]]


def test_exponentially_many_ways_are_bounded() -> None:
    parsed = [made(f"t{i + 1}.{name}", f"t{i}.a", f"t{i}.b") for i in range(30) for name in "ab"]
    assert len(ways("t30.a", *parsed)) == MAX_PATHS


def test_columns_without_sources_are_origins() -> None:
    constant = ColumnFlow(c("c.n"), (), "count(*)")
    graph = graph_of([LineageProcess("p@x", "p", (), ("c",), constant_columns=(constant,))])
    assert flows_by_column(graph)[c("c.n")] == (constant,)
    assert ways("d.n", constant, made("d.n", "c.n")) == [["d.n", "c.n"]]
