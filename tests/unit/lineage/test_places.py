"""Paths that an earlier application reported as a table's location are that table."""

from __future__ import annotations

import dataclasses
import json
import logging
from pathlib import Path

import pytest

from sac_kafka.hook.sent_file import SentFile
from sac_kafka.model import Column, Dataset, PathDataset, Process, Run, TableDataset
from sac_kafka.stages import table_places as places
from sac_kafka.stages.output import Position
from sac_kafka.stages.process_stages import pass_stages_of_datasets
from sac_kafka.stages.table_places import TablePlaces
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import stage_state

DAY = 86_400_000
OUT = PathDataset(path="file:/out", format="parquet", columns=(Column(name="id"),))
ORDERS = TableDataset(
    database="sales", name="orders", provider="parquet", table_type="MANAGED", location="file:/w/orders"
)


class Application:
    """Successive applications: each reads what the previous one has kept."""

    ends = 7

    def __init__(self, folder: Path, *, paths_as_tables: bool = True) -> None:
        self.file = SentFile(folder, "kafka", max_age_ms=DAY)
        self.file.load()
        places = self.file.places if paths_as_tables else None
        self.state = stage_state(places=places, paths_as_tables=paths_as_tables)

    def makes(self, *tables: TableDataset, failure: str | None = None) -> Application:
        run = Run(execution_id=1, failure=failure)
        pass_stages_of_datasets(Process(inputs=(), outputs=tables, application=APPLICATION, run=run), self.state)
        return self

    def forgets(self, table: TableDataset) -> Application:
        self.state.known.tables.forget(table.key)
        return self

    def reads(self, *locations: str) -> Dataset:
        path = PathDataset(path=locations[0], format="parquet", columns=(Column(name="id"),), locations=locations)
        process = Process(inputs=(path,), outputs=(OUT,), application=APPLICATION, run=Run(execution_id=2))
        return pass_stages_of_datasets(process, self.state).inputs[0]

    def ended(self) -> None:
        Application.ends += 1
        self.file.record_position(Position("cluster/ATLAS_HOOK/0", Application.ends, Application.ends + 1))
        self.file.save()


@pytest.mark.parametrize(
    "location",
    ["file:/w/orders", "file:///w/orders/", "/w/orders", "file:/w/orders/day=1", "file:/w/orders/part-00000.parquet"],
)
def test_next_application_reports_the_table(tmp_path: Path, location: str) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    found = Application(tmp_path).reads(location)
    assert isinstance(found, TableDataset)
    assert (found.key, found.provider, found.location) == (ORDERS.key, "parquet", "file:/w/orders")
    assert [column.name for column in found.columns] == ["id"]


def test_another_path_stays_a_path(tmp_path: Path) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    assert Application(tmp_path).reads("file:/w/orders2").key == "path:file:/w/orders2"
    assert Application(tmp_path).reads("file:/w/orders", "file:/w/orders2").key == "path:file:/w/orders"


def test_location_is_kept_over_applications_that_do_not_use_it(tmp_path: Path) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    Application(tmp_path).makes(dataclasses.replace(ORDERS, name="other", location="file:/w/other")).ended()
    assert Application(tmp_path).reads("file:/w/orders").key == ORDERS.key


def test_dropped_table_is_forgotten(tmp_path: Path) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    third = Application(tmp_path).forgets(ORDERS)
    assert third.reads("file:/w/orders").key == "path:file:/w/orders"
    third.ended()
    assert Application(tmp_path).reads("file:/w/orders").key == "path:file:/w/orders"


def test_moved_table_is_at_its_new_location(tmp_path: Path) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    Application(tmp_path).makes(dataclasses.replace(ORDERS, location="file:/new")).ended()
    last = Application(tmp_path)
    assert last.reads("file:/w/orders").key == "path:file:/w/orders"
    assert last.reads("file:/new").key == ORDERS.key


def test_last_table_of_a_location_counts(tmp_path: Path) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    Application(tmp_path).makes(dataclasses.replace(ORDERS, name="later")).ended()
    assert Application(tmp_path).reads("file:/w/orders").key == "table:spark_catalog.sales.later"


def test_concurrent_applications_keep_the_locations_of_both(tmp_path: Path) -> None:
    first, second = Application(tmp_path), Application(tmp_path)
    first.makes(ORDERS).ended()
    second.makes(dataclasses.replace(ORDERS, name="other", location="file:/w/other")).ended()
    last = Application(tmp_path)
    assert last.reads("file:/w/orders").key == ORDERS.key
    assert last.reads("file:/w/other").key == "table:spark_catalog.sales.other"


def test_failed_statement_has_no_table(tmp_path: Path) -> None:
    Application(tmp_path).makes(ORDERS, failure="it failed").ended()
    assert Application(tmp_path).reads("file:/w/orders").key == "path:file:/w/orders"


def test_nothing_is_kept_or_used_if_paths_are_not_tables(tmp_path: Path) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    assert Application(tmp_path, paths_as_tables=False).reads("file:/w/orders").key == "path:file:/w/orders"


def test_a_file_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    path = Application(tmp_path).file.path
    head = json.loads(path.read_text())
    del head["places"]
    path.write_text(json.dumps(head) + "\n")
    again = Application(tmp_path)
    assert again.reads("file:/w/orders").key == "path:file:/w/orders"
    again.makes(ORDERS).ended()
    assert Application(tmp_path).reads("file:/w/orders").key == ORDERS.key


@pytest.mark.parametrize(
    "rows", [[["file:/w"]], [[1, None, "d", "t", None, None]], 7, [["file:/w", 1, "d", "t", 2, 3]]]
)
def test_a_broken_file_costs_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture, rows: object) -> None:
    Application(tmp_path).makes(ORDERS).ended()
    path = Application(tmp_path).file.path
    path.write_text(json.dumps(json.loads(path.read_text()) | {"places": rows}) + "\n")
    with caplog.at_level(logging.INFO, logger="sac_kafka"):
        assert Application(tmp_path).reads("file:/w/orders").key == "path:file:/w/orders"
    assert len([each for each in caplog.messages if "is not a valid file of sent metadata" in each]) == 1


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = TablePlaces()
    for n in range(places.MAX_PLACES + 10):
        table = dataclasses.replace(ORDERS, name=f"t{n}", location=f"file:/w/{n}")
        kept.current[table.key] = table
    rows = kept.merged_with({"file:/older": (None, "sales", "older", None, None)})
    assert len(rows) == places.MAX_PLACES
    assert list(rows)[-1] == f"file:/w/{places.MAX_PLACES + 9}"
    monkeypatch.setattr(places, "_MAX_CHARACTERS", 200)
    assert 1 < len(kept.merged_with({})) < 20
