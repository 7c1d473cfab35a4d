"""Records of ATLAS_HOOK by hand, independent of the code that makes them: good ones, to be spoiled one way each."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

DATE = 1_795_165_900_000
_CLASS = "org.apache.atlas.typesystem.json.InstanceSerialization$_"


def record(message: dict[str, Any], **changed: Any) -> str:
    envelope = {"version": {"version": "1.0.0"}, "msgCreationTime": DATE, "message": {"user": "alice", **message}}
    return json.dumps({**envelope, **changed})


def create(*entities: dict[str, Any], type: str = "ENTITY_CREATE_V2", referred: dict | None = None) -> str:
    return record({"type": type, "entities": {"entities": list(entities), "referredEntities": referred or {}}})


def entity(
    type_name: str, called: str, guid: str = "-1", links: dict | None = None, **attributes: Any
) -> dict[str, Any]:
    """Attributes that are None are omitted."""
    known = {"qualifiedName": called, "name": called.partition("@")[0], **attributes}
    result = {"typeName": type_name, "guid": guid, "attributes": {k: v for k, v in known.items() if v is not None}}
    return {**result, "relationshipAttributes": links} if links else result


def reference(type_name: str, name: str, guid: str | None = None, relationship: str | None = None) -> dict[str, Any]:
    result = {"typeName": type_name, "uniqueAttributes": {"qualifiedName": name}}
    return {
        **result,
        **({"guid": guid} if guid else {}),
        **({"relationshipType": relationship} if relationship else {}),
    }


def path(called: str = "/in@c", guid: str = "-1", **attributes: Any) -> dict[str, Any]:
    return entity("hdfs_path", called, guid, **{"path": called.partition("@")[0], **attributes})


def column(called: str = "db.a.id@c", guid: str = "-3", links: dict | None = None, **attributes: Any) -> dict[str, Any]:
    owner = {"table": reference("spark_table", "db.a@c", "-2", "spark_table_columns")}
    return entity("spark_column", called, guid, owner if links is None else links, **{"type": "bigint", **attributes})


DATABASE = entity("spark_db", "db@c", "-1")
TABLE = entity("spark_table", "db.a@c", "-2", {"db": reference("spark_db", "db@c", "-1", "spark_table_db")})
INPUT = reference("hdfs_path", "/in@c", "-1", "dataset_process_inputs")
OUTPUT = reference("hdfs_path", "/out@c", "-2", "process_dataset_outputs")


def process(links: dict | None = None, **attributes: Any) -> dict[str, Any]:
    sides = {"inputs": [INPUT], "outputs": [OUTPUT]} if links is None else links
    return entity("spark_process", "p@c", "-9", sides, **attributes)


def flow(links: dict | None = None, **attributes: Any) -> str:
    return create(path(), path("/out@c", "-2"), process(links, **attributes))


def column_lineage(**sides: Any) -> dict[str, Any]:
    ends = {"inputs": [INPUT], "outputs": [OUTPUT], **sides}
    link = {"process": reference("spark_process", "p@c", "-9", "spark_process_column_lineages"), **ends}
    return entity("spark_column_lineage", "p:c@c", "-10", {k: v for k, v in link.items() if v is not None})


# ---- V1


def v1_id(type_name: str, guid: str) -> dict[str, Any]:
    return {"jsonClass": f"{_CLASS}Id", "id": guid, "typeName": type_name, "version": 0, "state": "ACTIVE"}


def v1_entity(type_name: str, name: str, guid: str, **values: Any) -> dict[str, Any]:
    return {
        "jsonClass": f"{_CLASS}Reference",
        "typeName": type_name,
        "id": v1_id(type_name, guid),
        "values": {"qualifiedName": name, "name": name, **values},
        "traits": {},
        "traitNames": [],
        "systemAttributes": None,
    }


def v1_path(name: str, guid: str, **values: Any) -> dict[str, Any]:
    return v1_entity("hdfs_path", name, guid, **{"path": name, **values})


def v1_create(*entities: dict[str, Any], type: str = "ENTITY_CREATE") -> str:
    return record({"type": type, "entities": list(entities)})


def v1_flow() -> str:
    """Nested: the datasets stand where they are used."""
    sides = {"inputs": [v1_path("/in@c", "-1")], "outputs": [v1_path("/out@c", "-2")]}
    return v1_create(v1_entity("spark_process", "p@c", "-9", **sides))


# ---- split and compressed


def parts(text: str, count: int, *, kind: str = "GZIP", id: str = "m_1") -> list[str]:
    """Return the record in so many parts, in order."""
    data = base64.b64encode(gzip.compress(text.encode()) if kind == "GZIP" else text.encode()).decode()
    size = -(-len(data) // count)
    pieces = [data[n * size : (n + 1) * size] for n in range(count)]
    about = {"version": {"version": "1.0.0"}, "msgId": id, "msgCompressionKind": kind, "msgSplitCount": count}
    return [
        json.dumps({**about, "msgSplitIdx": n if count > 1 else 1, "message": piece}) for n, piece in enumerate(pieces)
    ]
