"""Flows read from a server as from messages: pages, names that are only displayed, deletions, limits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.catalog.errors import RestError
from sac_kafka.errors import SacKafkaError
from sac_kafka.tools.cli import server_lineage
from sac_kafka.tools.cli.coverage import final_write_counts
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.cli.server_lineage import read_applications, read_lineage
from sac_kafka.tools.graph.graph import LineageGraph, graph_of, label_graph
from sac_kafka.tools.graph.impact import impact_of
from sac_kafka.tools.messages.model import LineageColumn
from sac_kafka.tools.messages.state import ServerState
from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply
from tests.unit.tools.cli.small_servers import answers, server


def ref(type_name: str, guid: str, name: str | None = None, **more: str) -> dict[str, Any]:
    unique = {"uniqueAttributes": {"qualifiedName": name}} if name else {}
    return {"guid": guid, "typeName": type_name, **unique, **more}


def entity(type_name: str, guid: str, name: str, status: str = "", /, **attributes: object) -> dict[str, Any]:
    more = {"status": status} if status else {}
    return {"typeName": type_name, "guid": guid, "attributes": {"qualifiedName": name, **attributes}, **more}


def process(number: int, namespace: str = "prod", **relationships: object) -> dict[str, Any]:
    inputs = [ref("spark_table", "t1", f"sales.orders@{namespace}")]
    outputs = [ref("hdfs_path", f"o{number}", f"hdfs://a/{number}@{namespace}")]
    name = f"daily:{number}@{namespace}"
    return {
        **entity("spark_process", f"p{number}", name, name=f"daily {number}", inputs=inputs, outputs=outputs),
        "relationshipAttributes": {"application": ref("spark_application", "a1", displayText="daily"), **relationships},
        "customAttributes": {"lineage": "complete"},
    }


def column(number: int, namespace: str = "prod") -> dict[str, Any]:
    ends = {
        "inputs": [ref("spark_column", "k1", f"sales.orders.id@{namespace}")],
        "outputs": [ref("avro_field", f"f{number}", f"hdfs://a/{number}#id@{namespace}")],
    }
    name, text = f"daily:{number}:id@{namespace}", "identity: sales.orders.id"
    return {
        **entity("spark_column_lineage", f"c{number}", name, description=text, **ends),
        "relationshipAttributes": {"process": ref("spark_process", f"p{number}", displayText="daily")},
    }


GONE = {"entityStatus": "DELETED", "relationshipStatus": "DELETED"}
PROCESSES = ("_process", "_column_lineage")
APPLICATION = entity("spark_application", "a1", "daily@prod")


@dataclass
class FakeServer:
    """Answer searches and bulk reads from the given entities."""

    entities: list[dict[str, Any]]
    address: str = "http://atlas"
    requests: list[str] = field(default_factory=list)
    most: int = 10_000
    lacks: str = ""

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if body["typeName"] == self.lacks:
            raise RestError("no such type", 400)
        of_types = PROCESSES if body["typeName"] == "Process" else (body["typeName"],)
        found = [each for each in self.entities if each["typeName"].endswith(of_types) and "status" not in each]
        at = body["offset"]
        shown = found[at : at + min(body["limit"], self.most)]
        return (
            {"entities": [{k: each.get(k) for k in ("guid", "typeName", "attributes")} for each in shown]}
            if shown
            else {}
        )

    def get(self, path: str) -> dict[str, Any]:
        self.requests.append(path)
        return {"entities": [each for each in self.entities if f"guid={each['guid']}&" in path]}


def test_flows_and_columns_are_read_page_by_page() -> None:
    numbers = range(server_lineage.PAGE + 5)
    server = FakeServer([*map(process, numbers), *map(column, numbers), APPLICATION])
    graph = graph_of(ServerState(read_lineage(server, None)).items())  # type: ignore[arg-type]
    assert len(server.requests) == 4  # three pages, and the name of the application
    assert len(graph.processes) == len(list(graph.column_edges())) == len(numbers)
    first = graph.processes["daily:0@prod"]
    assert (first.inputs, first.outputs) == (("sales.orders@prod",), ("hdfs://a/0@prod",))
    assert first.job == "daily@prod"
    assert [(str(flow.output), [*map(str, flow.sources)]) for flow in first.columns] == [
        ("hdfs://a/0@prod#id", ["sales.orders@prod.id"])
    ]


def test_types_of_columns_are_asked_for() -> None:
    typed = [
        entity("spark_column", "k1", "sales.orders.id@prod", type="bigint"),
        entity("avro_field", "f1", "hdfs://a/1#id@prod", doc="decimal(10,2)"),
    ]
    server = FakeServer([process(1), column(1), APPLICATION, *typed])
    state = ServerState(read_lineage(server, None, with_types=True))  # type: ignore[arg-type]
    datasets = graph_of(state.items()).datasets
    assert {name: dict(each.columns) for name, each in datasets.items()} == {
        "sales.orders@prod": {"id": "bigint"},
        "hdfs://a/1@prod": {"id": "decimal(10,2)"},
    }
    assert len(server.requests) == 3  # one more, for all columns


def test_other_namespaces_are_ignored() -> None:
    server = FakeServer([process(1), column(1), process(2, "test"), column(2, "test")])
    assert list(graph_of(ServerState(read_lineage(server, "test")).items()).processes) == ["daily:2@test"]  # type: ignore[arg-type]


def test_applications_have_facts_that_flows_lack() -> None:
    facts = {
        "lineage": "partial",
        "writes": "3",
        "writes_not_complete": '{"sink not understood: x": 2, "node not understood: y": 1}',
    }
    end = {**APPLICATION, "customAttributes": facts}
    found = [final_write_counts(each) for each in read_applications(FakeServer([end]), "prod")]  # type: ignore[arg-type]
    assert found == [("daily@prod", {"sink not understood: x": 2})]
    assert list(read_applications(FakeServer([end]), "test")) == []  # type: ignore[arg-type]


def test_incomplete_or_deleted_entities_are_skipped() -> None:
    deleted = process(1, application=ref("spark_application", "a1", displayText="daily", entityStatus="DELETED"))
    without = column(1)
    del without["relationshipAttributes"]
    (only,) = graph(deleted, without, {"typeName": "spark_process", "guid": "x"}).processes.values()
    assert (only.job, only.columns) == ("daily@", ())


def test_exceeded_limit_is_an_error_and_no_partial_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_lineage, "MAX_ENTITIES", 100)
    with pytest.raises(SacKafkaError, match="more than 100 entities of Process: use the topic"):
        list(read_lineage(FakeServer(list(map(process, range(150)))), None))  # type: ignore[arg-type]


def graph(*entities: dict[str, Any], namespace: str | None = None, **server: Any) -> LineageGraph:
    return graph_of(ServerState(read_lineage(FakeServer(list(entities), **server), namespace)).items())  # type: ignore[arg-type]


def test_server_with_smaller_pages_is_read_completely() -> None:
    numbers = range(1_050)
    assert len(graph(*map(process, numbers), most=40).processes) == len(numbers)


def test_dropped_dataset_is_marked_unless_it_was_recreated() -> None:
    flow = process(1)
    flow["relationshipAttributes"]["inputs"] = [
        ref("spark_table", "t1", displayText="orders", **GONE),
        ref("spark_table", "t2", displayText="other", **GONE),
        ref("spark_table", "t3", displayText="lost", entityStatus="ACTIVE", relationshipStatus="DELETED"),
    ]
    other, again = entity("spark_table", "t2", "s.other@prod", "DELETED"), process(2)
    found = graph(flow, other)
    assert found.processes["daily:1@prod"].inputs == ("sales.orders@prod", "s.other@prod")
    assert [name for name, each in found.datasets.items() if each.is_dropped] == ["sales.orders@prod", "s.other@prod"]
    assert [name for name, each in graph(flow, other, again).datasets.items() if each.is_dropped] == ["s.other@prod"]


@pytest.mark.parametrize("is_dropped", [False, True])
def test_deleted_columns_have_no_lineage_and_belong_to_their_renamed_tables(*, is_dropped: bool) -> None:
    """The output of the first one is deleted, and the source of the second one, whose table was renamed, or dropped, later."""
    first, second, flow, again = column(1), column(2), process(2), process(1)
    first["attributes"]["outputs"] = []
    first["relationshipAttributes"]["outputs"] = [ref("avro_field", "f1", **GONE)]
    second["attributes"]["inputs"] = []
    second["relationshipAttributes"]["inputs"] = [ref("spark_column", "k9", displayText="id", **GONE)]
    flow["attributes"]["inputs"] = [ref("spark_table", "t9", "sales.renamed@prod", **(GONE if is_dropped else {}))]
    field_ = entity("avro_field", "f1", "hdfs://a/1#id@prod", "DELETED")
    gone = entity("spark_column", "k9", "sales.called_so_once.id@prod", "DELETED")
    gone["relationshipAttributes"] = {"table": ref("spark_table", "t9", displayText="renamed", **GONE)}
    table = entity("spark_table", "t9", "sales.renamed@prod", "DELETED" if is_dropped else "")
    found = graph(again, first, flow, second, field_, gone, table)
    assert [(str(each.source), str(each.target)) for each in found.column_edges()] == [
        ("sales.renamed@prod.id", "hdfs://a/2@prod#id")
    ]
    assert [name for name, each in found.datasets.items() if each.is_dropped] == ["sales.renamed@prod"] * is_dropped


def test_column_lineage_of_a_deleted_process_is_not_that_of_a_new_one() -> None:
    old = column(1)
    old["relationshipAttributes"]["process"] = ref("spark_process", "p0", displayText="daily", **GONE)
    deleted = {**process(1), "guid": "p0", "status": "DELETED"}
    assert not list(graph(process(1), old, deleted).column_edges())


def test_columns_of_row_clauses_belong_to_inputs() -> None:
    flow = process(1)
    flow["attributes"]["details"] = json.dumps({"rows_by_filter": ["sales.orders.flag", "sales.called_so_once.flag"]})
    (only,) = graph(flow).processes.values()
    assert only.row_columns == (("filter", LineageColumn("sales.orders@prod", "flag")),)


def test_table_without_a_flow_is_included() -> None:
    alone = entity("spark_table", "t9", "s.alone@prod")
    assert list(graph(alone, namespace="prod").datasets) == ["s.alone@prod"]
    assert list(graph(alone, namespace="test").datasets) == []
    assert list(graph(process(1), lacks="spark_table").processes) == ["daily:1@prod"]


def test_flows_of_other_hooks_and_mixed_datasets() -> None:
    hive = entity(
        "hive_process",
        "h1",
        "default.b@prod:1512000000000",
        name="insert into b",
        inputs=[ref("hive_table", "h2", "default.a@prod"), ref("hdfs_path", "h3", "hdfs://a/1@prod")],
        outputs=[ref("hive_table", "h4", "default.b@prod")],
    )
    columns = entity(
        "hive_column_lineage",
        "h5",
        "default.b@prod:1512000000000:x",
        query=ref("hive_process", "h1"),
        inputs=[ref("hive_column", "h6", "default.a.x@prod")],
        outputs=[ref("hive_column", "h7", "default.b.x@prod")],
    )
    found = graph(process(1), column(1), columns, hive, namespace="prod")
    assert {(each.source.dataset, each.target.dataset) for each in found.column_edges()} == {
        ("sales.orders@prod", "hdfs://a/1@prod"),
        ("default.a@prod", "default.b@prod"),
    }
    reached = impact_of(label_graph(found), "sales.orders").depths
    assert reached == {"sales.orders": 0, "hdfs://a/1": 1, "default.b": 2}
    assert list(graph(hive, columns, namespace="test").processes) == []


class _Atlas(LoopbackServer):
    """Answer over HTTP as a catalog does, and with 500 from one request on."""

    def __init__(self, catalog: FakeServer, fails_at: int) -> None:
        super().__init__()
        self._catalog = catalog
        self._left = fails_at

    def reply(self, request: HttpRequest) -> Reply:
        self._left -= 1
        if self._left <= 0:
            return 500, {}, b'{"errorMessage": "the index is down"}'
        path = request.path
        found = (
            self._catalog.get(path) if request.method == "GET" else self._catalog.post(path, json.loads(request.body))
        )
        return 200, {}, json.dumps(found).encode()


@pytest.mark.parametrize("fails_at", [1, 4, 6, 99])
@pytest.mark.parametrize(
    "command", [["coverage"], ["impact", "sales.orders"], ["view", "--output", "-", "--format", "dot"]]
)
def test_a_page_that_fails_is_an_error_and_not_a_part(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], fails_at: int, command: list[str]
) -> None:
    monkeypatch.setattr(server_lineage, "PAGE", 10)
    numbers = range(15)
    with _Atlas(FakeServer([*map(process, numbers), *map(column, numbers), APPLICATION]), fails_at) as server:
        conf = ("--conf", f"atlas.rest.address={server.address}", "--conf", "atlas.metadata.namespace=prod")
        status = main([command[0], "server", *command[1:], *conf])
    out, err = capfd.readouterr()
    if fails_at == 99:
        assert (status, err) == (0, "")
        assert out
    else:
        assert (status, out) == (2, "")
        assert "the index is down" in err


def test_error_without_lineage_names_the_namespace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # where no configuration is
    with server(answers("200 OK", b'{"entities": []}')) as port:
        conf = ["--conf", f"atlas.rest.address=http://127.0.0.1:{port}", "--conf", "atlas.metadata.namespace=prod"]
        assert main(["coverage", "server", *conf]) == 2
        assert main(["impact", "server", "x", *conf]) == 2
        assert main(["view", "server", "--output", str(tmp_path / "x.dot"), *conf]) == 1
        assert main(["coverage", "server", *conf[:2]]) == 2
    namespace = "server (atlas.metadata.namespace = prod)"
    assert capsys.readouterr().err.splitlines() == [
        f"sac-kafka coverage: {namespace} has no flows; --allow-empty accepts that",
        f"sac-kafka impact: {namespace} has no lineage",
        f"sac-kafka view: {namespace} has no lineage, {tmp_path / 'x.dot'} not written",
        "sac-kafka coverage: server has no flows; --allow-empty accepts that",
    ]
