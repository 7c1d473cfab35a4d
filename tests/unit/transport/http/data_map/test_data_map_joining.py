"""Waiting messages share a request if the meaning stays the same."""

from __future__ import annotations

import pytest

from sac_kafka.transport.base import FailureKind
from tests.unit.transport.http.data_map.bench import (
    LAKE,
    Sender,
    creation,
    deletion,
    entity,
    flow,
    path,
    process,
    transport,
)
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer, Reply


def sizes(account: DataMap) -> list[int]:
    return [len(each.body["entities"]) for each in account.requests if each.body]


def test_flows_over_the_same_datasets_share_a_request(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    sent = transport(server, account)
    sender.send(sent, *(creation(*flow(f"flow {n}", "orders", f"out{n % 2}")) for n in range(10)))
    sent.close(60)
    assert sender.outcomes == [None] * 10
    assert sizes(account) == [10 + 3]
    outputs = account.entity("spark_process", "flow 7")["attributes"]["outputs"]
    assert outputs[0]["uniqueAttributes"]["qualifiedName"] == f"{LAKE}out1"


def test_two_states_of_one_entity_are_two_requests_in_their_order(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    sent = transport(server, account)
    sender.send(sent, *(creation(entity("azure_sql_table", "t", "-1", n=n // 2)) for n in range(6)))
    sent.close(60)
    assert sender.outcomes == [None] * 6
    assert [each["n"] for each in account.stored["azure_sql_table", "t"].history] == [0, 1, 2]


def test_a_deletion_or_an_invalid_record_ends_a_request(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    sent = transport(server, account)
    sender.send(
        sent,
        creation(path("a")),
        creation(path("b")),
        deletion(("azure_datalake_gen2_path", f"{LAKE}a")),
        creation(path("c")),
        creation(path("d"), kind="ENTITY_CREATE"),
        creation(path("e")),
    )
    sent.close(60)
    assert [failure is None for failure in sender.outcomes] == [True, True, True, True, False, True]
    assert [each.method for each in account.requests] == ["POST", "DELETE", "POST", "POST"]
    assert account.names == [f"{LAKE}{name}" for name in "bce"]


def test_a_request_has_its_limits(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    wide = [creation(*(path(f"{m}/{n}", f"-{n + 1}") for n in range(300))) for m in range(3)]
    large = [creation(path(f"large{n}", description="x" * 400_000)) for n in range(5)]
    sent = transport(server, account)
    sender.send(sent, *wide, *large)
    sent.close(60)
    assert sender.outcomes == [None] * 8
    assert sizes(account) == [300, 300, 302, 2, 1]


@pytest.mark.parametrize("status", [500, 504])
def test_messages_of_a_request_that_fails_vaguely_are_retried_singly(
    account: DataMap, server: DataMapHttpServer, sender: Sender, status: int
) -> None:
    account.replies = [Reply(status)]
    sent = transport(server, account)
    sender.send(sent, creation(path("a")), creation(path("b")), creation(path("c")))
    sent.close(60)
    assert sender.outcomes == [None] * 3
    assert sizes(account) == [3, 1, 1, 1]


def test_a_transient_failure_fails_all_messages_of_a_request(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.replies = [Reply(503)]
    sent = transport(server, account)
    sender.send(sent, creation(path("a")), creation(path("b")))
    sent.service(0)
    assert [failure.kind for failure in sender.failures] == [FailureKind.TRANSIENT] * 2
    assert len(account.requests) == 1


def test_only_the_message_with_the_bad_entity_is_rejected(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.types -= {"databricks_process"}
    sent = transport(server, account)
    sender.send(sent, creation(*flow("a")), creation(*flow("b", kind="databricks_process")), creation(*flow("c")))
    sent.close(60)
    assert [failure is None for failure in sender.outcomes] == [True, False, True]
    assert str(sender.failures[0]).endswith("refused: databricks_process b of 3 entities")


def test_guids_of_two_messages_never_clash(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    sent = transport(server, account)
    sender.send(
        sent,
        creation(path("a", "-1"), path("b", "-2"), process("p", "-3", ["-1"], ["-2"])),
        creation(process("q", "-1", ["-3"], ["-2"]), path("c", "-2"), path("a", "-3")),
    )
    sent.close(60)
    assert sender.outcomes == [None, None]
    assert len({each["guid"] for each in account.requests[0].body["entities"]}) == 5
    ends = account.entity("spark_process", "q")["attributes"]
    names = [ends[place][0]["uniqueAttributes"]["qualifiedName"] for place in ("inputs", "outputs")]
    assert names == [f"{LAKE}a", f"{LAKE}c"]
