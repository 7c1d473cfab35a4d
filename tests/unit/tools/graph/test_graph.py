"""Lineage graph of many messages."""

from sac_kafka.tools.graph.graph import ColumnEdge, graph_of
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess
from tests.helpers.work import assert_linear

A, B, TOTAL = LineageColumn("s.orders", "a"), LineageColumn("s.orders", "b"), LineageColumn("s.report", "total")
SUM = ColumnFlow(TOTAL, (A,), "sum(a)", id="p:total")
IF = ColumnFlow(TOTAL, (B,), "filter", influences=True, id="p:total:if")


def process(*columns, inputs=("s.orders",), outputs=("s.report",), id_="p@dev"):
    return LineageProcess(id_, "p", inputs, outputs, columns, types=dict.fromkeys(inputs + outputs, "spark_table"))


def test_datasets_processes_and_columns():
    graph = graph_of([process(SUM), process(IF, inputs=(), outputs=())])
    assert list(graph.datasets) == ["s.orders", "s.report"]
    assert (graph.datasets["s.orders"].type_name, graph.datasets["s.orders"].columns) == ("spark_table", ("a", "b"))
    assert set(graph.column_edges()) == {
        ColumnEdge(A, TOTAL, "p@dev", is_direct=True, expression="sum(a)"),
        ColumnEdge(B, TOTAL, "p@dev", is_direct=False, expression="filter"),
    }


def test_dropped_column_has_no_sources():
    of_report = ColumnFlow(LineageColumn("s.last", "x"), (TOTAL,), id="q:x")
    parsed = [process(SUM, IF), process(of_report, inputs=("s.report",), outputs=("s.last",), id_="q@dev")]
    drop = CatalogChange("dropped", "spark_column", "s.report.total")
    assert [(each.source, each.target) for each in graph_of([*parsed, drop]).column_edges()] == [
        (TOTAL, of_report.output)
    ]
    assert len(list(graph_of([*parsed, drop, process(SUM)]).column_edges())) == 2  # made again
    renamed = CatalogChange("altered", "spark_column", "s.report.total", new_name="s.report.sum")
    dropped = CatalogChange("dropped", "spark_column", "s.report.sum")
    assert len(list(graph_of([*parsed, renamed, dropped]).column_edges())) == 1


def test_last_message_of_a_process_counts():
    graph = graph_of([process(SUM), process(inputs=("s.other",))])
    assert graph.processes["p@dev"].inputs == ("s.other",)
    assert list(graph.datasets) == ["s.other", "s.report", "s.orders"]


def test_a_flow_of_columns_a_process_and_a_table_that_were_dropped():
    parsed = [process(SUM, IF), CatalogChange("dropped", "spark_column_lineage", "p:total:if")]
    assert [each.is_direct for each in graph_of(parsed).column_edges()] == [True]
    gone = graph_of([*parsed, CatalogChange("dropped", "spark_process", "p@dev")])
    assert not gone.processes
    parsed += [CatalogChange("dropped", "spark_table", "s.report")]
    assert [name for name, each in graph_of(parsed).datasets.items() if each.is_dropped] == ["s.report"]
    assert not any(each.is_dropped for each in graph_of([*parsed, process()]).datasets.values())


def test_a_table_that_no_process_has():
    graph = graph_of([CatalogChange("defined", "spark_table", "s.alone")])
    assert graph.datasets["s.alone"].type_name == "spark_table"


def test_database_is_no_dataset():
    assert not graph_of([CatalogChange("defined", "hive_db", "s"), CatalogChange("dropped", "spark_db", "s")]).datasets


class Name(str):
    """A name that is compared in Python, so that each comparison is counted."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        return str.__eq__(self, other)


def test_many_drops_are_not_compared_with_each_process():
    def dropping(number):
        parsed = [process(outputs=(Name(f"s.t{i}"),), id_=f"p{i}@dev") for i in range(number)]
        drops = [CatalogChange("dropped", "spark_table", Name(f"s.t{i}")) for i in range(number)]
        assert sum(each.is_dropped for each in graph_of(parsed + drops).datasets.values()) == number
        return lambda: graph_of(parsed + drops)

    assert_linear(dropping, 50)


def test_dropped_process_that_is_sent_again():
    drop = CatalogChange("dropped", "spark_process", "p@dev")
    assert list(graph_of([process(), drop, process()]).processes) == ["p@dev"]
    assert list(graph_of([process(), process(id_="p@test"), drop, process(), drop]).processes) == ["p@test"]


def test_a_table_that_was_renamed_is_one_dataset():
    parsed = [
        process(SUM),
        CatalogChange("altered", "spark_table", "s.report", "is now s.report_2", "s.report_2"),
        CatalogChange("altered", "spark_column", "s.report.total", "", "s.report_2.total"),
        process(inputs=("s.report_2",), outputs=("s.end",), id_="q@dev"),
        process(inputs=("s.orders",), outputs=("s.report",), id_="r@dev"),
    ]
    graph = graph_of(parsed)
    assert graph.processes["p@dev"].outputs == graph.processes["q@dev"].inputs == ("s.report_2",)
    assert graph.processes["r@dev"].outputs == ("s.report",)
    assert [each.target for each in graph.column_edges()] == [LineageColumn("s.report_2", "total")]
    assert set(graph.datasets) == {"s.orders", "s.report_2", "s.end", "s.report"}


def test_a_column_that_was_renamed_is_one_column():
    parsed = [
        process(SUM),
        CatalogChange("altered", "spark_column", "s.report.total", "", "s.report.sum"),
        process(ColumnFlow(LineageColumn("s.report", "sum"), (A,), "a"), id_="q@dev"),
        CatalogChange("altered", "spark_table", "s.report", "", "s.report_2"),
        CatalogChange("altered", "spark_column", "s.report.sum", "", "s.report_2.sum"),
        process(ColumnFlow(TOTAL, (A,), "of another table"), id_="r@dev"),
    ]
    graph = graph_of(parsed)
    assert [str(each.target) for each in graph.column_edges()] == ["s.report_2.sum", "s.report_2.sum", "s.report.total"]
    assert graph.datasets["s.report_2"].columns == ("sum",)


def test_a_flow_of_columns_that_is_deleted_after_its_process():
    parsed = [process(SUM), CatalogChange("dropped", "spark_process", "p@dev")]
    assert not graph_of([*parsed, CatalogChange("dropped", "spark_column_lineage", "p:total")]).processes


def test_a_table_that_is_renamed_twice_and_dropped():
    parsed = [
        process(),
        CatalogChange("altered", "spark_table", "s.report", "", "s.b"),
        CatalogChange("altered", "spark_table", "s.b", "", "s.report"),
        CatalogChange("dropped", "spark_table", "s.report"),
    ]
    graph = graph_of(parsed)
    assert {name: each.is_dropped for name, each in graph.datasets.items()} == {"s.orders": False, "s.report": True}
