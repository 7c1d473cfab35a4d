"""A path that is a table's location is the table; nothing else is."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.catalog.tables import Tables
from sac_kafka.lineage.model import (
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
from tests.live import APPLICATION


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
        (["file:/w/two"], None),
    ],
)
def test_the_table_of_a_path(locations: list[str], found: str | None) -> None:
    tables = known(
        table("b", "file:/w/b"),
        table("c", "file:/w/c"),
        table("v", "file:/w/view", "VIEW"),
        table("one", "file:/w/two"),
        table("other", "file:/w/two"),
    )
    of = tables.table_of(path(*locations))
    assert (of.name if of else None) == found


def test_a_table_that_is_gone_or_has_moved_is_not_at_its_old_place() -> None:
    tables = known(table("b", "file:/w/b"), table("c", "file:/w/c"))
    tables.forget(table("b", None).key)
    tables.learn(table("c", "file:/moved"))
    assert tables.table_of(path("file:/w/b")) is tables.table_of(path("file:/w/c")) is None
    assert tables.table_of(path("file:/moved")) is not None
    tables.forget_database(Database(name="d"))
    assert tables.table_of(path("file:/moved")) is None


def test_a_place_is_clear_again_when_one_of_two_tables_goes() -> None:
    tables = known(table("one", "file:/w/two"), table("other", "file:/w/two"))
    tables.forget(table("other", None).key)
    assert tables.table_of(path("file:/w/two")) is not None


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
    renamed = known(b).renamed(_process((path("file:/w/b"),), "path:file:/w/b", "NAME"))
    assert renamed.inputs == (b,)
    assert renamed.columns[0].sources == (ColumnSource(b.key, "Name", Dependency.IDENTITY),)
    assert renamed.row_level == (ColumnSource(b.key, "Name", Dependency.FILTER),)


def test_a_table_read_by_name_and_by_path_is_one_input() -> None:
    b = table("b", "file:/w/b")
    renamed = known(b).renamed(_process((path("file:/w/b"), b), "path:file:/w/b", "id"))
    assert [d.key for d in renamed.inputs] == [b.key]


def test_a_path_that_is_no_table_stays_as_it_is() -> None:
    process = _process((path("file:/in"),), "path:file:/in", "a")
    assert known(table("b", "file:/w/b")).renamed(process) is process
