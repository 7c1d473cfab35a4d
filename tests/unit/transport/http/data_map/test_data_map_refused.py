"""Refused parts of a message are found, reported and set aside; the rest gets through."""

from __future__ import annotations

import pytest

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http.data_map.delivery import MAX_REFUSALS
from tests.unit.transport.http.data_map.bench import (
    LAKE,
    Sender,
    creation,
    entity,
    flow,
    partial_update,
    path,
    process,
    transport,
)
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer, Reply


def refusing(*names: str, error: str = "Invalid instance {name}") -> object:
    def refuses(each: dict) -> tuple[int, str, str] | None:  # type: ignore[type-arg]
        name = each["attributes"]["qualifiedName"]
        return (400, "ATLAS-400-00-014", error.format(name=name)) if name in names else None

    return refuses


def test_a_bad_entity_delays_no_other(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    account.refuses = refusing(f"{LAKE}f7")  # type: ignore[assignment]
    sent = transport(server, account)
    sender.send(sent, creation(*(path(f"f{n}", f"-{n + 1}") for n in range(10))), creation(*flow("after")))
    sent.close(60)
    refused, delivered = sender.outcomes
    assert delivered is None
    assert refused is not None
    assert refused.kind is FailureKind.REJECTED
    assert str(refused).endswith(f"; refused: azure_datalake_gen2_path {LAKE}f7 of 10 entities")
    assert "Purview says: ATLAS-400-00-014 Invalid instance" in str(refused)
    assert f"{LAKE}f7" not in account.names
    assert len(account.names) == 9 + 3
    assert sent.failure_counts == {"entity refused": 1, "rejected": 1}
    # both messages; the first, the ones before it, it alone by its name, the ones behind it; the second
    assert [len(each.body["entities"]) for each in account.requests] == [13, 10, 7, 1, 2, 3]


def test_an_unnamed_bad_entity_is_found_by_bisection(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.refuses = refusing(f"{LAKE}f100", f"{LAKE}f250", error="something is wrong")  # type: ignore[assignment]
    sent = transport(server, account)
    sender.send(sent, creation(*(path(f"f{n}", f"-{n + 1}") for n in range(300))))
    sent.close(60)
    assert str(sender.failures[0]).endswith(f"{LAKE}f100 and 1 more of 300 entities")
    assert len(account.names) == 298
    assert len(account.requests) < 4 * 9 + 4


def test_entities_of_an_unknown_type_are_refused_at_once(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    own = [entity("sac_thing", f"t{n}", f"-{n + 10}") for n in range(20)]
    sent = transport(server, account)
    sender.send(sent, creation(*own, *flow("daily")))
    sent.close(60)
    assert "add it (sac-kafka types apply)" in str(sender.failures[0])
    assert str(sender.failures[0]).endswith("refused: sac_thing t0 and 19 more of 23 entities")
    assert [len(each.body["entities"]) for each in account.requests] == [23, 3]
    assert len(account.names) == 3


def test_entities_that_refer_to_a_refused_one_are_refused_unless_it_exists(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    sent = transport(server, account)
    sender.send(sent, creation(path("orders")))
    sent.flush(60)
    account.refuses = refusing(f"{LAKE}orders", f"{LAKE}totals")  # type: ignore[assignment]
    sender.send(sent, creation(*flow("daily", "orders", "new")), creation(*flow("weekly", "orders", "totals")))
    sent.close(60)
    _, daily, weekly = sender.outcomes
    assert str(daily).endswith(f"refused: azure_datalake_gen2_path {LAKE}orders of 3 entities")
    assert str(weekly).endswith(f"refused: azure_datalake_gen2_path {LAKE}orders and 2 more of 3 entities")
    inputs = account.entity("spark_process", "daily")["attributes"]["inputs"]
    assert inputs[0]["uniqueAttributes"] == {"qualifiedName": f"{LAKE}orders"}
    assert ("spark_process", "weekly") not in account.stored


def test_entities_with_mutual_references_stay_together(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    """Keep a table and its columns in one request: neither could go first."""
    columns = [entity("azure_sql_column", f"mssql://s/d/dbo/t#c{n}", f"-{n + 2}") for n in range(5)]
    for each in columns:
        each["relationshipAttributes"] = {"table": {"guid": "-1", "typeName": "azure_sql_table"}}
    table = entity("azure_sql_table", "mssql://s/d/dbo/t", "-1")
    table["relationshipAttributes"] = {"columns": [{"guid": each["guid"]} for each in columns]}
    daily = process("daily", "-9", ["-1"], ["-8"])
    account.refuses = refusing(f"{LAKE}bad")  # type: ignore[assignment]
    sent = transport(server, account)
    sender.send(sent, creation(daily, path("bad", "-7"), *columns, path("totals", "-8"), table))
    sent.close(60)
    assert str(sender.failures[0]).endswith(f"{LAKE}bad of 9 entities")
    assert len(account.names) == 8
    with_table = [each for each in account.requests[1:] if "mssql://s/d/dbo/t" in str(each.body["entities"])]
    together = [each["typeName"] for each in with_table[0].body["entities"]]
    assert (together.count("azure_sql_column"), together.count("azure_sql_table")) == (5, 1)


def test_a_message_refused_as_a_whole_costs_a_bounded_number_of_requests(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.always = Reply(400, {"errorCode": "ATLAS-400-00-014", "errorMessage": "no"})
    sent = transport(server, account)
    sender.send(sent, creation(*(path(f"f{n}", f"-{n + 1}") for n in range(300))))
    sent.close(60)
    assert str(sender.failures[0]).endswith("and 299 more of 300 entities")
    assert len(account.requests) <= 2 * MAX_REFUSALS


def test_a_large_request_is_divided_until_it_fits(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    large = Reply(413)
    account.replies = [large, large]
    sent = transport(server, account)
    sender.send(sent, creation(*(path(f"f{n}", f"-{n + 1}") for n in range(8))))
    sent.close(60)
    assert sender.outcomes == [None]
    assert [len(each.body["entities"]) for each in account.requests] == [8, 4, 2, 2, 4]


def test_an_update_of_a_missing_entity_is_refused(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    sent = transport(server, account)
    sender.send(sent, partial_update("hive_table", "a@b", comment="x"))
    sent.close(60)
    assert "something that it refers to is not in Purview" in str(sender.failures[0])
    assert str(sender.failures[0]).endswith("refused: hive_table a@b of 1 entities")


def test_a_failure_within_a_message_fails_it_as_a_whole(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.refuses = refusing(f"{LAKE}f1")  # type: ignore[assignment]
    account.replies = [None, None, Reply(503)]
    record = creation(*(path(f"f{n}", f"-{n + 1}") for n in range(4)))
    sent = transport(server, account)
    sender.send(sent, record)
    sent.flush(60)
    assert [failure.kind for failure in sender.failures] == [FailureKind.TRANSIENT]
    sender.send(sent, record)  # as the spool does
    sent.close(60)
    assert sender.failures[1].kind is FailureKind.REJECTED
    assert sorted(account.names) == [f"{LAKE}f{n}" for n in (0, 2, 3)]


@pytest.mark.parametrize("count", [1, 5])
def test_a_message_that_runs_out_of_time_fails_and_is_sent_again_as_a_whole(
    account: DataMap, server: DataMapHttpServer, sender: Sender, count: int
) -> None:
    account.refuses = refusing(f"{LAKE}f1", error="no name")  # type: ignore[assignment]
    records = [creation(*(path(f"f{n}", f"-{n + 1}") for n in range(4)))] * count
    sent = transport(server, account)
    sender.send(sent, *records)
    sent.service(0)  # one request: refused
    sent.close(0)
    assert [failure.kind for failure in sender.failures] == [FailureKind.TRANSIENT] * count
    assert "not posted when the transport was closed" in str(sender.failures[0])
