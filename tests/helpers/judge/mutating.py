"""Messages spoiled in one place each, for a server and for `sac-kafka validate`."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from tests.helpers.judge.records import (
    DATABASE,
    INPUT,
    OUTPUT,
    TABLE,
    column,
    column_lineage,
    create,
    entity,
    flow,
    path,
    process,
    record,
    reference,
    v1_create,
    v1_entity,
    v1_flow,
    v1_id,
    v1_path,
)

ID = {"typeName": "spark_process", "uniqueAttributes": {"qualifiedName": "p@c"}}
_BY_NAME = {"typeName": "hdfs_path", "attribute": "qualifiedName", "attributeValue": "/in@c"}
_FULL = {
    **path(createTime=1_700_000_000_000, fileSize=5, isFile=True, owner="o"),
    "status": "ACTIVE",
    "createdBy": "alice",
    "updatedBy": "alice",
    "createTime": 1_700_000_000_000,
    "updateTime": 1_700_000_000_000,
    "version": 0,
    "provenanceType": 0,
    "isIncomplete": False,
    "proxy": False,
    "homeId": None,
    "labels": ["a"],
    "customAttributes": {"k": "v"},
    "classifications": [],
    "meanings": [],
}

MESSAGES: dict[str, str] = {
    "flow": flow(),
    "flow with sides among the attributes": flow({}, inputs=[INPUT], outputs=[OUTPUT]),
    "table": create(DATABASE, TABLE, column()),
    "column lineage": create(path(), path("/out@c", "-2"), process(), column_lineage()),
    "entity with all members": create(_FULL),
    "referred": create(process(), referred={"-1": path(), "-2": path("/out@c", "-2")}),
    "full update": create(path(), type="ENTITY_FULL_UPDATE_V2"),
    "partial update": record(
        {
            "type": "ENTITY_PARTIAL_UPDATE_V2",
            "entityId": ID,
            "entity": {
                "entity": {"typeName": "spark_process", "guid": "-1", "attributes": {"details": "done"}},
                "referredEntities": {},
            },
        }
    ),
    "delete": record({"type": "ENTITY_DELETE_V2", "entities": [ID, reference("hdfs_path", "/in@c")]}),
    "envelope": record(
        json.loads(flow())["message"],
        version={"version": "1.0.0", "versionParts": [1]},
        msgId="m",
        msgCompressionKind="NONE",
        msgSplitIdx=1,
        msgSplitCount=1,
        msgSourceIP="10.0.0.1",
        msgCreatedBy="alice",
        spooled=False,
        source={"source": "spark", "version": "1"},
    ),
    "version as a text": record(json.loads(flow())["message"], version="1.0.0", source="spark"),
    "notification alone": json.dumps(json.loads(flow())["message"]),
    "bucket": create(
        entity("aws_s3_v2_bucket", "s3a://b@c", "-1"),
        entity(
            "aws_s3_v2_directory",
            "s3a://b/d/@c",
            "-2",
            {"container": reference("aws_s3_v2_bucket", "s3a://b@c", "-1")},
            objectPrefix="/d/",
        ),
    ),
    "topic": create(entity("kafka_topic", "t@c", topic="t", uri="t")),
    "V1 flow": v1_flow(),
    "V1 flat": v1_create(
        v1_path("/in@c", "-1", createTime="2023-11-14T22:13:20.000Z"),
        v1_path("/out@c", "-2"),
        v1_entity("spark_process", "p@c", "-9", inputs=[v1_id("hdfs_path", "-1")], outputs=[v1_id("hdfs_path", "-2")]),
    ),
    "V1 full update": v1_create(v1_path("/in@c", "-1"), type="ENTITY_FULL_UPDATE"),
    "V1 partial update": record(
        {"type": "ENTITY_PARTIAL_UPDATE", **_BY_NAME, "entity": v1_path("/in@c", "-1", owner="o")}
    ),
    "V1 delete": record({"type": "ENTITY_DELETE", **_BY_NAME}),
}
"""Good ones, of every kind of notification in both forms."""

_VALUES: tuple[Any, ...] = (
    None, "", "x", "1", "true", "ACTIVE", "1.0.0", "2023-11-14", 0, 1, -1, 1.5, 1e300, True, False,
    [], [None], ["x"], [1], [{}], [[]], {}, {"x": 1}, {"x": None}, {"typeName": "x"},
)  # fmt: skip


def mutations(message: str) -> Iterator[tuple[str, str]]:
    """Yield the message with one place changed, removed or added to, each with a description of the change."""
    whole = json.loads(message)
    for place in _places(whole):
        for value in _VALUES:
            if value != _at(whole, place) or type(value) is not type(_at(whole, place)):
                yield f"{_shown(place)} = {json.dumps(value)}", json.dumps(_changed(whole, place, value))
        if isinstance(place[-1], str):
            yield f"{_shown(place)} removed", json.dumps(_without(whole, place))
        if isinstance(_at(whole, place), dict):
            for value in (None, 1, "x", [], {}):
                yield (
                    f"{_shown(place)} + colour = {json.dumps(value)}",
                    json.dumps(_changed(whole, (*place, "colour"), value)),
                )


TEXTS: dict[str, str] = {
    "a text behind it": f"{MESSAGES['flow']} and more",
    "another message behind it": f"{MESSAGES['flow']} {MESSAGES['delete']}",
    "a comma behind it": f"{MESSAGES['flow']},",
    "blanks around it": f"  {MESSAGES['flow']}  ",
    "NaN": MESSAGES["entity with all members"].replace('"fileSize": 5', '"fileSize": NaN'),
    "Infinity": MESSAGES["entity with all members"].replace('"fileSize": 5', '"fileSize": Infinity'),
    "NaN in the envelope": MESSAGES["envelope"].replace('"msgSplitIdx": 1', '"msgSplitIdx": NaN'),
    "a zero before a number": MESSAGES["envelope"].replace('"msgSplitIdx": 1', '"msgSplitIdx": 01'),
    "a comment": MESSAGES["flow"].replace("{", "{/* x */", 1),
    "single quotes": MESSAGES["flow"].replace('"user"', "'user'"),
    "no quotes": MESSAGES["flow"].replace('"user"', "user"),
    "a comma at an end": MESSAGES["delete"].replace("}}", "},}", 1),
    "cut off": MESSAGES["flow"][:-1],
    "a byte order mark": f"\ufeff{MESSAGES['flow']}",
    "nothing": " ",
    "null": "null",
    "a number": "1",
    "a text": '"x"',
    "a list": f"[{MESSAGES['flow']}]",
    "a key twice": MESSAGES["flow"].replace('"user":', '"user": "bob", "user":', 1),
}
"""What a parser may take or refuse."""


def _places(value: Any, before: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*before, key)
        yield from _places(each, (*before, key))


def _at(whole: Any, place: tuple[str | int, ...]) -> Any:
    for key in place:
        whole = whole[key]
    return whole


def _changed(whole: Any, place: tuple[str | int, ...], value: Any) -> Any:
    changed = copy.deepcopy(whole)
    _at(changed, place[:-1])[place[-1]] = copy.deepcopy(value)
    return changed


def _without(whole: Any, place: tuple[str | int, ...]) -> Any:
    changed = copy.deepcopy(whole)
    del _at(changed, place[:-1])[place[-1]]
    return changed


def _shown(place: tuple[str | int, ...]) -> str:
    return ".".join(map(str, place))
