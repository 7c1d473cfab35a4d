"""Connectors that name their datasets through OpenLineage's interfaces, in OpenLineage's package or a relocated one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stack import jars
from tests.helpers.catalog import building as catalog
from tests.unit.hook.plugins import building, jobs

pytestmark = [pytest.mark.spark, pytest.mark.exhaustive]
DATABASE = "postgresql://db1:5432/shop/public"
SECRET = "hunter2zX9"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = jars.provide("openlineage-interfaces-1.37.0")
    interfaces = [found.folder / jar.file_name for jar in found.jars]
    classes = [building.connector("named", interfaces), building.connector("moved"), *interfaces, catalog.compiled()]
    return jobs.run(jobs.named, tmp_path_factory.mktemp("work"), classes)


def flow(result: dict[str, Any], end: str) -> dict[str, Any]:
    """Return the flow to the dataset with this ending."""
    (found,) = (each for each in result["flows"] if each["outputs"][0].endswith(end))
    return found


@pytest.mark.parametrize("package", ["named", "moved"])
def test_relation_names_the_read_dataset(result: dict[str, Any], package: str) -> None:
    read = flow(result, f"/{package}")
    assert read["inputs"] == [f"{DATABASE}.orders"]
    (twice,) = (sources for column, sources in read["columns"].items() if column.endswith("#twice"))
    assert twice == [f"{DATABASE}.orders.amount"]


def test_provider_names_the_dataset_of_its_options(result: dict[str, Any]) -> None:
    """Expect one flow of both connectors, because they name the dataset alike."""
    assert flow(result, ".copied")["inputs"] == [f"{DATABASE}.orders"]


def test_catalog_table_over_a_connector_is_only_a_name(result: dict[str, Any]) -> None:
    assert flow(result, ".stock")["inputs"] == [f"{DATABASE}.stock"]


@pytest.mark.parametrize("package", ["named", "moved"])
def test_failing_or_slow_connector_is_counted_by_name(result: dict[str, Any], package: str) -> None:
    relation = f"com.acme.{package}.NamedRelation"
    captured = result["stats"]["captured"]
    assert captured[f"own name failed: {relation}: java.lang.IllegalStateException"] == 1
    assert captured[f"slow accessor: {relation}.ownName"] >= 1  # on a busy machine others are slow, too
    assert result["log"].count(f"slow accessor {relation}.ownName: reading this field") == 1
    assert flow(result, f"/{package}_slow")["inputs"] == [f"{DATABASE}.slow"]
    assert flow(result, f"/{package}_fails")["outputs"], "what the connector does not say costs nothing else"


def test_no_log_in_of_a_namespace_is_anywhere(result: dict[str, Any]) -> None:
    assert SECRET not in json.dumps(result)


def test_properties_of_a_table_name_it(result: dict[str, Any]) -> None:
    assert flow(result, "/from_properties")["inputs"] == ["mysql://db2:3306/shop/stock"]
    assert flow(result, "db2:3306/shop/stock")["inputs"] == []


def test_node_names_the_read_dataset_and_a_table_path_is_the_table(result: dict[str, Any]) -> None:
    read = flow(result, "/alone")
    assert read["inputs"] == ["bronze.events"]
    (kind,) = (sources for column, sources in read["columns"].items() if column.endswith("#kind"))
    assert kind == ["bronze.events.kind"]


def test_node_may_delegate_to_another_one(result: dict[str, Any]) -> None:
    both = flow(result, "/both")
    assert [name.rpartition("/")[2] for name in both["inputs"]] == ["bronze.events", "in"]
    assert all(source.partition("#")[0].endswith("/in") for (source,) in both["columns"].values())


def test_command_names_the_written_dataset(result: dict[str, Any]) -> None:
    assert flow(result, "silver/events")["inputs"] == ["bronze.events"]
