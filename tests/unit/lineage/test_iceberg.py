"""Names of Iceberg tables for every snapshot, and row-level commands, which mean the same in both modes."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from sac_kafka.lineage.catalog.v2_changes import V2Changes
from sac_kafka.lineage.datasets.systems import iceberg  # noqa: F401 it registers Iceberg's tables
from sac_kafka.lineage.datasets.v2_tables import v2_reading
from sac_kafka.lineage.datasets.views import definition_of
from sac_kafka.lineage.extract import extract_copy
from sac_kafka.lineage.flow import QueryFlow, TraversalOptions
from sac_kafka.model import Column, Run, TableDataset, TableRenamed
from sac_kafka.model.gaps import COLUMNS_OF_FILES, gaps
from sac_kafka.plan.expressions import Alias, Attribute, AttributeReference, Cast, UnknownExpression
from sac_kafka.plan.operators import Project, SubqueryAlias
from sac_kafka.plan.systems.iceberg import IcebergTable, PathIdentifier, ProcedureCall
from sac_kafka.plan.v2_definitions import RenameTable
from sac_kafka.plan.v2_tables import AsOfVersion, DataSourceV2Relation, Identifier, V2Column
from sac_kafka.stages.tables import Tables
from tests.cases.expected import FOLDER as EXPECTED
from tests.cases.expected import sections
from tests.helpers.live_runs import APPLICATION
from tests.live.sources.iceberg_cases import MODES

SHOWN = (Column(name="k"), Column(name="_pos"))


def relation(identifier: Identifier, name: str = "ic.db.t", **given: object) -> DataSourceV2Relation:
    table = IcebergTable(
        table_class="org.apache.iceberg.spark.source.SparkTable",
        name=name,
        columns=(V2Column(name="k", type="string", nullable=True, comment=None),),
        partitioning=(),
        properties={"location": "s3://lake/db/t", "provider": "iceberg"},
        origin=None,
        snapshot_id=given.get("snapshot_id"),
        branch=given.get("branch"),
        version=given.get("version"),
    )
    return DataSourceV2Relation(
        table=table,
        catalog="ic",
        identifier=identifier,
        options=given.get("options"),
        output=(),
        time_travel=given.get("time_travel"),
    )


def name(*parts: str) -> Identifier:
    return Identifier(namespace=parts[:-1], name=parts[-1])


def path(location: str) -> Identifier:
    return PathIdentifier(namespace=(), name="t", location=location)


@pytest.mark.parametrize(
    ("of", "key", "version"),
    [
        (relation(name("db", "t")), "table:ic.db.t", None),
        (relation(name("db", "t"), branch="main"), "table:ic.db.t", None),
        (relation(name("db", "t"), branch="audit"), "table:ic.db.t", "branch audit"),
        (relation(name("db", "t"), snapshot_id=7), "table:ic.db.t", "snapshot 7"),
        (relation(name("db", "t"), snapshot_id=7, version="branch_null_snapshot_7"), "table:ic.db.t", None),
        (
            relation(name("db", "t"), snapshot_id=7, version="x", time_travel=AsOfVersion(version="old")),
            "table:ic.db.t",
            "snapshot 7",
        ),
        (relation(name("db", "t", "branch_audit"), branch="audit"), "table:ic.db.t", "branch audit"),
        (relation(name("db", "t", "tag_old"), snapshot_id=7), "table:ic.db.t", "tag old"),
        (relation(name("db", "t", "snapshot_id_7"), snapshot_id=7), "table:ic.db.t", "snapshot 7"),
        (relation(name("db", "t", "at_timestamp_9"), snapshot_id=7), "table:ic.db.t", "timestamp 9"),
        (relation(name("db", "branch_office"), "ic.db.branch_office"), "table:ic.db.branch_office", None),
        (relation(name("branch_office"), "ic.branch_office"), "table:ic.default.branch_office", None),
        (relation(path("s3://lake/db/t")), "path:s3://lake/db/t", None),
        (relation(path("s3://lake/db/t/#branch_audit")), "path:s3://lake/db/t", "branch audit"),
        (
            relation(name("db", "t"), options={"start-snapshot-id": "1", "end-snapshot-id": "2"}),
            "table:ic.db.t",
            "changes from snapshot 1 to 2",
        ),
    ],
)
def test_snapshot_of_a_table_is_no_part_of_its_name(of: DataSourceV2Relation, key: str, version: str | None) -> None:
    found = v2_reading(of, (), ())
    assert found is not None and found.only is not None
    assert (found.only.key, found.version) == (key, version)


def test_metadata_columns_of_iceberg_are_no_columns_of_the_table() -> None:
    found = v2_reading(relation(name("db", "t")), SHOWN, ())
    assert found is not None and found.only is not None and found.columns is not None
    assert list(found.columns) == ["k"]
    assert [c.name for c in found.only.columns] == ["k"]


def test_row_level_command_means_the_same_for_copy_on_write_and_merge_on_read() -> None:
    cases = sections(EXPECTED / "iceberg_cases.txt").values()
    both = [lines for lines in cases if lines and any(mode in lines[0].partition(" <=")[0] for mode in MODES)]
    assert len(both) > 15
    for lines in both:
        flows: dict[str, list[str]] = {mode: [] for mode in MODES}
        mode = ""
        for line in lines:
            mode = next((m for m in MODES if f"_{m} <=" in line or f".{m} <=" in line), mode)
            flows[mode].append(line.replace(mode, ""))
        marked, copied = (sorted(flows[m]) for m in MODES)
        assert marked == copied


def view(*names: str, is_written: bool = False) -> SubqueryAlias:
    """Return the plan of `select upper(k) c from ic.db.t` as a view of that name."""
    table = dataclasses.replace(
        relation(name("db", "t")), output=(Attribute(expr_id=1, name="k", type="string", nullable=True),)
    )
    k = AttributeReference(expr_id=1)
    upper = UnknownExpression(class_name="Upper", children=(k,), name="upper", formats=None)
    query = Project(children=(table,), project_list=(Alias(children=(upper,), name="c", expr_id=2),))
    c = AttributeReference(expr_id=2)
    cast = Cast(children=(c,), type="string", is_written=is_written)
    named = Project(children=(query,), project_list=(Alias(children=(cast,), name="c", expr_id=3),))
    *qualifier, alias = names
    return SubqueryAlias(children=(named,), alias=alias, qualifier=tuple(qualifier))


@pytest.mark.parametrize(
    ("read", "key"),
    [
        (view("ic", "db", "v"), "table:ic.db.v"),
        (view("v"), "table:ic.db.t"),
        (view("ic", "db", "v", is_written=True), "table:ic.db.t"),
    ],
)
def test_a_view_is_read_as_itself_where_the_statement_names_its_catalog(read: SubqueryAlias, key: str) -> None:
    flow = QueryFlow(TraversalOptions(), Counter())
    flow.follow(read)
    assert [d.key for d in flow.inputs] == [key]


def test_definition_of_a_view_is_its_query() -> None:
    write = definition_of(view("ic", "db", "v"))
    assert (write.dataset.key, write.is_view) == ("table:ic.db.v", True)
    assert [(a.name, a.expr_id) for a in write.output] == [("c", 2)]


@pytest.mark.parametrize("new", [("second",), ("db", "second"), ("ic", "db", "second")])
def test_a_view_that_is_renamed_keeps_its_columns(new: tuple[str, ...]) -> None:
    tables = Tables()
    tables.learn(
        TableDataset(catalog="ic", database="db", name="first", columns=(Column(name="c"),), table_type="VIEW")
    )
    command = RenameTable(is_command=True, catalog="ic", identifier=name("db", "first"), new_name=new, is_view=True)
    changes, _ = V2Changes(tables).apply(command, (), has_written=False)
    (renamed,) = changes
    assert isinstance(renamed, TableRenamed)
    assert (renamed.old.key, renamed.new.key) == ("table:ic.db.first", "table:ic.db.second")
    assert renamed.new.is_view
    assert [c.name for c in renamed.new.columns] == ["c"]


@pytest.mark.parametrize(
    ("procedure", "source", "expected"),
    [
        ("snapshot", ("spark_catalog", "default", "old"), ("table:spark_catalog.default.old", True)),
        ("add_files", ("other", "a", "b", "old"), ("table:other.a.b.old", False)),
        ("add_files", ("parquet", "hdfs://nn1/loose"), ("path:hdfs://nn1/loose", False)),
    ],
)
def test_a_procedure_that_takes_files_over_is_a_flow(
    procedure: str, source: tuple[str, ...], expected: tuple[str, bool]
) -> None:
    call = ProcedureCall(procedure=procedure, source=source, table=("ic", "db", "taken"))
    (process,) = extract_copy(call, Run(execution_id=1), APPLICATION, TraversalOptions()).processes
    assert [each.key for each in process.outputs] == ["table:ic.db.taken"]
    assert ([each.key for each in process.inputs], process.extent.is_replaced) == ([expected[0]], expected[1])
    assert gaps(process) == (COLUMNS_OF_FILES,)
