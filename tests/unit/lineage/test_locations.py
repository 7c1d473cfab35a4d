"""Paths that are a table's location are the table; all other paths are not."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.catalog.catalog import Catalog
from sac_kafka.model import (
    Column,
    ColumnLineage,
    ColumnSource,
    Database,
    Dataset,
    Dependency,
    PathDataset,
    Process,
    Run,
    TableDataset,
)
from sac_kafka.plan.catalog import TableIdentifier
from sac_kafka.plan.commands_without_write import AddPartitionsCommand, DropPartitionsCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.v2_definitions import AddPartitions, DropPartitions
from sac_kafka.plan.v2_tables import Identifier
from sac_kafka.stages.process_stages import pass_stages_of_datasets
from sac_kafka.stages.tables import Tables
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import stage_state


def table(name: str, location: str | None, table_type: str = "MANAGED") -> TableDataset:
    columns = (Column(name="id"), Column(name="Name"))
    return TableDataset(database="d", name=name, location=location, table_type=table_type, columns=columns)


def known(*tables: TableDataset) -> Tables:
    locations = Tables()
    for each in tables:
        locations.learn(each)
    return locations


def path(*locations: str) -> PathDataset:
    return PathDataset(path=locations[0], format="parquet", locations=locations)


@pytest.mark.parametrize(
    ("locations", "found"),
    [
        (["file:/w/b"], "b"),
        (["file:/w/b/"], "b"),
        (["file:///w/b"], "b"),
        (["/w/b"], "b"),
        (["file:/w/b/day=mon"], "b"),
        (["file:/w/b/day=mon/hour=1"], "b"),
        (["file:/w/b/day=mon", "file:/w/b/day=tue"], "b"),
        (["file:/w/b/part-00000.parquet"], "b"),
        (["file:/w/bc"], None),
        (["file:/w/b/c"], None),
        (["file:/w"], None),
        (["hdfs://nn/w/b"], None),
        (["file:/w/b", "file:/elsewhere"], None),
        (["file:/w/b", "file:/w/c"], None),
        (["file:/w/view"], None),
        (["file:/w/two"], "other"),
        (["hdfs://nn1/w/h", "HDFS://NN1/w/h/day=mon"], "host"),
        (["hdfs://nn2/w/h"], None),
        (["abfss://raw@lake.dfs.core.windows.net/p", "abfs://raw@Lake.dfs.core.windows.net:80/p"], "port"),
        (["abfss://raw@lake.dfs.core.windows.net:8443/p"], None),
        (["abfss://raw@lake.dfs.core.windows.net/P"], None),
    ],
)
def test_the_table_of_a_path(locations: list[str], found: str | None) -> None:
    tables = known(
        table("b", "file:/w/b"),
        table("c", "file:/w/c"),
        table("v", "file:/w/view", "VIEW"),
        table("host", "hdfs://Nn1/w/h"),
        table("port", "abfss://raw@lake.dfs.core.windows.net:443/p"),
        table("one", "file:/w/two"),
        table("other", "file:/w/two"),
    )
    of = tables.table_of(path(*locations))
    assert (of.name if of else None) == found


def test_dropped_or_moved_table_is_not_at_its_old_location() -> None:
    tables = known(table("b", "file:/w/b"), table("c", "file:/w/c"))
    tables.forget(table("b", None).key)
    tables.learn(table("c", "file:/moved"))
    assert tables.table_of(path("file:/w/b")) is tables.table_of(path("file:/w/c")) is None
    assert tables.table_of(path("file:/moved")) is not None
    tables.forget_database(Database(name="d"))
    assert tables.table_of(path("file:/moved")) is None


def test_last_defined_table_of_a_location_counts() -> None:
    one, other = table("one", "file:/w/two"), table("other", "file:/w/two")
    tables = known(one, other)
    tables.learn(one)  # as altered
    assert tables.table_of(path("file:/w/two")) is other
    tables.forget(other.key)
    assert tables.table_of(path("file:/w/two")) is one
    tables.learn(other)
    assert tables.table_of(path("file:/w/two")) is other


@pytest.mark.parametrize("location", ["file:/elsewhere/x", "/elsewhere/x/part-00000.parquet", "file:/w/b/own/k=1"])
def test_partition_with_a_separate_location_is_the_table(location: str) -> None:
    b = table("b", "file:/w/b")
    tables = known(b)
    assert tables.table_of(path(location)) is None
    tables.add_partitions(b.key, ["/elsewhere/x", "own"])
    assert tables.table_of(path(location)) is b
    tables.learn(b)  # as altered
    assert tables.table_of(path(location)) is b
    assert tables.table_of(path("file:/elsewhere")) is tables.table_of(path("file:/elsewhere/x/y")) is None
    tables.forget_partitions(b.key)
    assert tables.table_of(path(location)) is None
    tables.add_partitions(b.key, ["/elsewhere/x", "own"])
    tables.forget(b.key)
    assert tables.table_of(path(location)) is None


_V1 = TableIdentifier(table="b", database="d", catalog="spark_catalog")
_V2 = {"catalog": "spark_catalog", "identifier": Identifier(namespace=("d",), name="b")}


@pytest.mark.parametrize(
    ("added", "dropped"),
    [
        (
            AddPartitionsCommand(table=_V1, locations=("file:/elsewhere",)),
            DropPartitionsCommand(table=_V1),
        ),
        (AddPartitions(**_V2, locations=("file:/elsewhere",)), DropPartitions(**_V2)),
    ],
)
def test_command_has_the_location_of_a_partition(added: LogicalPlan, dropped: LogicalPlan) -> None:
    state = stage_state()
    catalog = Catalog(state.known)

    def seen() -> str:
        process = _process((path("file:/elsewhere"),), "path:file:/elsewhere", "x")
        return pass_stages_of_datasets(process, state).inputs[0].key

    pass_stages_of_datasets(_process((table("b", "file:/w/b"),), "table:spark_catalog.d.b", "x"), state)
    assert seen() == "path:file:/elsewhere"
    list(catalog.changes_within((added,), frozenset()))
    assert seen() == "table:spark_catalog.d.b"
    list(catalog.changes_within((dropped,), frozenset()))
    assert seen() == "path:file:/elsewhere"


def _process(inputs: tuple[Dataset, ...], source: str, column: str) -> Process:
    return Process(
        application=APPLICATION,
        run=Run(execution_id=1),
        inputs=inputs,
        outputs=(path("file:/out"),),
        columns=(
            ColumnLineage(
                dataset="path:file:/out", column="x", sources=(ColumnSource(source, column, Dependency.IDENTITY),)
            ),
        ),
        row_level=(ColumnSource(source, column, Dependency.FILTER),),
    )


def test_column_lineage_speaks_of_the_table_in_its_spelling() -> None:
    b = table("b", "file:/w/b")
    renamed = known(b).substitute_paths(_process((path("file:/w/b"),), "path:file:/w/b", "NAME"))
    assert renamed.inputs == (b,)
    assert renamed.columns[0].sources == (ColumnSource(b.key, "Name", Dependency.IDENTITY),)
    assert renamed.row_level == (ColumnSource(b.key, "Name", Dependency.FILTER),)


def test_a_table_read_by_name_and_by_path_is_one_input() -> None:
    b = table("b", "file:/w/b")
    renamed = known(b).substitute_paths(_process((path("file:/w/b"), b), "path:file:/w/b", "id"))
    assert [d.key for d in renamed.inputs] == [b.key]


def test_other_path_is_unchanged() -> None:
    process = _process((path("file:/in"),), "path:file:/in", "a")
    assert known(table("b", "file:/w/b")).substitute_paths(process) is process


@pytest.mark.parametrize("is_shown_first", [True, False])
def test_a_definition_that_states_no_location_erases_none(is_shown_first: bool) -> None:
    shown = known(table("t", "file:/w/t"))
    if is_shown_first:
        shown.learn(table("t", None))
    else:
        shown = known(table("t", None))
        shown.add_seen(table("t", "file:/w/t"))
    assert shown.table_of(path("file:/w/t")) == table("t", "file:/w/t")
