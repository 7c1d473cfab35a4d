"""The package of docs/plugins.md, installed, and a connector on the class path of a driver: its tables are datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.hook.plugins import building, jobs

pytestmark = pytest.mark.spark

BROKEN = "raise ValueError('planted')"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    plugins = tmp_path_factory.mktemp("plugins")
    building.install_the_example(plugins)
    building.install(plugins, "broken", BROKEN, name="broken-lineage", entry="broken = broken:SOURCES")
    return jobs.run(jobs.acme, tmp_path_factory.mktemp("work"), [building.connector("acme")], plugins)


def test_what_is_read_and_written_is_what_the_plug_in_says(told: dict[str, Any]) -> None:
    read, written, known = told["flows"]
    orders = "acme://db1:7000/shop/orders"
    assert (read["inputs"], written["outputs"], known["inputs"]) == (
        [orders],
        ["acme://db1:7000/shop/copied"],
        [orders],
    )
    (twice,) = (sources for column, sources in read["columns"].items() if column.endswith("#twice"))
    assert twice == [f"{orders}.amount"]
    assert not [what for what in told["stats"]["captured"] if "not understood" in what]


def test_a_broken_plug_in_is_one_warning_and_one_error(told: dict[str, Any]) -> None:
    called = "the plug-in broken = broken:SOURCES (broken-lineage 1.0)"
    assert told["stats"]["errors"] == {f"{called}: ValueError": 1}
    assert told["stats"]["disabled"] is None and told["flushed"].endswith("problem=None)")
    assert told["log"].count(f"an error in {called}, the job goes on: ValueError: planted") == 1
    assert "the plug-in acme = acme_lineage:SOURCES (acme-lineage 1.0) is loaded" in told["log"]


@pytest.mark.exhaustive
def test_without_the_plug_in_the_connector_is_counted(tmp_path: Path) -> None:
    told = jobs.run(jobs.acme, tmp_path, [building.connector("acme")])
    assert "connector not known, named by its options: com.acme.spark.AcmeRelation" in told["stats"]["captured"]
