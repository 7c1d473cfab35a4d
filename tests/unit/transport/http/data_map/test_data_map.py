"""Requests that the Data Map gets for messages."""

from __future__ import annotations

import ssl

import pytest

from sac_kafka.transport.base import FailureKind
from stack.certificates import Certificates
from tests.unit.transport.http.data_map.bench import (
    LAKE,
    Sender,
    creation,
    deletion,
    entity,
    flow,
    message,
    partial_update,
    path,
    process,
    transport,
)
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer


def test_a_flow_is_one_request_over_tls_with_the_documented_parameters(
    account: DataMap, tls: ssl.SSLContext, certificates: Certificates, sender: Sender
) -> None:
    with DataMapHttpServer(account, tls) as server:
        sent = transport(server, account, certificates.ca)
        sender.send(sent, creation(*flow("daily")))
        sent.close(60)
    assert sender.outcomes == [None]
    [request] = account.requests
    assert (request.method, request.base, request.path) == ("POST", "/datamap/api", "/atlas/v2/entity/bulk")
    assert request.query == {"api-version": "2023-09-01", "businessAttributeUpdateBehavior": "ignore"}
    assert account.names == [f"{LAKE}orders", f"{LAKE}totals", "daily"]
    inputs = account.entity("spark_process", "daily")["attributes"]["inputs"]
    assert [each["uniqueAttributes"]["qualifiedName"] for each in inputs] == [f"{LAKE}orders"]


@pytest.mark.parametrize("kind", ["ENTITY_CREATE_V2", "ENTITY_FULL_UPDATE_V2"])
def test_entities_that_are_only_referred_to_are_made_too(
    account: DataMap, server: DataMapHttpServer, sender: Sender, kind: str
) -> None:
    orders, totals, daily = flow("daily")
    sent = transport(server, account)
    sender.send(
        sent, message(kind, entities={"referredEntities": {"-1": orders, "-3": daily}, "entities": [totals, daily]})
    )
    sent.close(60)
    assert sender.outcomes == [None]
    assert sorted(account.names) == sorted(["daily", f"{LAKE}orders", f"{LAKE}totals"])


