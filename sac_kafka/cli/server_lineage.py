"""What an Atlas server has stored of flows and columns, read back over REST as messages would tell it."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.cli.rest import Server
from sac_kafka.errors import SacKafkaError
from sac_kafka.readable.lineage import says
from sac_kafka.readable.told import ToldChange, ToldProcess

PAGE = 100
"""Entities of one request: a server gives no more than `atlas.search.maxlimit` of them."""
MOST_ENTITIES = 50_000
_PROCESS, _COLUMNS = "spark_process", "spark_column_lineage"
_DELETED = "DELETED"

_Json = Mapping[str, Any]


def told_by(server: Server, namespace: str | None) -> Iterator[ToldProcess | ToldChange]:
    """Give the flows of a server, and then their columns.

    Args:
        server: Who is asked.
        namespace: The end of the names that are meant, behind their @; None for all.

    Raises:
        SacKafkaError: The server cannot be asked, or has more than MOST_ENTITIES.
    """
    names: dict[str, str] = {}  # of processes, by guid: a column lineage names its process by that alone
    for type_name in (_PROCESS, _COLUMNS):
        for page in _pages(server, type_name):
            entities = []
            for each in page:
                name = str(_map(each.get("attributes")).get("qualifiedName", ""))
                if name and (namespace is None or name.endswith(f"@{namespace}")):
                    if type_name == _PROCESS:
                        names[str(each.get("guid"))] = name
                    entity = _entity(each, name, names)
                    if type_name == _PROCESS or {"process", "outputs"} <= entity.references.keys():
                        entities.append(entity)
            yield from says(EntityCreate(entities=tuple(entities)))


def applications_of(server: Server, namespace: str | None) -> Iterator[AtlasEntity]:
    """Give the applications that a server has, with what they have said at their end; arguments as of `told_by`."""
    for page in _pages(server, "spark_application"):
        for each in page:
            name = str(_map(each.get("attributes")).get("qualifiedName", ""))
            if name and (namespace is None or name.endswith(f"@{namespace}")):
                yield _entity(each, name, {})


def _pages(server: Server, type_name: str) -> Iterator[list[_Json]]:
    """The entities of a type, a page after the other."""
    found = 0
    while True:
        body = {"typeName": type_name, "excludeDeletedEntities": True, "limit": PAGE, "offset": found}
        headers = _list(server.post("/api/atlas/v2/search/basic", body).get("entities"))
        guids = [("guid", str(each["guid"])) for each in headers if each.get("guid")]
        if guids:
            bulk = server.get(f"/api/atlas/v2/entity/bulk?{urllib.parse.urlencode(guids)}&minExtInfo=true")
            yield _list(bulk.get("entities"))
        found += len(headers)
        if len(headers) < PAGE:
            return
        if found >= MOST_ENTITIES:
            raise SacKafkaError(
                f"{server.address}: more than {MOST_ENTITIES:,} entities of {type_name}: read the topic, or a file, instead"
            )


def _entity(found: _Json, name: str, names: Mapping[str, str]) -> AtlasEntity:
    attributes = _map(found.get("attributes"))
    references: dict[str, AtlasObjectId | tuple[AtlasObjectId, ...]] = {}
    # Attributes have the unique names of what they refer to, relationships only what is shown of it.
    for ends in (_map(found.get("relationshipAttributes")), attributes):
        for role, value in ends.items():
            ids = tuple(_ids(value if isinstance(value, list) else [value], names))
            if ids:
                references[role] = ids if isinstance(value, list) else ids[0]
    return AtlasEntity(
        id=AtlasObjectId(str(found.get("typeName")), name),
        attributes={k: v for k, v in attributes.items() if k not in references and k != "qualifiedName"},
        references=references,
        custom_attributes={str(k): str(v) for k, v in _map(found.get("customAttributes")).items()},
    )


def _ids(ends: list[Any], names: Mapping[str, str]) -> Iterator[AtlasObjectId]:
    for each in (end for end in _list(ends) if end.get("guid")):
        if _DELETED in (each.get("entityStatus"), each.get("relationshipStatus")):
            continue
        unique = _map(each.get("uniqueAttributes")).get("qualifiedName")
        name = unique or names.get(str(each.get("guid"))) or each.get("displayText")
        if name and each.get("typeName"):
            yield AtlasObjectId(str(each["typeName"]), str(name))


def _map(value: object) -> _Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[_Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
