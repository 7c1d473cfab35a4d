"""Path aliases apply wherever a process names the path."""

from __future__ import annotations

import dataclasses

import pytest

from sac_kafka.model import (
    READ_BEFORE,
    ColumnLineage,
    ColumnSource,
    Dependency,
    DriverRead,
    PathDataset,
    Process,
    Run,
    TableDataset,
)
from sac_kafka.model.gaps import gaps
from sac_kafka.names.aliases import Aliases
from sac_kafka.settings.names import ALIASES
from sac_kafka.stages.catalog_names import with_catalog_names
from sac_kafka.stages.filters.outcomes import FilterCounts, Rules
from sac_kafka.stages.process_stages import pass_stages_of_datasets
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import stage_state
from tests.helpers.work import assert_linear, steps
from tests.unit.lineage.filters.datasets import selection

PAIRS = (
    ("dbfs:/mnt/raw", "abfss://raw@acc.dfs.core.windows.net"),
    ("dbfs:/mnt/raw/sub", "s3a://other/sub"),
    ("s3://", "s3a://"),
    ("hdfs://nn1:8020", "hdfs://lake"),
    ("s3a://loop", "s3://loop"),
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("dbfs:/mnt/raw", "abfss://raw@acc.dfs.core.windows.net"),
        ("dbfs:/mnt/raw/orders/x", "abfss://raw@acc.dfs.core.windows.net/orders/x"),
        ("dbfs:/mnt/rawer", "dbfs:/mnt/rawer"),
        ("dbfs:/mnt/raw/sub/x", "s3a://other/sub/x"),
        ("dbfs:/mnt/raw/subway", "abfss://raw@acc.dfs.core.windows.net/subway"),
        ("s3://b/x", "s3a://b/x"),
        ("s3a://b/x", "s3a://b/x"),
        ("hdfs://nn1:8020/data", "hdfs://lake/data"),
        ("hdfs://nn1:80201/data", "hdfs://nn1:80201/data"),
        ("s3a://loop/x", "s3://loop/x"),
        ("", ""),
    ],
)
def test_the_name_of_a_path(path: str, expected: str) -> None:
    assert Aliases(PAIRS).resolve(path) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("dbfs:/mnt/raw", "pairs FROM=TO"),
        ("/mnt/raw=s3a://raw", "pairs FROM=TO"),
        ("dbfs:/a=s3a://x,dbfs:/a/=s3a://y", "to two paths"),
        ("s3://=s3a://b", "both sides"),
        ("dbfs:/a=s3a://AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMIbPxRfiCYEXAMPLEKEY@b", "secret"),
    ],
)
def test_reports_an_invalid_alias(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as raised:
        ALIASES.read(text)
    assert "wJalr" not in str(raised.value)


def process(read: str, written: str) -> Process:
    source, target = (PathDataset(path=p, format="parquet", locations=(f"{p}/day=1",)) for p in (read, written))
    column = ColumnLineage(
        dataset=target.key, column="id", expression="id", sources=(ColumnSource(source.key, "id", Dependency.IDENTITY),)
    )
    return Process(
        inputs=(source,), outputs=(target,), application=APPLICATION, run=Run(execution_id=1), columns=(column,)
    )


def test_a_process_and_its_columns() -> None:
    known = pass_stages_of_datasets(process("s3://b/in", "dbfs:/mnt/raw/out"), stage_state(PAIRS))
    (read,), (written,) = known.inputs, known.outputs
    assert isinstance(read, PathDataset)
    assert (read.key, read.locations) == ("path:s3a://b/in", ("s3a://b/in/day=1",))
    assert written.key == "path:abfss://raw@acc.dfs.core.windows.net/out"
    assert (known.columns[0].dataset, known.columns[0].sources[0].dataset) == (written.key, read.key)


def test_deciding_dataset_has_its_alias() -> None:
    by_path = process("file:/in", "file:/out")
    by_path = dataclasses.replace(by_path, decided_by=(PathDataset(path="s3://b/t", format="parquet"),))
    state = stage_state(PAIRS)
    assert [d.key for d in pass_stages_of_datasets(by_path, state).decided_by] == ["path:s3a://b/t"]
    table = TableDataset(database="d", name="t", location="s3n://b/t")
    pass_stages_of_datasets(
        Process(inputs=(), outputs=(table,), application=APPLICATION, run=Run(execution_id=0)), state
    )
    known = pass_stages_of_datasets(by_path, state)
    assert [d.key for d in known.decided_by] == [table.key]
    (named,) = with_catalog_names(known, {"spark_catalog": "prod"}).decided_by
    assert named.key == "table:prod.d.t"


def test_dataset_in_question_has_its_current_name() -> None:
    by_path = process("file:/in", "file:/out")
    reads = (DriverRead(PathDataset(path=p, format="parquet"), READ_BEFORE) for p in ("s3://b/t", "s3://b/u"))
    by_path = dataclasses.replace(by_path, through_driver=tuple(reads))
    state, table = stage_state(PAIRS), TableDataset(database="d", name="t", location="s3n://b/t")
    pass_stages_of_datasets(
        Process(inputs=(), outputs=(table,), application=APPLICATION, run=Run(execution_id=0)), state
    )
    known = pass_stages_of_datasets(by_path, state)
    assert [d.key for d in known.in_question] == ["path:s3a://b/u", table.key]
    named = with_catalog_names(known, {"spark_catalog": "prod"})
    assert [d.key for d in named.in_question] == ["path:s3a://b/u", "table:prod.d.t"]
    left = Rules(selection("table:prod.d.t"), FilterCounts()).select(named)
    assert left is not None
    assert gaps(left) == ("inputs may be missing: rows of the driver (s3a://b/u was read just before)",)


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("dbfs:/mnt/raw/t", "abfss://raw@acc.dfs.core.windows.net/t"),
        ("abfss://raw@acc.dfs.core.windows.net/t", "dbfs:/mnt/raw/t"),
        ("s3://b/t", "s3n://b/t"),
        ("wasb://c@a/t", "wasbs://c@a/t"),
        ("/w/t/", "file:///w/t"),
    ],
)
def test_table_is_found_by_any_name_of_its_location(location: str, path: str) -> None:
    state = stage_state(PAIRS)
    table = TableDataset(database="d", name="t", location=location)
    pass_stages_of_datasets(
        Process(inputs=(), outputs=(table,), application=APPLICATION, run=Run(execution_id=0)), state
    )
    (found,) = pass_stages_of_datasets(process(path, "file:/out"), state).inputs
    assert found.key == table.key


def test_long_paths_with_many_aliases_take_linear_time() -> None:
    few, many = (Aliases(tuple((f"dbfs:/{n}", f"s3a://{n}") for n in range(count))) for count in (10, 1_000))

    def path(segments: int) -> str:
        return "dbfs:/x" + "/d" * segments

    assert steps(lambda: many.resolve(path(100))) == steps(lambda: few.resolve(path(100)))
    assert_linear(lambda segments: lambda: many.resolve(path(segments)), 100)
