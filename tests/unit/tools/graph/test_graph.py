"""Lineage graph of the items that a server holds."""

from sac_kafka.tools.graph.graph import ColumnEdge, graph_of
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlow, LineageColumn, LineageProcess

A, B, TOTAL = LineageColumn("s.orders", "a"), LineageColumn("s.orders", "b"), LineageColumn("s.report", "total")
SUM = ColumnFlow(TOTAL, (A,), "sum(a)")
IF = ColumnFlow(TOTAL, (B,), "filter", influences=True)


def process(*columns, inputs=("s.orders",), outputs=("s.report",)):
    return LineageProcess("p@dev", "p", inputs, outputs, columns, types=dict.fromkeys(inputs + outputs, "spark_table"))


def test_datasets_processes_and_columns():
    graph = graph_of([process(SUM, IF)])
    assert list(graph.datasets) == ["s.orders", "s.report"]
    assert (graph.datasets["s.orders"].type_name, [*graph.datasets["s.orders"].columns]) == ("spark_table", ["a", "b"])
    assert set(graph.column_edges()) == {
        ColumnEdge(A, TOTAL, "p@dev", is_direct=True, expression="sum(a)"),
        ColumnEdge(B, TOTAL, "p@dev", is_direct=False, expression="filter"),
    }


def test_a_dropped_table_and_one_without_a_flow():
    alone = CatalogChange("defined", "spark_table", "s.alone")
    graph = graph_of([process(), alone, CatalogChange("dropped", "spark_table", "s.report")])
    assert {name: each.is_dropped for name, each in graph.datasets.items()} == {
        "s.orders": False,
        "s.report": True,
        "s.alone": False,
    }
    assert graph.datasets["s.alone"].type_name == "spark_table"


def test_database_is_no_dataset():
    assert not graph_of([CatalogChange("defined", "hive_db", "s"), CatalogChange("dropped", "spark_db", "s")]).datasets
