"""Translate HOOK messages to requests of the Data Map, and read its responses.

Source: Microsoft's REST reference of the Data Map, `Entity` (2023-09-01): Bulk Create Or Update, Partial Update By Unique
Attributes, Delete By Unique Attribute, List By Unique Attributes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from sac_kafka.errors import SacKafkaError
from sac_kafka.transport.http.client import Answer, json_of

API_VERSION = "2023-09-01"
Entity = Mapping[str, Any]
"""An `AtlasEntity` as JSON."""

_PARTS = ("attributes", "relationshipAttributes", "uniqueAttributes")
_BULK = "/atlas/v2/entity/bulk"
_UNIQUE = "/atlas/v2/entity/uniqueAttribute/type/"
_BULK_UNIQUE = "/atlas/v2/entity/bulk/uniqueAttribute/type/"


class NotAMessageError(SacKafkaError):
    """The value is no HOOK message, or of a kind that the Data Map has no request for."""


@dataclass(frozen=True, slots=True)
class EntityName:
    """Type and qualified name, which identify an entity."""

    type_name: str
    qualified_name: str

    def __str__(self) -> str:
        """Return type and qualified name, for messages."""
        return f"{self.type_name} {self.qualified_name}"


@dataclass(frozen=True, slots=True)
class Bulk:
    """Entities to create or update. Without a `collection`, existing ones stay in theirs, and new ones go to the root."""

    entities: tuple[Entity, ...]
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Attributes to update in one entity; `body` is its `AtlasEntityWithExtInfo`."""

    name: EntityName
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delete:
    """An entity to delete."""

    name: EntityName


@dataclass(frozen=True, slots=True)
class LookUp:
    """Query for existing entities, all of one type."""

    names: tuple[EntityName, ...]


Request = Bulk | Update | Delete | LookUp


@dataclass(frozen=True, slots=True)
class DataMapCall:
    """A request as HTTP; `path` follows `/datamap/api`."""

    method: str
    path: str
    body: bytes | None = None


KNOWN = DataMapCall("GET", "/atlas/v2/types/entitydef/name/Process")
"""Query for a type that every account has."""


def call_of(request: Request) -> DataMapCall:
    """Return the request as HTTP."""
    match request:
        case Bulk(entities, collection):
            return DataMapCall("POST", _bulk_path(collection), _json({"entities": entities, "referredEntities": {}}))
        case Update(name, body):
            return DataMapCall("PUT", _path_of(name), _json(body))
        case Delete(name):
            return DataMapCall("DELETE", _path_of(name))
        case LookUp(names):
            each = [(f"attr_{number}:qualifiedName", name.qualified_name) for number, name in enumerate(names)]
            # %20, not +: a gateway may treat a + as part of the name.
            query = [*each, ("minExtInfo", "true"), ("ignoreRelationships", "true")]
            parameters = urlencode(query, safe=":", quote_via=quote)
            return DataMapCall("GET", f"{_BULK_UNIQUE}{quote(names[0].type_name, safe='')}?{parameters}")


def name_of(entity: Entity) -> EntityName:
    """Return an entity's name, or that of a reference by its unique attribute."""
    attributes = entity.get("uniqueAttributes") or entity.get("attributes") or {}
    qualified_name = attributes.get("qualifiedName") if isinstance(attributes, dict) else None
    return EntityName(str(entity.get("typeName") or ""), str(qualified_name or ""))


def _creation(message: Mapping[str, Any]) -> tuple[Request, ...]:
    """Return the request for an ENTITY_CREATE. Referred entities are listed, too: only listed ones are sure to be created."""
    with_more = message["entities"]
    listed = tuple(map(_entity, with_more["entities"]))
    guids = {each.get("guid") for each in listed}
    referred = (with_more.get("referredEntities") or {}).values()
    more = tuple(_entity(entity) for entity in referred if entity.get("guid") not in guids)
    return (Bulk(more + listed),) if more or listed else ()


def _update(message: Mapping[str, Any]) -> tuple[Request, ...]:
    _entity(message["entity"]["entity"])
    return (Update(_name(message["entityId"]), {"referredEntities": {}, **message["entity"]}),)


def _deletion(message: Mapping[str, Any]) -> tuple[Request, ...]:
    return tuple(Delete(_name(each)) for each in message["entities"])


_READERS = {
    "ENTITY_CREATE_V2": _creation,
    "ENTITY_FULL_UPDATE_V2": _creation,
    "ENTITY_PARTIAL_UPDATE_V2": _update,
    "ENTITY_DELETE_V2": _deletion,
}


def requests_of(value: bytes) -> tuple[Request, ...]:
    """Translate a HOOK message.

    Raises:
        NotAMessageError: It is no HOOK message, or the Data Map has no request for it.
    """
    try:
        envelope = json.loads(value)
        message = envelope.get("message", envelope)
        return _READERS[message["type"]](message)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotAMessageError(f"no message that the Data Map has a request for ({type(error).__name__})") from None


def _entity(value: Any) -> Entity:  # noqa: ANN401 # any JSON
    """Return an entity or reference after checking the types of the members that are used."""
    if not isinstance(value, dict) or not isinstance(value.get("typeName"), str):
        raise TypeError
    if not isinstance(value.get("guid") or "", str):
        raise TypeError
    if not all(isinstance(value.get(part) or {}, dict) for part in _PARTS):
        raise TypeError
    return value


def _name(reference: Entity) -> EntityName:
    name = name_of(_entity(reference))
    if not name.type_name or not name.qualified_name:
        raise KeyError
    return name


def _path_of(name: EntityName) -> str:
    qualified_name = quote(name.qualified_name, safe="")
    return f"{_UNIQUE}{quote(name.type_name, safe='')}?attr:qualifiedName={qualified_name}"


def _bulk_path(collection: str | None) -> str:
    """Return the path of a bulk request, which preserves business attributes that users maintain in Purview."""
    parameters = {"api-version": API_VERSION, "businessAttributeUpdateBehavior": "ignore"}
    if collection is not None:
        parameters["collectionId"] = collection
    return f"{_BULK}?{urlencode(parameters, quote_via=quote)}"


def _json(value: Mapping[str, Any] | Sequence[Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), check_circular=False).encode()


def missing_in_answer(answer: Answer, entities: Sequence[Entity]) -> tuple[EntityName, ...]:
    """Return the entities that a successful response does not mention.

    The guid of an unchanged entity is assigned, but the entity is not among the mutated ones.
    """
    found = json_of(answer)
    assigned = found.get("guidAssignments")
    guids = set(assigned) if isinstance(assigned, dict) else set()
    mentioned = set(_headers(found))
    return tuple(
        name for entity in entities if entity.get("guid") not in guids and (name := name_of(entity)) not in mentioned
    )


def found_names(answer: Answer) -> frozenset[EntityName]:
    """Return the names of the entities in a response that lists entities, without deleted ones."""
    listed = json_of(answer).get("entities")
    found = listed if isinstance(listed, list) else ()
    there = [each for each in found if isinstance(each, dict) and each.get("status") != "DELETED"]
    return frozenset(map(name_of, there))


def _headers(found: Mapping[str, Any]) -> Iterator[EntityName]:
    mutated = found.get("mutatedEntities")
    lists = [*(mutated.values() if isinstance(mutated, dict) else ()), found.get("partialUpdatedEntities")]
    for headers in lists:
        for header in headers if isinstance(headers, list) else ():
            if isinstance(header, dict):
                yield name_of(header)