def test_changes_and_deletions_use_the_unique_attribute(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    name = f"{LAKE}a b&c=d#e%2F{{N}}+ä/"
    sent = transport(server, account)
    sender.send(
        sent,
        creation(entity("azure_sql_table", name, "-1"), entity("azure_sql_table", "other", "-2")),
        partial_update("azure_sql_table", name, description="daily"),
        deletion(("azure_sql_table", "other")),
    )
    sent.close(60)
    assert sender.outcomes == [None, None, None]
    assert account.methods() == [
        "POST bulk",
        "PUT uniqueAttribute/type/azure_sql_table",
        "DELETE uniqueAttribute/type/azure_sql_table",
    ]
    assert account.entity("azure_sql_table", name)["attributes"]["description"] == "daily"
    assert account.names == [name]


def test_deleting_a_missing_entity_succeeds(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    sent = transport(server, account)
    sender.send(sent, deletion(("hive_table", "a@b"), ("hive_table", "c@d")))
    sent.close(60)
    assert sender.outcomes == [None]
    assert len(account.requests) == 2


@pytest.mark.parametrize("bases", [("/datamap/api",), ("/catalog/api",)])
def test_a_missing_entity_differs_from_a_missing_data_map(
    account: DataMap, server: DataMapHttpServer, sender: Sender, bases: tuple[str, ...]
) -> None:
    account.hides_errors, account.bases = True, bases
    sent = transport(server, account)
    sender.send(sent, deletion(("hive_table", "a@b")), partial_update("hive_table", "a@b", comment="x"))
    sender.send(sent, creation(*flow("daily")))
    sent.close(60)
    assert [failure is None for failure in sender.outcomes] == [True, False, True]
    assert "something that it refers to is not in Purview" in str(sender.failures[0])
    assert [each.base for each in account.requests[-2:]] == [*bases, *bases]


def test_a_deletion_waits_if_there_is_no_data_map(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    account.bases = ()
    sent = transport(server, account)
    sender.send(sent, deletion(("hive_table", "a@b")))
    sent.close(60)
    assert sender.failures[0].kind is FailureKind.NEEDS_ACTION
    assert "there is no Data Map" in str(sender.failures[0])


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"[]",
        b"{}",
        b'{"message": {"type": "ENTITY_CREATE", "entities": []}}',
        b'{"message": {"type": "ENTITY_CREATE_V2"}}',
        b'{"message": {"type": "ENTITY_CREATE_V2", "entities": {"entities": [1]}}}',
        b'{"message": {"type": "ENTITY_CREATE_V2", "entities": {"entities": [{"attributes": 1}]}}}',
        b'{"message": {"type": "ENTITY_CREATE_V2", "entities": {"entities": [{"typeName": ["T"]}]}}}',
        b'{"message": {"type": "ENTITY_CREATE_V2", "entities": {"entities": [{"typeName": "T", "guid": -1}]}}}',
        b'{"message": {"type": "ENTITY_PARTIAL_UPDATE_V2", "entityId": {"typeName": "T"}, "entity": {"entity": {}}}}',
        b'{"message": {"type": "ENTITY_DELETE_V2", "entities": [{"guid": "1"}]}}',
        b'{"message": {"type": [], "entities": [{"guid": "1"}]}}',
        b"[" * 100_000,
    ],
)
def test_an_invalid_record_is_rejected_and_delays_no_other(
    account: DataMap, server: DataMapHttpServer, sender: Sender, value: bytes
) -> None:
    from sac_kafka.transport.base import Record

    sent = transport(server, account)
    sender.send(sent, Record("ATLAS_HOOK", b"app", (value,)), creation(*flow("daily")))
    sent.close(60)
    refused, delivered = sender.outcomes
    assert delivered is None
    assert refused is not None
    assert (refused.kind, "no message that the Data Map has a request for" in str(refused)) == (
        FailureKind.REJECTED,
        True,
    )


def test_a_message_in_parts_is_rejected_with_the_fix(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    from dataclasses import replace

    whole = creation(path("orders"))
    sent = transport(server, account)
    sender.send(sent, replace(whole, values=whole.values * 2))
    sent.close(60)
    assert "lower atlas.notification.message.max.length.bytes" in str(sender.failures[0])


def test_a_message_without_entities_needs_no_request(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    sent = transport(server, account)
    sender.send(sent, creation())
    sent.close(60)
    assert (sender.outcomes, account.requests) == ([None], [])


def test_many_entities_are_divided_into_requests_that_keep_references(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    files = [path(f"f{number}", f"-{number + 1}") for number in range(1200)]
    everything = process("all", "-9999", [each["guid"] for each in files], ["-1"])
    sent = transport(server, account)
    sender.send(sent, creation(everything, *files))  # the user before what it uses
    sent.close(60)
    assert sender.outcomes == [None]
    assert [len(each.body["entities"]) for each in account.requests] == [500, 500, 201]
    inputs = account.entity("spark_process", "all")["attributes"]["inputs"]
    names = [each["uniqueAttributes"]["qualifiedName"] for each in inputs]
    assert names == [each["attributes"]["qualifiedName"] for each in files]


def test_an_account_with_only_the_classic_path_is_called_there_from_then_on(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.bases = ("/catalog/api",)
    sent = transport(server, account)
    sender.send(sent, creation(*flow("one")))
    sent.flush(60)
    sender.send(sent, creation(*flow("two")))
    sent.close(60)
    assert sender.outcomes == [None, None]
    assert [each.base for each in account.requests] == ["/datamap/api", "/catalog/api", "/catalog/api"]


def test_an_entity_missing_in_an_answer_is_warned_about_once(
    account: DataMap, server: DataMapHttpServer, sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    account.silent = frozenset({f"{LAKE}orders"})
    sent = transport(server, account)
    sender.send(sent, creation(*flow("one")))
    sent.flush(60)
    sender.send(sent, creation(*flow("two")))
    with caplog.at_level("INFO", "sac_kafka"):
        sent.close(60)
    assert "responses did not mention 2 entities in all" in caplog.text
    assert sender.outcomes == [None, None]
    assert sent.failure_counts == {"entity not mentioned": 2}
    assert caplog.text.count("the response does not mention 1 entities, such as azure_datalake_gen2_path") == 1
