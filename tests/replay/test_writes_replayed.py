"""Facts of recorded writes other than datasets and columns: overwrites, and numbers of rows."""

from __future__ import annotations

import pytest

from sac_kafka.model import PathDataset, Process
from tests.cases.batches import BATCHES, owed
from tests.helpers.every_row import every_row
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions

VERSIONS = owed()


def processes(version: str, name: str) -> list[Process]:
    return Capture.processes_of((BATCHES / version / f"{name}.txt").read_text("utf-8"))


@every_row("version", VERSIONS)
@every_row(
    ("name", "expected"),
    [
        ("insert_into", [False]),
        ("insert_overwrite", [True]),
        ("insert_static_partition", [False]),
        ("insert_mixed_partitions", [False]),
        ("insert_dynamic_overwrite", [False]),
        ("dynamic_overwrite_of_a_path", [False]),
        ("insert_into_api_overwrite", [True]),
        ("modes_of_a_path", [True, False, True]),
        ("dated_directories", [False]),
        ("save_as_table_modes", [True, False, True]),
        ("save_as_table_by_name", [False]),
        ("ctas_if_not_exists", [True]),
        ("overwrite_directory", [True]),
        ("jdbc_write", [True]),
        ("jdbc_table_created", [True, True]),
    ],
)
def test_overwrites_replace_their_output(version: str, name: str, expected: list[bool]) -> None:
    assert [p.replaces_output for p in processes(version, name)] == expected


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("insert_values", [2]),
        ("insert_if_not_exists", [3]),
        ("save_as_table_modes", [3, 3, 3]),
        ("multi_insert_with_partitions", [1, 2]),
        ("empty_write_that_ignores", [0]),
        ("overwrite_directory_with_options", [2, 3]),
    ],
)
def test_rows_that_are_counted(version: str, name: str, expected: list[int]) -> None:
    assert [p.run.rows_written for p in processes(version, name)] == expected


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "name", ["insert_if_not_exists", "modes_of_a_path", "ctas_if_not_exists", "view_if_not_exists"]
)
def test_a_write_skipped_for_an_existing_output_is_counted(version: str, name: str) -> None:
    actions = Actions(APPLICATION)
    Capture.outcomes_of((BATCHES / version / f"{name}.txt").read_text("utf-8"), actions)
    assert actions.counts["nothing written: the target already existed"] == 1


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("write_into_nothing", {"executions": 2, "executions without output": 2}),
        ("v2_nothing_is_kept", {"executions": 1, "executions without output": 1}),
        (
            "stream_into_nothing",
            {
                "executions": 2,
                "micro-batches": 1,
                "stream into no dataset: noop": 1,
                "streaming query ended before a batch showed what it writes": 1,
            },
        ),
    ],
)
def test_writes_without_a_stored_dataset_are_understood(version: str, name: str, expected: dict[str, int]) -> None:
    actions = Actions(APPLICATION)
    Capture.outcomes_of((BATCHES / version / f"{name}.txt").read_text("utf-8"), actions)
    assert actions.counts == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_statements_are_those_of_the_user(version: str) -> None:
    (process,) = processes(version, "ctas_of_a_cte")
    assert process.run.query_text is not None
    assert process.run.query_text.startswith("create table ctas_cte")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_directory_has_the_format_of_its_rows(version: str) -> None:
    outputs = [p.outputs[0] for p in processes(version, "overwrite_directory_with_options")]
    assert [o.format for o in outputs if isinstance(o, PathDataset)] == ["parquet", "csv"]
