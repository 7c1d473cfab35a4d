"""The package of docs/plugins.md, installed, and a connector on the driver's class path: its tables are datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.hook.plugins import building, jobs

pytestmark = pytest.mark.spark

BROKEN = "raise ValueError('planted')"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    plugins = tmp_path_factory.mktemp("plugins")
    building.install_the_example(plugins)
    building.install(plugins, "broken", BROKEN, name="broken-lineage", entry="broken = broken:SOURCES")
    return jobs.run(jobs.acme, tmp_path_factory.mktemp("work"), [building.connector("acme")], plugins)


def test_inputs_and_outputs_are_those_of_the_plugin(result: dict[str, Any]) -> None:
    read, written, known = result["flows"]
    orders = "acme://db1:7000/shop/orders"
    assert (read["inputs"], written["outputs"], known["inputs"]) == (
        [orders],
        ["acme://db1:7000/shop/copied"],
        [orders],
    )
    (twice,) = (sources for column, sources in read["columns"].items() if column.endswith("#twice"))
    assert twice == [f"{orders}.amount"]
    assert not [what for what in result["stats"]["captured"] if "not understood" in what]


def test_a_broken_plug_in_is_one_warning_and_one_error(result: dict[str, Any]) -> None:
    called = "the plug-in broken = broken:SOURCES (broken-lineage 1.0)"
    assert result["stats"]["errors"] == {f"{called}: ValueError": 1}
    assert result["stats"]["disabled"] is None and result["flushed"].endswith("problem=None)")
    assert result["log"].count(f"an error in {called}, the job goes on: ValueError: planted") == 1
    assert "the plug-in acme = acme_lineage:SOURCES (acme-lineage 1.0) is loaded" in result["log"]


@pytest.mark.exhaustive
def test_without_the_plug_in_the_connector_is_counted(tmp_path: Path) -> None:
    result = jobs.run(jobs.acme, tmp_path, [building.connector("acme")])
    assert "connector not known, named by its options: com.acme.spark.AcmeRelation" in result["stats"]["captured"]
