"""Collections of the Data Map: new assets go into the collection that is set; existing ones are never moved."""

from __future__ import annotations

import pytest

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http.data_map.delivery import KnownAssets, look_ups
from sac_kafka.transport.http.data_map.requests import Bulk, Delete, EntityName, LookUp, Update, call_of
from tests.unit.transport.http.data_map.bench import LAKE, Sender, creation, deletion, flow, path, transport
from tests.unit.transport.http.data_map_server import ROOT, DataMap, DataMapHttpServer, Reply

SALES = "abc123"
KEYS = {"atlas.hook.spark.purview.collection": SALES}


def collections(account: DataMap) -> dict[str, str]:
    return {name: stored.collection for (_, name), stored in account.stored.items()}


def scanned(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    """Put this asset into the root collection, as a scan does."""
    sender.send(scan := transport(server, account), creation(path("orders")))
    scan.close(60)
    account.requests.clear()
    sender.outcomes.clear()


def test_new_assets_go_into_the_collection_and_scanned_ones_stay(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    scanned(account, server, sender)
    sent = transport(server, account, **KEYS)
    sender.send(sent, creation(*flow("daily")))
    sent.close(60)
    assert sender.outcomes == [None]
    assert collections(account) == {f"{LAKE}orders": ROOT, f"{LAKE}totals": SALES, "daily": SALES}
    assert account.methods() == [
        "GET bulk/uniqueAttribute/type/azure_datalake_gen2_path",
        "GET bulk/uniqueAttribute/type/spark_process",
        "POST bulk",
        "POST bulk",
    ]
    inputs = account.entity("spark_process", "daily")["attributes"]["inputs"]
    assert inputs[0]["uniqueAttributes"] == {"qualifiedName": f"{LAKE}orders"}


def test_known_assets_are_not_looked_up_again(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    sent = transport(server, account, **KEYS)
    sender.send(sent, creation(*flow("daily")))
    sent.flush(60)
    sender.send(sent, creation(*flow("daily")))
    sent.close(60)
    assert sender.outcomes == [None, None]
    assert [each.method for each in account.requests] == ["GET", "GET", "POST", "POST"]
    assert [each.query.get("collectionId") for each in account.requests[2:]] == [SALES, None]
    assert set(collections(account).values()) == {SALES}


def test_a_deleted_asset_that_comes_again_is_new(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    sent = transport(server, account, **KEYS)
    name = ("azure_datalake_gen2_path", f"{LAKE}orders")
    sender.send(sent, creation(path("orders")), deletion(name), creation(path("orders")))
    sent.close(60)
    assert sender.outcomes == [None] * 3
    assert collections(account) == {f"{LAKE}orders": SALES}


def test_a_person_s_own_choice_of_collection_is_kept(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    sent = transport(server, account, **KEYS)
    sender.send(sent, creation(*flow("daily")))
    sent.close(60)
    account.stored["spark_process", "daily"].collection = "moved by hand"
    again = transport(server, account, **KEYS)
    sender.send(again, creation(*flow("daily")))
    again.close(60)
    assert collections(account)["daily"] == "moved by hand"


def test_an_account_without_bulk_look_ups_is_asked_one_by_one(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    scanned(account, server, sender)
    nothing = Reply(404, {"errorCode": "ATLAS-404-00-009", "errorMessage": "does not exist"})
    account.replies = [nothing]
    sent = transport(server, account, **KEYS)
    sender.send(sent, creation(*flow("daily")))
    sent.close(60)
    assert sender.outcomes == [None]
    assert collections(account) == {f"{LAKE}orders": ROOT, f"{LAKE}totals": SALES, "daily": SALES}
    assert [each.method for each in account.requests] == ["GET"] * 4 + ["POST"] * 2


def test_an_asset_marked_as_deleted_does_not_exist(account: DataMap, server: DataMapHttpServer, sender: Sender) -> None:
    scanned(account, server, sender)
    account.stored["azure_datalake_gen2_path", f"{LAKE}orders"].entity["status"] = "DELETED"
    sent = transport(server, account, **KEYS)
    sender.send(sent, creation(path("orders")))
    sent.close(60)
    assert collections(account) == {f"{LAKE}orders": SALES}


def test_a_refused_single_look_up_means_a_missing_asset(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    account.replies = [Reply(404, {"errorCode": "ATLAS-404-00-009", "errorMessage": "does not exist"})]
    sent = transport(server, account, **KEYS)
    sender.send(sent, creation(path("orders")))
    sent.close(60)
    assert sender.outcomes == [None]
    assert collections(account) == {f"{LAKE}orders": SALES}


@pytest.mark.parametrize(
    "reply",
    [
        None,
        Reply(404, {"errorCode": "ATLAS-404-00-016", "errorMessage": "collection does not exist"}),
        Reply(400, {"errorCode": "ATLAS-400-00-014", "errorMessage": "Collection Sales is not valid"}),
    ],
)
def test_an_unknown_collection_needs_action(
    account: DataMap, server: DataMapHttpServer, sender: Sender, reply: Reply | None
) -> None:
    account.replies = [None, reply]
    sent = transport(server, account, **{"atlas.hook.spark.purview.collection": "Sales"})
    sender.send(sent, creation(path("orders")))
    sent.close(60)
    assert sender.failures[0].kind is FailureKind.NEEDS_ACTION
    assert "give the collection's id, not the name that is shown" in str(sender.failures[0])
    assert account.names == []


def test_a_content_error_is_not_blamed_on_the_collection(
    account: DataMap, server: DataMapHttpServer, sender: Sender
) -> None:
    bad = Reply(400, {"errorCode": "ATLAS-400-00-014", "errorMessage": "array of collections is not supported"})
    account.replies = [None, bad]
    sent = transport(server, account, **KEYS)
    sender.send(sent, creation(path("orders")))
    sent.close(60)
    assert sender.failures[0].kind is FailureKind.REJECTED


def test_look_ups_fit_a_url_and_cover_all_entities() -> None:
    names = [f"{LAKE}{'ä' * (n * 20)}/{n}" for n in range(60)]
    bulk = Bulk(
        tuple({"typeName": f"type{n % 2}", "attributes": {"qualifiedName": each}} for n, each in enumerate(names))
    )
    known = KnownAssets()
    known.add([EntityName("type0", names[0])])
    calls = list(look_ups(bulk, known))
    assert {name.qualified_name for each in calls for name in each.names} == set(names[1:])
    assert all(len({name.type_name for name in each.names}) == 1 for each in calls)
    assert all(len(call_of(each).path) < 8_000 for each in calls if len(each.names) > 1)


def test_spaces_in_urls_are_percent_encoded() -> None:
    name = EntityName("databricks notebook", f"{LAKE}Shared/load sales+more")
    calls = (LookUp((name,)), Delete(name), Update(name, {}), Bulk((), "a b"))
    for address in (call_of(each).path for each in calls):
        assert "+" not in address
        assert "%20" in address


def test_the_memory_of_known_assets_is_bounded() -> None:
    known = KnownAssets(max_names=3)
    known.add(EntityName("t", str(n)) for n in range(5))
    assert [EntityName("t", str(n)) in known for n in range(5)] == [False, False, True, True, True]
