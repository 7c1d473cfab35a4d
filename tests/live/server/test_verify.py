"""Sent messages, looked up on a real Atlas: stored, a shell, refused, or not there yet."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.tools.cli.main import main
from tests.live.server.live_atlas import RunningAtlas
from tests.unit.atlas.flows import copy, messages_for, path, table

pytestmark = pytest.mark.atlas


def message(*entities: dict[str, Any], at_ms: int) -> dict[str, Any]:
    return {
        "version": {"version": "1.0.0", "versionParts": [1]},
        "msgCompressionKind": "NONE",
        "msgSplitIdx": 1,
        "msgSplitCount": 1,
        "msgCreationTime": at_ms,
        "message": {"type": "ENTITY_CREATE_V2", "user": "alice", "entities": {"entities": list(entities)}},
    }


def entity(type_name: str, name: str, **references: object) -> dict[str, Any]:
    return {
        "typeName": type_name,
        "guid": "-1",
        "attributes": {"qualifiedName": name, "name": name},
        "relationshipAttributes": references,
    }


@pytest.mark.bad_messages("a type that no server has")
def test_each_outcome_is_distinguished(
    atlas_server: RunningAtlas, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now = int(time.time() * 1000)
    flow = copy(table("landed_orders", "id", "amount"), path("hdfs://nn1/landed/totals", "id", "total"))
    (stored,) = (json.loads(each.value) for each in messages_for(flow, now_ms=now))
    missing = {"typeName": "spark_table", "uniqueAttributes": {"qualifiedName": "sales.landed_never@prod"}}
    shell = message(entity("spark_process", "landed-shell@prod", inputs=[missing]), at_ms=now)
    unknown = message(entity("landed_no_such_type", "landed-x@prod"), at_ms=now)
    late = message(entity("spark_process", "landed-late@prod"), at_ms=now + 3_600_000)

    def verified(*messages: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        file = tmp_path / "messages.jsonl"
        file.write_text("".join(f"{json.dumps(each)}\n" for each in messages))
        conf = {
            "atlas.rest.address": atlas_server.url,
            "atlas.rest.basic.auth.username": atlas_server.user,
            "atlas.rest.basic.auth.password": atlas_server.password,
        }
        options = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
        status = main(["verify", str(file), "--json", *options])
        return status, json.loads(capsys.readouterr().out)

    atlas_server.send([stored, shell, unknown])

    status, found = verified(stored)
    assert (status, found["problem"], found["stored"]) == (0, None, len(found["entities"])), found
    assert {each["type"] for each in found["entities"]} >= {"spark_table", "hdfs_path", "spark_process"}

    conf = [
        f"atlas.rest.address={atlas_server.url}",
        f"atlas.rest.basic.auth.username={atlas_server.user}",
        f"atlas.rest.basic.auth.password={atlas_server.password}",
        "atlas.metadata.namespace=prod",
    ]
    options = [word for each in conf for word in ("--conf", each)]
    assert main(["impact", "server", "sales.landed_orders.id", "--json", *options]) == 0
    places = [each for each in json.loads(capsys.readouterr().out)["places"] if "column" in each]
    assert [(each["dataset"], each["column"]) for each in places] == [("hdfs://nn1/landed/totals", "id")]
    assert main(["coverage", "server", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["jobs"]["daily load"]["with_column_lineage"] == 1

    status, found = verified(stored, shell, unknown, late)
    why = {each["name"]: (each["state"], each["reason"]) for each in found["entities"] if each["state"] != "stored"}
    assert status == 1
    assert {name: landing for name, (landing, _) in why.items()} == {
        "sales.landed_never@prod": "shell",
        "landed-x@prod": "rejected",
        "landed-late@prod": "pending",
    }
    assert "the server has no type landed_no_such_type: add it; the hook does not define it" in why["landed-x@prod"][1]
    assert "the server is behind: its last message was at 20" in why["landed-late@prod"][1]

    lost = message(entity("spark_process", "landed-lost@prod"), at_ms=now - 1000)
    status, found = verified(lost)  # the server has read messages since, but the time of sending is unknown
    assert (status, found["pending"]) == (1, 1), found
    assert "or has rejected it (see its failed.log); its last message was at 20" in found["problem"]
    assert "sent at an unknown time" in found["problem"]
