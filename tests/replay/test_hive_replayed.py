"""Every recorded batch over Hive tables, of every Spark version, gives the expected lineage of its case. No Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.model import PathDataset, TableDataset
from tests.cases.expected import expected
from tests.cases.hive import BATCHES, HIVE_CASES, HIVE_CHANGING, WORK
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import Capture

VERSIONS = sorted(p.name for p in BATCHES.iterdir())


def processes(version: str, name: str) -> list:
    return Capture.processes_of((BATCHES / version / f"{name}.txt").read_text("utf-8"))


@pytest.mark.parametrize(
    "batch", [pytest.param(p, id=f"{p.parent.name}-{p.stem}") for p in sorted(BATCHES.glob("*/*.txt"))]
)
def test_a_recorded_batch_has_the_lineage_of_its_case(batch: Path) -> None:
    text = batch.read_text("utf-8")
    meant = Capture.outcomes_of(text) if batch.stem in HIVE_CHANGING else Capture.processes_of(text)
    assert lineage_lines(meant, WORK) == expected(f"hive_{batch.stem}")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_case_is_recorded(version: str) -> None:
    assert {p.stem for p in (BATCHES / version).glob("*.txt")} == set(HIVE_CASES), "run: python -m tests.cases.hive"


@pytest.mark.parametrize("version", VERSIONS)
def test_overwrites_replace_their_output(version: str) -> None:
    def replaced(name: str) -> list[bool]:
        return [p.replaces_output for p in processes(version, name)]

    assert replaced("insert") == [False]
    assert replaced("insert_overwrite_of_itself") == [True]
    assert replaced("insert_static_partition") == [False]
    assert replaced("insert_dynamic_partitions") == [False]
    assert replaced("ctas") == [True, True]
    assert replaced("directory") == [True, True, True]
    assert replaced("load_data") == [False, True, False]
    assert replaced("save_as_table") == [True, False, True]


@pytest.mark.parametrize("version", VERSIONS)
def test_formats_of_directories(version: str) -> None:
    outputs = [p.outputs[0] for p in processes(version, "directory")]
    assert [o.format for o in outputs if isinstance(o, PathDataset)] == ["text", "orc", "parquet"]


@pytest.mark.parametrize("version", VERSIONS)
def test_rows_that_are_counted(version: str) -> None:
    assert [p.run.rows_written for p in processes(version, "ctas")] == [2, 2]
    assert [p.run.rows_written for p in processes(version, "insert_static_partition")] == [2]
    assert [p.run.rows_written for p in processes(version, "load_data")] == [None, None, None]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_hive_table_has_the_description_of_the_metastore(version: str) -> None:
    (process,) = processes(version, "insert_static_partition")
    (table,) = process.outputs
    assert isinstance(table, TableDataset)
    assert (table.provider, table.partition_columns) == ("hive", ("region", "day"))
    assert [c.name for c in table.columns] == ["k", "v", "region", "day"]
    assert table.serde == "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
