"""Catalogs under other names in applications have one name in flows, columns and changes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.model import (
    Change,
    ColumnLineage,
    ColumnRenamed,
    ColumnSource,
    Database,
    DatabaseDefined,
    DatabaseDropped,
    Dependency,
    Process,
    Run,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.settings import Settings
from sac_kafka.stages.catalog_names import change_with_catalog_names, with_catalog_names
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import APPLICATION
from tests.helpers.pipelines import Pipeline

NAMES = {"ic": "lake", "glue": "lake", "hms": "spark_catalog"}


def table(catalog: str | None, name: str = "t") -> TableDataset:
    return TableDataset(catalog=catalog, database="db", name=name)


def flow(*inputs: TableDataset, output: TableDataset) -> Process:
    sources = tuple(ColumnSource(d.key, "a", Dependency.IDENTITY) for d in inputs)
    return Process(
        application=APPLICATION,
        run=Run(execution_id=1),
        inputs=inputs,
        outputs=(output,),
        columns=(ColumnLineage(dataset=output.key, column="a", sources=sources),),
        row_level=sources,
        versions_read=tuple((d.key, "branch audit") for d in inputs),
    )


def test_two_names_of_one_warehouse_are_one_table_of_a_flow() -> None:
    found = with_catalog_names(flow(table("ic"), table("glue"), output=table("hms", "out")), NAMES)
    assert lineage_lines([found], "{work}") == [
        "table:spark_catalog.db.out <= table:lake.db.t",
        "  a <- table:lake.db.t a identity",
        "  (rows) <- table:lake.db.t a identity",
        "  (read) <- table:lake.db.t branch audit",
    ]
    assert found.columns[0].dataset == found.outputs[0].key


@pytest.mark.parametrize(
    ("outcome", "named"),
    [
        (TableDefined(table=table("ic")), TableDefined(table=table("lake"))),
        (TableDropped(table=table("hms")), TableDropped(table=table(None))),
        (ColumnRenamed(table=table("ic"), old="a", new="b"), ColumnRenamed(table=table("lake"), old="a", new="b")),
        (TableRenamed(old=table("ic"), new=table("ic", "u")), TableRenamed(old=table("lake"), new=table("lake", "u"))),
        (
            DatabaseDefined(database=Database(name="db", catalog="glue")),
            DatabaseDefined(database=Database(name="db", catalog="lake")),
        ),
        (DatabaseDropped(database=Database(name="db")), DatabaseDropped(database=Database(name="db"))),
        (TableDefined(table=table("other")), TableDefined(table=table("other"))),
    ],
)
def test_changes_belong_to_the_real_catalog(outcome: Change, named: Change) -> None:
    assert change_with_catalog_names(outcome, NAMES) == named


def test_the_session_catalog_can_have_a_name_too() -> None:
    assert change_with_catalog_names(TableDropped(table=table(None)), {"spark_catalog": "lake"}) == TableDropped(
        table=table("lake")
    )


def test_the_setting_applies_to_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Settings.read({"atlas.client.type": "memory", "atlas.hook.spark.catalog.names": "ic=lake"}, "test")
    pipeline = Pipeline(context_of(APPLICATION, read.names, read.content))
    monkeypatch.setattr(
        pipeline, "_actions", SimpleNamespace(add=lambda _: (flow(table("ic"), output=table("ic", "out")),))
    )
    line: Any = type("Line", (), {"notes": {}, "microseconds": 0, "event": None})()
    (step,) = pipeline.steps(line, 0)
    assert lineage_lines([step.outcome], "{work}")[0] == "table:lake.db.out <= table:lake.db.t"
