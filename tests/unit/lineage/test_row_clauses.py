"""Row clauses as readable SQL, clause by clause."""

from __future__ import annotations

from sac_kafka.lineage.columns.clause_texts import _labels
from sac_kafka.model import ColumnLineage, ColumnSource, Dependency, Process
from tests.cases.batches import BATCHES, owed
from tests.helpers.every_row import every_row
from tests.helpers.live_runs import Capture

CLAUSES = {
    "join_anti": ["join customer = name AND amount > 1"],
    "aggregate_having": ["group_by customer", "filter min(id) > 0"],
    "join_using_inner": ["join orders.id = orders_parquet.id"],
    "correlated_subquery": [],
    "shown_subqueries_in_the_select_list": ["filter amount > 2"],
    "subqueries_nested": [],
    "drop_duplicates_of_all": ["group_by DISTINCT id, day"],
    "union_distinct": ["group_by DISTINCT customer UNION ALL country"],
    "intersect_all": ["filter customer", "filter INTERSECT name"],
    "rollup": ["group_by customer, day"],
    "pivot": ["group_by customer"],
    "rows_passed_through": ["sort day"],
    "cogroup_in_pandas": ["join customer, name"],
    "typed_filter": ["filter typed_filter(id)"],
    "local_checkpoint": ["filter amount > 1"],
    "v2_delete_copied": ["filter price > 50 OR name = ?"],
    "v2_delete_marked": ["filter price > 50 OR name = ?"],
    "v2_merge_copied": ["join copied.pk = source.pk", "filter note = ?"],
    "join_lateral_value": ["filter name = customer", "join customer"],
}


def _process(case: str, version: str) -> Process:
    (process,) = Capture.processes_of((BATCHES / version / f"{case}.txt").read_text("utf-8"))
    return process


@every_row("version", owed())
@every_row("case", CLAUSES)
def test_the_clauses_of_a_flow(case: str, version: str) -> None:
    process = _process(case, version)
    clauses = [f"{c.dependency.value} {c.text}" for c in process.clauses]
    assert clauses == CLAUSES[case]
    assert {s for c in process.clauses for s in c.sources} == set(process.row_level)


def test_values_and_influences_are_distinguished() -> None:
    flows = tuple(ColumnSource("t", d.value, d) for d in Dependency if d.is_direct)
    decides = tuple(ColumnSource("t", d.value, d) for d in Dependency if not d.is_direct)
    lineage = ColumnLineage(dataset="o", column="c", sources=(*decides, *flows))
    assert lineage.values == flows
    assert lineage.influences == decides


def test_files_are_called_by_their_names_and_not_by_their_extensions() -> None:
    keys = [
        "path:file:/in/authors.csv",
        "path:file:/in/books.csv",
        "path:s3a://b/in/orders/",
        "path:file:/old/books.csv",
    ]
    assert _labels(keys) == {
        keys[0]: "`authors.csv`",
        keys[1]: "`in/books.csv`",
        keys[2]: "orders",
        keys[3]: "`old/books.csv`",
    }
