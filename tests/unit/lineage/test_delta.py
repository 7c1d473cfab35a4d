"""Commands of Delta Lake in Databricks' own packages. What they mean is recorded (`delta_rows_cases.txt`)."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.datasets.leaves import relation_reading
from sac_kafka.plan.commands_without_write import CommandWithoutWrite
from sac_kafka.plan.relations import HadoopFsRelation
from sac_kafka.plan.specification import DECLARED
from sac_kafka.plan.systems.delta import (
    CreateDeltaTableCommand,
    DeltaChangesRelation,
    DeltaDeleteCommand,
    DeltaMergeIntoCommand,
    DeltaUpdateCommand,
    TahoeFileIndex,
    TahoeLogFileIndex,
)
from tests.helpers.live_runs import Capture
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


def test_files_of_a_delta_table_are_no_parquet() -> None:
    files = HadoopFsRelation(root_paths=("file:/t",), file_format="parquet", index=TahoeFileIndex(path="file:/t"))
    read = relation_reading(files, (), ())
    assert read is not None and [getattr(d, "format", None) for d in read.datasets] == ["delta"]


@pytest.mark.parametrize(
    "batch", [pytest.param(b["create_table_over_a_path"], id=v) for v, b in DELTA.recordings().items()]
)
def test_a_table_that_the_catalog_has_no_columns_of_has_those_that_a_plan_shows(batch: str) -> None:
    (process,) = Capture.processes_of(batch)
    (table,) = process.outputs
    assert [c.name for c in table.columns] == ["id"]
