"""Known errors of other lineage listeners for Spark, one test per error, on recorded batches.

The faults are reported for, or visible in the source of, Kyuubi's lineage plugin (K), Spline's agent (S) and OpenLineage's
Spark integration (O).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import pytest

from sac_kafka.lineage.extract import extract
from sac_kafka.model import Run
from sac_kafka.plan import wire
from sac_kafka.plan.commands import InsertIntoHadoopFsRelationCommand
from sac_kafka.plan.nodes import UnknownPlan
from tests.cases.all_cases import CHANGING
from tests.cases.record import WORK
from tests.helpers.every_row import every_row
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import APPLICATION, Capture
from tests.unit.atlas.flows import copy, entities, messages_for, name, table

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

ORDERS = "table:spark_catalog.cases.orders"
CUSTOMERS = "table:spark_catalog.cases.customers"
FILES = "path:file:{work}/in/orders_parquet"
OUT = "path:file:{work}/out"
COPIED, MARKED, SOURCE = "table:rows.db.copied", "table:rows.db.marked", "table:rows.db.source"


@dataclass(frozen=True)
class Fault:
    """A fault and the case that shows it: these lines are expected of the case, and none that has one of `never`."""

    name: str
    case: str
    expected: tuple[str, ...]
    never: tuple[str, ...] = ()


FAULTS = (
    Fault(
        "K: a query of rows of the driver loses its output", "rows_of_the_driver", (f"{OUT}/rows_of_the_driver <= -",)
    ),
    Fault("K: a checkpoint cuts the lineage", "local_checkpoint", (f"{OUT}/local_checkpoint <= {ORDERS}",)),
    Fault("K: a write to a path is no lineage at all", "copy_parquet", (f"{OUT}/copy_parquet <= {FILES}",)),
    Fault(
        "K: a table read in IN or EXISTS only is no input",
        "in_and_exists",
        (f"{OUT}/in_and_exists <= {FILES}, {CUSTOMERS}, {ORDERS}",),
    ),
    Fault("K: a V2 relation without identifier loses all", "v2_files", (f"{OUT}/v2_files <= {FILES}",)),
    Fault(
        "K: a scalar subquery is its correlation column only",
        "correlated_subquery",
        (f"  country <- {CUSTOMERS} country aggregation",),
    ),
    Fault(
        "K: a table that no column comes from is no input", "semi_join", (f"{OUT}/semi_join <= {CUSTOMERS}, {ORDERS}",)
    ),
    Fault(
        "K: MERGE with a DELETE clause on a copied table loses all",
        "v2_merge_deletes_copied",
        (f"{COPIED} <= {COPIED}, {SOURCE}", f"  (rows) <- {SOURCE} note filter"),
    ),
    Fault(
        "K: of a column that MERGE updates and inserts the last clause counts, and the target's own columns are dropped",
        "v2_merge_copied",
        (
            f"  name <- {COPIED} name transformation",
            f"  name <- {SOURCE} name transformation",
            f"  price <- {SOURCE} price identity",
        ),
    ),
    Fault(
        "K: INTERSECT and EXCEPT have the right side's columns as more output",
        "set_operations",
        (f"  customer <- {ORDERS} customer identity",),
        never=("  name <- ",),
    ),
    Fault(
        "K: the right side of LATERAL is not visited",
        "lateral_subquery",
        (f"  country <- {CUSTOMERS} country identity",),
    ),
    Fault("K, O: mapInPandas has columns of nothing", "map_in_pandas", (f"  who <- {ORDERS} customer transformation",)),
    Fault("K: a table used in a CTE only may be optimized away", "ctas_of_a_cte", (f"  i <- {ORDERS} id identity",)),
    Fault(
        "K: JDBC writes have no output",
        "jdbc_write",
        (f"rdbms:derby://:/memory:shop/sales <= {ORDERS}", f"  name <- {ORDERS} customer identity"),
    ),
    Fault(
        "K: Kafka writes have no output",
        "topic_written",
        ("topic:broker-of-the-case:9092/cases.one <= path:file:{work}/in",),
    ),
    Fault("K: MERGE's conditions are not recorded", "v2_merge_marked", (f"  (rows) <- {MARKED} pk join",)),
    Fault("S: a table read in a subquery is no input", "scalar_subquery", (f"  share <- {FILES} amount aggregation",)),
    Fault("S: columns of a CTE end at its reference", "cte_used_twice", (f"  total <- {ORDERS} amount aggregation",)),
    Fault("S: row-level commands of V2 tables fail", "v2_update_marked", (f"{MARKED} <= {MARKED}",)),
    Fault("O: a recursive CTE is not followed", "cte_recursive", (f"  n <- {ORDERS} id transformation",)),
    Fault("O: ROLLUP loses its grouping columns", "rollup", (f"  customer <- {ORDERS} customer identity",)),
    Fault(
        "O: CUBE with distincts loses the aggregated columns",
        "cube_and_distincts",
        (f"  d <- {ORDERS} amount aggregation",),
    ),
    Fault("O: UNPIVOT loses its values", "unpivot", (f"  v <- {ORDERS} customer identity",)),
    Fault("O: a Python UDF's column is missing", "python_udf", (f"  pair <- {ORDERS} customer transformation",)),
    Fault("O: a pandas UDF's column is missing", "pandas_udfs", (f"  m <- {ORDERS} amount aggregation",)),
    Fault("O: applyInPandas has columns of nothing", "apply_in_pandas", (f"  a <- {ORDERS} amount transformation",)),
    Fault("O: cogroup has columns of nothing", "cogroup_in_pandas", (f"  id <- {CUSTOMERS} name transformation",)),
    Fault("O: Dataset.map has columns of nothing", "typed_map", (f"  who <- {ORDERS} customer transformation",)),
    Fault("O: a column of literals is absent", "columns_without_sources", ("  d <- -",)),
    Fault("O: cached data loses qualified names", "cached", (f"  who <- {ORDERS} customer transformation",)),
    Fault(
        "O: every file of a list is a dataset",
        "dated_directories",
        (f"{OUT}/daily <= path:file:{{work}}/in/daily",),
    ),
    Fault(
        "O: a view is not reported in addition to its tables",
        "view_read",
        ("  who <- table:spark_catalog.cases.bigger_orders who identity", f"  who <- {ORDERS} customer identity"),
    ),
    Fault("O: CREATE VIEW has no lineage", "view_created", (f"  total <- {ORDERS} amount aggregation",)),
    Fault("O: a temporary view's file is not found", "temp_view", (f"{OUT}/temp_view <= {FILES}",)),
    Fault(
        "O: a field's struct is not found",
        "nested_fields",
        ("  a <- table:spark_catalog.cases.nested s transformation",),
    ),
    Fault(
        "O: MERGE's clauses for rows the source lacks are ignored",
        "v2_merge_copied",
        (f"  (rows) <- {SOURCE} note filter",),
    ),
    Fault(
        "O: UPDATE of a row-level table has no columns",
        "v2_update_copied",
        (f"  price <- {COPIED} price transformation",),
    ),
    Fault("O: DELETE does not say by what", "v2_delete_marked", (f"  (rows) <- {MARKED} name filter",)),
)


def _batches(case: str) -> list[Path]:
    return [found for folder in ("batches", "kafka") for found in sorted((FIXTURES / folder).glob(f"*/{case}.txt"))]


@every_row("fault", FAULTS)
def test_fault_of_another_listener_does_not_occur(fault: Fault) -> None:
    batches = _batches(fault.case)
    assert batches
    for batch in batches:
        text = batch.read_text("utf-8")
        meant = Capture.outcomes_of(text) if fault.case in CHANGING else Capture.processes_of(text)
        lines = lineage_lines(meant, WORK)
        for line in fault.expected:
            assert line in lines, (batch, lines)
        assert not [line for line in lines for part in fault.never if part in line], batch


@pytest.mark.parametrize("case", ["command_read_again", "command_collected", "ctas", "save_as_table"])
def test_fault_k_one_action_is_reported_several_times(case: str) -> None:
    for batch in _batches(case):
        outputs = [o.key for p in Capture.processes_of(batch.read_text("utf-8")) for o in p.outputs]
        assert len(outputs) == len(set(outputs)) == 1, batch


def test_fault_k_node_of_another_plugin_around_a_view_loses_the_lineage() -> None:
    """Wrap a view in a node of an undeclared class: tables and columns pass, and the node is counted."""
    text = _batches("copy_parquet")[0].read_text("utf-8")
    (command,) = _commands(text)
    wrapped = UnknownPlan(
        class_name="org.example.authz.PermanentViewMarker",
        children=(command.query,),
        subqueries=(),
        expressions=(),
        output=(),
    )
    found = extract(dataclasses.replace(command, query=wrapped), Run(execution_id=1), APPLICATION)
    (process,) = found.processes
    assert [d.key for d in process.inputs] == ["path:file:/work-of-the-case/in/orders_parquet"]
    assert [c.column for c in process.columns if c.sources] == ["id", "customer"]
    assert found.counts == {"node not understood: PermanentViewMarker": 1}


def test_fault_k_names_are_split_at_their_dots() -> None:
    source, target = table("ord.ers", "net.amount", "net"), table("to.tals", "net.amount", "net")
    sent = entities(messages_for(copy(source, target)))
    columns = {name(each) for each in sent if each["typeName"] == "spark_column"}
    assert columns == {
        f"sales.`{of}`.{column}@prod" for of in ("ord.ers", "to.tals") for column in ("`net.amount`", "net")
    }


def _commands(text: str) -> list[InsertIntoHadoopFsRelationCommand]:
    events = (line.event for line in wire.read(text) if isinstance(line, wire.Projected))
    plans = (q.analyzed for e in events if (q := getattr(e, "query_execution", None)))
    return [plan for plan in plans if isinstance(plan, InsertIntoHadoopFsRelationCommand)]
