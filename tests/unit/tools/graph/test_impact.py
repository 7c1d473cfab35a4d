"""Dependencies through many processes."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.graph.impact import Impact, ImpactKind, impact_of, summary, tree
from sac_kafka.tools.messages.model import ColumnFlow, LineageProcess
from tests.helpers.work import assert_linear
from tests.unit.tools.graph.columns import c, flow


def process(name: str, inputs: str, outputs: str, *columns: ColumnFlow, rows: str = "") -> LineageProcess:
    decides = (("filter", c(rows)),) if rows else ()
    return LineageProcess(
        f"{name}@x", name, tuple(inputs.split()), tuple(outputs.split()), columns, row_columns=decides
    )


def drawn(impact: Impact) -> list[str]:
    return list(tree(impact))


LOAD = process("load", "a", "b", flow("b.x", "a.x", how="sum(x)"), flow("b.y", "a.x", how="if x", influences=True))
REPORT = process("report", "b d", "c", flow("c.x", "b.x"), flow("c.z", "b.y"), rows="d.k")


def graph() -> LineageGraph:
    return graph_of([LOAD, REPORT])


def test_a_dataset_downstream_and_upstream() -> None:
    assert drawn(impact_of(graph(), "a")) == ["a", "└─▶ b   by load", "    └─▶ c   by report"]
    assert drawn(impact_of(graph(), "c", is_upstream=True)) == [
        "c",
        "├◀─ b   by report",
        "│   └◀─ a   by load",
        "└◀─ d   by report",
    ]
    assert impact_of(graph(), "a").depths == {"a": 0, "b": 1, "c": 2}


def test_influence_of_a_column() -> None:
    impact = impact_of(graph(), c("a.x"))
    assert drawn(impact) == [
        "a.x",
        "├─▶ b.x   sum(x)   by load",
        "│   └─▶ c.x   by report",
        "└┄▷ b.y   decides the value: if x   by load",
        "    └─▶ c.z   by report",
    ]
    assert summary(impact) == "4 columns of 2 datasets downstream, through 2 processes"
    assert [each.kind for each in impact.edges[:2]] == [ImpactKind.DIRECT, ImpactKind.INDIRECT]


def test_row_clauses_are_listed_and_not_followed() -> None:
    parsed = [REPORT, process("more", "c", "e", flow("e.x", "c.x"))]
    assert drawn(impact_of(graph_of(parsed), c("d.k"))) == ["d.k", "└┄▷ rows of c   decides rows: filter   by report"]
    assert drawn(impact_of(graph_of(parsed), c("e.x"), is_upstream=True)) == [
        "e.x",
        "└◀─ c.x   by more",
        "    ├◀─ b.x   by report",
        "    └◁┄ d.k   decides rows: filter   by report",
    ]


def test_row_clause_that_is_a_source_as_well_is_followed() -> None:
    parsed = [process("p", "b", "c", flow("c.x", "b.x"), rows="b.x"), process("q", "a", "b", flow("b.x", "a.x"))]
    assert drawn(impact_of(graph_of(parsed), c("c.x"), is_upstream=True)) == [
        "c.x",
        "└◀─ b.x   decides rows: filter   by p",
        "    └◀─ a.x   by q",
    ]


def test_depth() -> None:
    impact = impact_of(graph(), "a", depth=1)
    assert (list(impact.depths), impact.is_cut) == (["a", "b"], True)
    assert summary(impact) == "1 dataset downstream, through 1 process; more beyond the given depth"
    assert not impact_of(graph(), "a", depth=2).is_cut


def test_cycles_and_diamonds() -> None:
    parsed = [process("1", "a", "b c"), process("2", "b c", "d"), process("3", "d", "a"), process("4", "a", "a")]
    assert drawn(impact_of(graph_of(parsed), "a")) == [
        "a",
        "├─▶ b   by 1",
        "│   └─▶ d   by 2",
        "│       └─▶ a   by 3   (cycle)",
        "├─▶ c   by 1",
        "│   └─▶ d   by 2   (expanded elsewhere)",
        "└─▶ a   by 4   (cycle)",
    ]


def test_partial_columns_lead_from_dataset_to_dataset() -> None:
    parsed = [LineageProcess("p@x", "p", (), (), (flow("b.x", "a.x"),))]
    assert drawn(impact_of(graph_of(parsed), "a")) == ["a", "└─▶ b   by p"]


def test_nothing() -> None:
    impact = impact_of(graph(), "c")
    assert (impact.edges, summary(impact)) == ((), "nothing downstream of c")


def chain(length: int) -> list[LineageProcess]:
    return [process(str(i), f"t{i}", f"t{i + 1}") for i in range(length)]


def mesh(edges: int) -> list[LineageProcess]:
    datasets = " ".join(f"m{i}" for i in range(isqrt(edges)))
    return [process("all", datasets, datasets)]


def test_long_chains() -> None:
    lines = drawn(impact_of(graph_of(chain(2_000)), "t0"))  # as deep as no recursion may go
    assert (len(lines), lines[-1].replace(" ", "")) == (2_001, "2000:└─▶t2000by1999")
    assert max(map(len, lines)) < 80
    assert_linear(lambda length: lambda: drawn(impact_of(graph_of(chain(length)), "t0")), 100)


def test_a_wide_process_has_no_product_of_its_ends() -> None:
    def wide(number: int) -> LineageGraph:
        inputs, outputs = (" ".join(f"{side}{n}" for n in range(number)) for side in ("in", "out"))
        return graph_of([process("all", inputs, outputs)])

    assert len(impact_of(wide(300), "in0").edges) == 300
    assert_linear(lambda number: lambda: impact_of(wide(number), "in0"), 50)
    assert_linear(lambda number: lambda: impact_of(wide(number), "out0", is_upstream=True), 50)


def test_further_edges_between_the_same_places_are_counted() -> None:
    impact = impact_of(graph_of(mesh(90_000)), "m0")  # 300 datasets, each made of all
    assert len(impact.depths) == 300
    assert len(impact.edges) == 10_200
    assert impact.omitted == 90_000 - 10_200
    assert summary(impact).endswith("through 1 process; 79,800 further edges between them are not listed")


def test_rows_of_a_wide_process() -> None:
    outputs = " ".join(f"out{n}" for n in range(200))
    columns = [flow(f"out0.c{n}", "in.x") for n in range(200)]
    decides = tuple(("filter", c(f"in.k{n}")) for n in range(200))
    wide = replace(process("p", "in", outputs, *columns), row_columns=decides)
    made = process("q", "out0", "last", flow("last.all", *(f"out0.c{n}" for n in range(200))))
    impact = impact_of(graph_of([wide, made]), c("last.all"), is_upstream=True)
    assert len(impact.depths) == 1 + 200 + 1 + 200
    assert len(impact.edges) + impact.omitted == 200 + 200 + 200 * 200
    assert impact.omitted > 25_000
    assert len(impact_of(graph_of([wide]), c("in.k7")).edges) == 200


def test_wide_meshes() -> None:
    assert len(drawn(impact_of(graph_of(mesh(400)), "m0"))) == 401
    assert_linear(lambda edges: lambda: drawn(impact_of(graph_of(mesh(edges)), "m0")), 100)


def test_dropped_datasets_are_marked() -> None:
    impact = impact_of(graph(), "a")
    assert list(tree(impact, {"a", "b"})) == ["a   (dropped)", "└─▶ b   (dropped)   by load", "    └─▶ c   by report"]
