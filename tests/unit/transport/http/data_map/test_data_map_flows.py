"""Real messages of the dialect through the Data Map: its content and its lineage equal the messages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from sac_kafka.model import Outcome
from sac_kafka.purview.types import BUILT_IN, OWN, definitions
from sac_kafka.transport.base import Record
from sac_kafka.transport.http.client import HttpServer
from tests.live.purview.reading import shown
from tests.unit.atlas.flows import DAY, NOW, copy, path, table
from tests.unit.purview.account import DATABRICKS, LAKE, Account
from tests.unit.purview.judge import problems
from tests.unit.transport.http.data_map.bench import Sender, transport
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer, Stored

CURATED = "abfss://curated@contosolake.dfs.core.windows.net"
DAYS = 3


def outcomes(job: int) -> list[Outcome]:
    """Return the outcomes of a job of four flows that share datasets, on Databricks."""
    raw = [path(f"{LAKE}/orders{n}", "id", "amount", "day") for n in range(4)]
    total = path(f"{CURATED}/totals{job}", "id", "amount")
    sales = table(f"sales{job}.orders", "id", "amount")
    flows = [
        copy(raw[0], total),
        copy(raw[1], total),
        copy(total, sales),
        copy(sales, path(f"{CURATED}/out{job}", "id")),
    ]
    return [replace(each, application=DATABRICKS) for each in flows]


@pytest.fixture
def messages() -> list[bytes]:
    """Of two jobs on three days."""
    account = Account()
    return [
        message.value.encode()
        for day in range(DAYS)
        for job in range(2)
        for outcome in outcomes(job)
        for message in account.made(outcome, NOW + day * DAY)
    ]


@pytest.fixture
def account() -> DataMap:
    return DataMap(types=frozenset(each["name"] for each in definitions((BUILT_IN, OWN))["entityDefs"]))


def held(account: DataMap) -> Any:
    """Processes with their ends and columns, and all others, as `reading.shown` gives them."""
    entities = [{**each.entity, "guid": each.guid} for each in account.stored.values()]
    return shown([{"message": {"type": "ENTITY_CREATE_V2", "entities": {"entities": entities}}}])


@pytest.mark.parametrize("together", [True, False])
def test_the_account_holds_the_content_of_the_messages(
    account: DataMap, server: DataMapHttpServer, sender: Sender, messages: list[bytes], together: bool
) -> None:
    assert [problem for each in messages for problem in problems(each, earlier=messages)] == []
    sent = transport(server, account)
    for each in messages:
        sender.send(sent, Record("ATLAS_HOOK", b"app", (each,)))
        if not together:
            sent.flush(60)
    sent.close(60)
    assert sender.outcomes == [None] * len(messages)
    wanted, got = shown(map(json.loads, messages)), held(account)
    assert (got.processes, got.entities) == (wanted.processes, wanted.entities)
    assert len(wanted.processes) >= 8
    assert (len(account.requests) < len(messages)) is together


@pytest.mark.slow
def test_divided_messages_give_the_same_content(
    account: DataMap, server: DataMapHttpServer, sender: Sender, messages: list[bytes]
) -> None:
    """Put a bad entity into every message: the rest of each arrives, with its references."""
    account.refuses = lambda each: (400, "ATLAS-400-00-014", "bad") if each["typeName"] == "hdfs_path" else None
    sent = transport(server, account)
    for each in messages:
        envelope = json.loads(each)
        bad = {
            "typeName": "hdfs_path",
            "guid": "-999",
            "attributes": {"qualifiedName": "bad", "name": "bad", "path": "/"},
        }
        envelope["message"]["entities"]["entities"].insert(1, bad)
        sender.send(sent, Record("ATLAS_HOOK", b"app", (json.dumps(envelope).encode(),)))
    sent.close(60)
    assert {str(failure).partition("refused: ")[2][:13] for failure in sender.failures} == {"hdfs_path bad"}
    assert len(sender.failures) == len(messages)
    wanted, got = shown(map(json.loads, messages)), held(account)
    assert (got.processes, got.entities) == (wanted.processes, wanted.entities)


def test_lineage_reads_back(account: DataMap, server: DataMapHttpServer, sender: Sender, messages: list[bytes]) -> None:
    sent = transport(server, account)
    sender.send(sent, *(Record("ATLAS_HOOK", b"app", (each,)) for each in messages))
    sent.close(60)
    [(kind, name)] = [key for key in account.stored if "totals0" in key[1] and "resource_set" in key[0]]
    client = HttpServer(address=server.address, token=account.token)
    where = f"/datamap/api/atlas/v2/lineage/uniqueAttribute/type/{kind}?attr:qualifiedName={quote(name, safe='')}"
    relations = json.loads(client.request("GET", where, None, 5).body)["relations"]
    this = account.stored[kind, name].guid
    by_guid = {each.guid: each for each in account.stored.values()}
    writers = [by_guid[each["fromEntityId"]] for each in relations if each["toEntityId"] == this]
    readers = [by_guid[each["toEntityId"]] for each in relations if each["fromEntityId"] == this]
    assert sorted(name for each in writers for name in inputs(each)) == [
        f"https://contosolake.dfs.core.windows.net/raw/orders{n}/{{SparkPartitions}}" for n in range(2)
    ]
    assert len(readers) == 1


def inputs(process: Stored) -> list[str]:
    return [each["uniqueAttributes"]["qualifiedName"] for each in process.entity["attributes"]["inputs"]]
