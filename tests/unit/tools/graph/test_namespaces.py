"""Two clusters with equal table names: each table is one dataset, and their lineage stays separate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sac_kafka.atlas.notification import Notification
from sac_kafka.errors import SacKafkaError
from sac_kafka.tools.cli.coverage import coverage_of
from sac_kafka.tools.cli.show import print_origins
from sac_kafka.tools.graph.differences import DifferenceKind, differences
from sac_kafka.tools.graph.drawing import lines
from sac_kafka.tools.graph.graph import LineageGraph, graph_of, label_graph
from sac_kafka.tools.graph.impact import Place, impact_of
from sac_kafka.tools.graph.name_lookup import find_place
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess
from sac_kafka.tools.messages.names import Labels, parse_column
from sac_kafka.tools.messages.state import ServerState
from sac_kafka.tools.view.page import contents
from tests.unit.tools.messages.notifications import deletion, flow_between, renaming

K = DifferenceKind


def flow(namespace: str, *, source: str = "s.orders", target: str = "s.report", of: str = "") -> LineageProcess:
    """Return a copy of one column within a cluster, or out of the cluster `of`."""
    ends = f"{source}@{of or namespace}", f"{target}@{namespace}"
    made = ColumnFlow(LineageColumn(ends[1], "n"), (LineageColumn(ends[0], "n"),))
    types = dict.fromkeys(ends, "spark_table")
    rows = (("filter", LineageColumn(ends[0], "flag")),)
    return LineageProcess(
        f"daily:{target}@{namespace}",
        f"daily: {source} -> {target}",
        (ends[0],),
        (ends[1],),
        (made,),
        types=types,
        job=f"daily@{namespace}",
        row_columns=rows,
    )


BOTH = (flow("c1"), flow("c2"))
DROP = CatalogChange("dropped", "spark_table", "s.report@c1")


def shown(*parsed: LineageProcess | CatalogChange) -> LineageGraph:
    return label_graph(graph_of(parsed))


def reached(graph: LineageGraph, place: Place) -> set[str]:
    return {str(each) for each in impact_of(graph, place).depths} - {str(place)}


@pytest.mark.parametrize("typed", ["s.report.n", "report.n", "s.orders", "orders"])
def test_name_in_both_clusters_must_be_given_in_full(typed: str) -> None:
    with pytest.raises(SacKafkaError, match=r"matches 2 names, give one in full: s\.\w+@c1(\.n)?, s\.\w+@c2"):
        find_place(shown(*BOTH), typed)


@pytest.mark.parametrize("typed", ["s.report.n@c2", "report@c2.n", "s.report@c2#n", "report#n@c2"])
def test_column_in_the_spelling_of_atlas(typed: str) -> None:
    assert find_place(shown(*BOTH), typed) == LineageColumn("s.report@c2", "n")
    assert find_place(shown(BOTH[1]), typed.replace("@c2.n", ".n")) == LineageColumn("s.report", "n")
    assert find_place(shown(BOTH[1]), "s.orders@c2") == "s.orders"


def test_column_in_both_clusters_must_be_given_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SacKafkaError, match=r"--column report\.n: matches 2 names, .*: s.report@c1.n, s.report@c2.n"):
        print_origins(state(), "report.n", as_json=False)
    print_origins(state(), "s.report.n@c1", as_json=False)
    assert capsys.readouterr().out == "s.report@c1.n\n    ◀─ s.orders@c1.n\n"


def test_unambiguous_names_are_short() -> None:
    assert list(shown(BOTH[0]).datasets) == ["s.orders", "s.report"]
    both = shown(*BOTH, flow("c2", source="s.only", target="s.end"))
    assert list(both.datasets) == ["s.orders@c1", "s.report@c1", "s.orders@c2", "s.report@c2", "s.only", "s.end"]
    assert {each.name for each in both.processes.values()} == {
        "daily: s.orders -> s.report@c1",
        "daily: s.orders -> s.report@c2",
        "daily: s.only -> s.end",
    }


def state(*more: Notification) -> ServerState:
    """Return the state of a server with BOTH, after further notifications."""
    return ServerState([*(copied(namespace) for namespace in ("c1", "c2")), *more])


def copied(namespace: str) -> Notification:
    return flow_between(
        "spark_table", f"s.orders@{namespace}", f"s.report@{namespace}", "n", process=f"daily@{namespace}"
    )


def test_drop_or_rename_in_one_cluster_does_not_affect_the_other() -> None:
    dropped = label_graph(graph_of(state(deletion("spark_table", "s.report@c1")).items()))
    assert [name for name, each in dropped.datasets.items() if each.is_dropped] == ["s.report@c1"]
    renames = (
        renaming("spark_table", "s.report@c1", "s.totals@c1"),
        renaming("spark_column", "s.report.n@c1", "s.totals.n@c1"),
    )
    renamed = label_graph(graph_of(state(*renames).items()))
    assert list(renamed.datasets) == ["s.orders@c1", "s.totals", "s.orders@c2", "s.report"]
    assert reached(renamed, LineageColumn("s.orders@c1", "n")) == {"s.totals.n"}
    assert reached(renamed, LineageColumn("s.orders@c2", "n")) == {"s.report.n"}


def test_a_process_and_a_flow_of_columns_are_deleted_in_one() -> None:
    gone = graph_of(state(deletion("spark_column_lineage", "daily:n@c2")).items())
    assert [str(each.target) for each in gone.column_edges()] == ["s.report@c1.n"]
    gone = graph_of(state(deletion("spark_process", "daily@c1")).items())
    assert list(gone.processes) == ["daily@c2"]


def test_impact_does_not_leak() -> None:
    graph = shown(*BOTH, flow("c2", source="s.report", target="s.end"))
    assert reached(graph, "s.orders@c1") == {"s.report@c1"}
    assert reached(graph, "s.orders@c2") == {"s.report@c2", "s.end"}
    assert reached(graph, LineageColumn("s.orders@c1", "n")) == {"s.report@c1.n"}
    assert reached(graph, LineageColumn("s.orders@c1", "flag")) == {"s.report@c1"}


def test_flow_between_clusters_shows_both_namespaces() -> None:
    across = flow("c2", target="s.orders", of="c1")
    graph = shown(*BOTH, across)
    assert reached(graph, "s.orders@c1") == {"s.report@c1", "s.orders@c2", "s.report@c2"}
    assert "s.orders@c1 ──▶ s.orders@c2" in list(lines(across))
    assert "s.orders ──▶ s.report" in list(lines(BOTH[0]))


def test_a_state_of_two_clusters_differs_by_one() -> None:
    one, both = graph_of(BOTH[:1]), graph_of(BOTH)
    assert [(each.kind, each.name) for each in differences(one, both)] == [
        (K.NEW_SOURCE, "s.orders@c2"),
        (K.NEW_DATASET, "s.orders@c2"),
        (K.NEW_DATASET, "s.report@c2"),
        (K.NEW_PROCESS, "daily: s.orders -> s.report@c2"),
        (K.NEW_EDGE, "s.report@c2"),
        (K.NEW_COLUMN_EDGE, "s.report@c2.n"),
    ]
    assert [each.name for each in differences(both, graph_of([*BOTH, DROP])) if each.kind is K.REMOVED_DATASET] == [
        "s.report@c1"
    ]
    assert differences(one, graph_of(BOTH[1:])) == ()


def test_coverage_counts_the_jobs_of_each() -> None:
    without = replace(BOTH[1], columns=(), attributes={"lineage": "partial: a reason"})
    found = coverage_of(graph_of([BOTH[0], without]), {"daily@c1": {"sink not understood: x": 2}})
    assert {job: (each["writes"], each["with_column_lineage"]) for job, each in found.by_job.items()} == {
        "daily@c1": (3, 1),
        "daily@c2": (1, 0),
    }
    assert list(coverage_of(graph_of(BOTH[:1]), {}).by_job) == ["daily"]


def test_cards_keep_the_namespace_with_the_title() -> None:
    parsed = [replace(flow("eu.prod"), job=""), flow("c2")]
    cards = contents(shown(*parsed), "two")["datasets"]
    assert isinstance(cards, list)
    assert [(each["title"], each["place"]) for each in cards[:2]] == [("orders@eu.prod", "s"), ("report@eu.prod", "s")]


def test_names_without_a_namespace_keep_their_at() -> None:
    labels = Labels(["https://a/b@c.csv@", "https://a/b@d.csv@"], ["s.t@c1"], ["s.t@c2"])
    assert [labels("https://a/b@c.csv@"), labels("s.t@c1"), labels("s.t@c2")] == ["https://a/b@c.csv", "s.t", "s.t"]
    assert Labels(["s.t@", "s.t@c2"])("s.t@") == "s.t"


def test_columns_with_dots_in_their_names() -> None:
    assert parse_column("s.t.`b.c`@ns", ".") == LineageColumn("s.t@ns", "`b.c`")
    assert parse_column("`s.t`.c@ns", ".") == LineageColumn("`s.t`@ns", "c")
    assert parse_column("s.t.`a``.b`@ns", ".") == LineageColumn("s.t@ns", "`a``.b`")
    assert parse_column("file:/x#`a#b`@ns", "#") == LineageColumn("file:/x@ns", "`a#b`", "#")
