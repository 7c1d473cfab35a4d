"""Commands of Delta Lake and of Databricks' own packages, as hand-made plans."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from sac_kafka.lineage.extract import extract
from sac_kafka.model import Process, Run
from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.expressions import Attribute, AttributeReference, Expression, Literal, UnknownExpression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRelation
from sac_kafka.plan.specification import DECLARED
from sac_kafka.plan.systems.delta import (
    CreateDeltaTableCommand,
    DeltaChangesRelation,
    DeltaDeleteCommand,
    DeltaMergeAction,
    DeltaMergeIntoClause,
    DeltaMergeIntoCommand,
    DeltaUpdateCommand,
    TahoeFileIndex,
    TahoeLogFileIndex,
)
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import APPLICATION, Capture
from tests.live.sources.delta_cases import DELTA

DATABRICKS = "com.databricks.sql.transaction.tahoe"
OPEN = "org.apache.spark.sql.delta"


@pytest.mark.parametrize("package", [OPEN, DATABRICKS])
@pytest.mark.parametrize(
    ("name", "copy"),
    [
        ("commands.MergeIntoCommand", DeltaMergeIntoCommand),
        ("commands.MergeIntoCommandEdge", DeltaMergeIntoCommand),
        ("commands.UpdateCommand", DeltaUpdateCommand),
        ("commands.UpdateCommandEdge", DeltaUpdateCommand),
        ("commands.DeleteCommand", DeltaDeleteCommand),
        ("commands.DeleteCommandEdge", DeltaDeleteCommand),
        ("commands.CreateDeltaTableCommand", CreateDeltaTableCommand),
        ("commands.cdc.CDCReader$DeltaCDFRelation", DeltaChangesRelation),
        ("files.TahoeFileIndex", TahoeFileIndex),
        ("files.TahoeLogFileIndex", TahoeLogFileIndex),
    ],
)
def test_commands_of_delta_in_packages_of_databricks(package: str, name: str, copy: type) -> None:
    assert DECLARED.get(f"{package}.{name}") is copy


@pytest.mark.parametrize("package", [OPEN, DATABRICKS])
@pytest.mark.parametrize("name", ["OptimizeTableCommand", "RestoreTableCommand", "ConvertToDeltaCommand"])
def test_commands_that_look_after_a_table_write_no_rows(package: str, name: str) -> None:
    copy = DECLARED.get(f"{package}.commands.{name}")
    assert copy is not None
    assert issubclass(copy, CommandWithoutWrite)


def _column(expr_id: int, name: str) -> Attribute:
    return Attribute(expr_id=expr_id, name=name, type="int", nullable=True)


def _of(expr_id: int) -> AttributeReference:
    return AttributeReference(class_name="AttributeReference", children=(), expr_id=expr_id)


def _call(name: str, *children: Expression) -> Expression:
    return UnknownExpression(class_name=name, children=children, name=name.lower())


def _table(
    path: str, first: int, *names: str, index: type[TahoeFileIndex] = TahoeFileIndex, **of: Any
) -> LogicalRelation:
    files = HadoopFsRelation(root_paths=(path,), file_format="parquet", index=index(path=path, **of))
    return LogicalRelation(
        class_name="LogicalRelation",
        children=(),
        subqueries=(),
        relation=files,
        catalog_table=None,
        output=tuple(_column(first + i, name) for i, name in enumerate(names)),
    )


def _action(name: str, value: Expression) -> DeltaMergeAction:
    return DeltaMergeAction(class_name="DeltaMergeAction", children=(value,), target=(name,), value=value)


def _clause(*actions: DeltaMergeAction, condition: Expression | None = None) -> DeltaMergeIntoClause:
    return DeltaMergeIntoClause(class_name="DeltaMergeIntoClause", children=(), condition=condition, actions=actions)


TARGET = _table("file:/t", 1, "id", "v")
SOURCE = _table("file:/s", 11, "id", "v", "w")


def _merge(**clauses: tuple[DeltaMergeIntoClause, ...]) -> DeltaMergeIntoCommand:
    return DeltaMergeIntoCommand(
        class_name=f"{DATABRICKS}.commands.MergeIntoCommandEdge",
        children=(TARGET, SOURCE),
        subqueries=(),
        is_command=True,
        target=TARGET,
        source=SOURCE,
        target_output=TARGET.output,
        condition=_call("EqualTo", _of(1), _of(11)),
        **{"matched": (), "not_matched": (), "not_matched_by_source": (), **clauses},
    )


def _processes(command: LogicalPlan) -> tuple[Process, ...]:
    found = extract(command, Run(execution_id=1), APPLICATION)
    assert not found.counts
    return found.processes


def _lines(command: LogicalPlan) -> list[str]:
    return lineage_lines(_processes(command), "/work")


def test_all_clauses_of_a_merge_count() -> None:
    merge = _merge(
        matched=(
            _clause(condition=_call("IsNull", _of(13))),
            _clause(
                _action("id", _of(1)),
                _action("v", _call("Add", _of(2), _of(12))),
                condition=_call("IsNotNull", _of(12)),
            ),
        ),
        not_matched=(_clause(_action("id", _of(11)), _action("v", Literal(class_name="Literal", children=()))),),
    )
    assert _lines(merge) == [
        "path:file:/t <= path:file:/s, path:file:/t",
        "  id <- path:file:/s id identity",
        "  id <- path:file:/t id identity",
        "  v <- path:file:/s v conditional",
        "  v <- path:file:/s v transformation",
        "  v <- path:file:/t v transformation",
        "  (rows) <- path:file:/s id join",
        "  (rows) <- path:file:/s w filter",
        "  (rows) <- path:file:/t id join",
    ]


def test_a_column_that_a_merge_adds_is_one_of_the_target() -> None:
    every = (_action("id", _of(11)), _action("W", _of(13)))
    (process,) = _processes(_merge(matched=(_clause(*every),), not_matched=(_clause(*every),)))
    assert [c.column for c in process.columns] == ["id", "W"]
    assert [s.column for c in process.columns for s in c.sources] == ["id", "w"]


def test_a_merge_that_only_deletes_gives_no_values() -> None:
    (process,) = _processes(_merge(matched=(_clause(),)))
    assert process.columns == ()
    assert [d.key for d in process.inputs] == ["path:file:/s", "path:file:/t"]


def test_an_update_has_the_values_of_all_columns_and_its_condition() -> None:
    update = DeltaUpdateCommand(
        class_name="UpdateCommand",
        children=(TARGET,),
        subqueries=(),
        is_command=True,
        target=TARGET,
        target_output=TARGET.output,
        values=(_of(1), _call("Add", _of(1), _of(2))),
        condition=_call("IsNotNull", _of(2)),
    )
    assert _lines(update) == [
        "path:file:/t <= path:file:/t",
        "  id <- path:file:/t id identity",
        "  v <- path:file:/t id transformation",
        "  v <- path:file:/t v transformation",
        "  (rows) <- path:file:/t v filter",
    ]


def _deletion(condition: Expression | None) -> DeltaDeleteCommand:
    return DeltaDeleteCommand(
        class_name="DeleteCommand",
        children=(TARGET,),
        subqueries=(),
        is_command=True,
        target=TARGET,
        condition=condition,
    )


def test_a_delete_has_its_condition() -> None:
    assert _lines(_deletion(_call("IsNull", _of(2)))) == [
        "path:file:/t <= path:file:/t",
        "  (rows) <- path:file:/t v filter",
    ]


@pytest.mark.parametrize("condition", [None, Literal(class_name="Literal", children=())])
def test_deletion_of_all_rows_has_no_flow(condition: Expression | None) -> None:
    assert _processes(_deletion(condition)) == ()


def test_version_counts_for_time_travel_only() -> None:
    for is_time_travel, versions in ((True, (("path:file:/s", "version 7"),)), (False, ())):
        source = _table(
            "file:/s", 11, "id", "v", "w", index=TahoeLogFileIndex, is_time_travel=is_time_travel, version=7
        )
        merge = dataclasses.replace(_merge(not_matched=(_clause(_action("id", _of(11))),)), source=source)
        merge = dataclasses.replace(merge, children=(TARGET, source))
        assert _processes(merge)[0].versions_read == versions


def test_files_of_a_delta_table_are_no_parquet() -> None:
    (process,) = _processes(_deletion(_call("IsNull", _of(2))))
    assert [getattr(d, "format", None) for d in process.outputs] == ["delta"]


@pytest.mark.parametrize(
    "batch", [pytest.param(b["create_table_over_a_path"], id=v) for v, b in DELTA.recordings().items()]
)
def test_a_table_that_the_catalog_has_no_columns_of_has_those_that_a_plan_shows(batch: str) -> None:
    (process,) = Capture.processes_of(batch)
    (table,) = process.outputs
    assert [c.name for c in table.columns] == ["id"]
