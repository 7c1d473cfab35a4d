"""A server's flows read back as messages would tell them: pages, names that are only shown, what was deleted, limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from sac_kafka.cli import server_lineage
from sac_kafka.cli.main import main
from sac_kafka.cli.server_lineage import applications_of, told_by
from sac_kafka.errors import SacKafkaError
from sac_kafka.landing.server import NO_ADDRESS
from sac_kafka.readable.coverage import said_at_the_end
from sac_kafka.readable.graph import graph_of


def ref(type_name: str, guid: str, name: str | None = None, **more: str) -> dict[str, Any]:
    unique = {"uniqueAttributes": {"qualifiedName": name}} if name else {}
    return {"guid": guid, "typeName": type_name, **unique, **more}


def process(number: int, namespace: str = "prod", **relationships: object) -> dict[str, Any]:
    return {
        "typeName": "spark_process",
        "guid": f"p{number}",
        "attributes": {
            "qualifiedName": f"daily:{number}@{namespace}",
            "name": f"daily {number}",
            "inputs": [ref("spark_table", "t1", f"sales.orders@{namespace}")],
            "outputs": [ref("hdfs_path", f"o{number}", f"hdfs://a/{number}@{namespace}")],
        },
        "relationshipAttributes": {"application": ref("spark_application", "a1", displayText="daily"), **relationships},
        "customAttributes": {"lineage": "complete"},
    }


def column(number: int, namespace: str = "prod") -> dict[str, Any]:
    return {
        "typeName": "spark_column_lineage",
        "guid": f"c{number}",
        "attributes": {
            "qualifiedName": f"daily:{number}:id@{namespace}",
            "description": "identity: sales.orders.id",
            "inputs": [ref("spark_column", "k1", f"sales.orders.id@{namespace}")],
            "outputs": [ref("avro_field", f"f{number}", f"hdfs://a/{number}#id@{namespace}")],
        },
        "relationshipAttributes": {"process": ref("spark_process", f"p{number}", displayText="daily")},
    }


@dataclass
class FakeServer:
    """Answers searches and bulk reads out of what it is given."""

    entities: list[dict[str, Any]]
    address: str = "http://atlas"
    asked: list[str] = field(default_factory=list)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        found = [each for each in self.entities if each["typeName"] == body["typeName"]]
        at = body["offset"]
        return {"entities": [{"guid": each["guid"]} for each in found[at : at + body["limit"]]]} if found[at:] else {}

    def get(self, path: str) -> dict[str, Any]:
        self.asked.append(path)
        return {"entities": [each for each in self.entities if f"guid={each['guid']}&" in path]}


def test_flows_and_columns_are_read_page_by_page() -> None:
    numbers = range(server_lineage.PAGE + 5)
    server = FakeServer([*map(process, numbers), *map(column, numbers)])
    graph = graph_of(told_by(server, None))  # type: ignore[arg-type]
    assert len(server.asked) == 4
    assert len(graph.processes) == len(numbers)
    first = graph.processes["daily:0@prod"]
    assert (first.inputs, first.outputs, first.told and first.told.job) == (("sales.orders",), ("hdfs://a/0",), "daily")
    assert [(str(flow.output), [*map(str, flow.sources)]) for flow in first.columns] == [
        ("hdfs://a/0#id", ["sales.orders.id"])
    ]


def test_of_another_namespace_nothing_is_told() -> None:
    server = FakeServer([process(1), column(1), process(2, "test"), column(2, "test")])
    assert list(graph_of(told_by(server, "test")).processes) == ["daily:2@test"]  # type: ignore[arg-type]


def test_applications_say_what_no_flow_does() -> None:
    said = {
        "lineage": "partial",
        "writes": "3",
        "writes_not_complete": '{"sink not understood: x": 2, "node not understood: y": 1}',
    }
    end = {
        "typeName": "spark_application",
        "guid": "a1",
        "attributes": {"qualifiedName": "daily@prod"},
        "customAttributes": said,
    }
    found = [said_at_the_end(each) for each in applications_of(FakeServer([end]), "prod")]  # type: ignore[arg-type]
    assert found == [("daily", {"sink not understood: x": 2})]
    assert list(applications_of(FakeServer([end]), "test")) == []  # type: ignore[arg-type]


def test_what_lacks_something_or_is_deleted_is_passed_over() -> None:
    deleted = process(1, application=ref("spark_application", "a1", displayText="daily", entityStatus="DELETED"))
    without = column(1)
    del without["relationshipAttributes"]
    graph = graph_of(told_by(FakeServer([deleted, without, {"typeName": "spark_process", "guid": "x"}]), None))  # type: ignore[arg-type]
    (only,) = graph.processes.values()
    assert (only.told and only.told.job, only.columns) == ("", ())


def test_too_much_is_an_error_and_not_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_lineage, "MOST_ENTITIES", 100)
    with pytest.raises(SacKafkaError, match="more than 100 entities of spark_process: read the topic"):
        list(told_by(FakeServer(list(map(process, range(150)))), None))  # type: ignore[arg-type]


def test_without_an_address_it_says_what_to_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "server"]) == 2
    assert NO_ADDRESS in capsys.readouterr().err
