"""The Data Map of a Purview account as a server on loopback, from Microsoft's REST reference (2023-09-01).

It follows the reference of `Entity`: bulk create or update (upsert by type and qualified name, assignment of negative
guids, references), partial update, delete and get by unique attribute, list by unique attributes; and lineage by unique
attribute. It also fails as a test wants. Where the reference is silent it follows Atlas, which Purview is made from:
codes of errors, and that a bulk request is accepted as a whole or not at all.

Unknown paths are passed to `more`, so that another stand-in can serve types from the same address.
"""

from __future__ import annotations

import json
import ssl
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.helpers.loopback_server import HttpRequest, LoopbackServer
from tests.helpers.loopback_server import Reply as HttpReply
from tests.helpers.secret_search import used

Json = Any
Key = tuple[str, str]
"""Type and qualified name."""
ROOT = "root"
TYPES = frozenset(
    {
        *("azure_datalake_gen2_path", "azure_datalake_gen2_resource_set", "azure_sql_table", "azure_sql_column"),
        *("hive_table", "spark_process", "databricks_process", "DataSet", "Process"),
    }
)
_ENTITY = "/atlas/v2/entity/"
_UNIQUE = f"{_ENTITY}uniqueAttribute/type/"
_BULK_UNIQUE = f"{_ENTITY}bulk/uniqueAttribute/type/"
_LINEAGE = "/atlas/v2/lineage/uniqueAttribute/type/"


@dataclass(frozen=True)
class Reply:
    """An answer; `cut` closes the connection instead, `hangs` gives none until the server ends. `done`: it is done anyway."""

    status: int = 200
    body: Json = None
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    cut: bool = False
    done: bool = False


@dataclass(frozen=True)
class Request:
    """A request: `path` is without the base."""

    method: str
    base: str
    path: str
    query: dict[str, str]
    body: Json
    headers: dict[str, str]


@dataclass
class Stored:
    """A stored entity, with everything ever sent of it."""

    guid: str
    collection: str
    entity: dict[str, Json]
    history: list[dict[str, Json]] = field(default_factory=list)


class RefusedError(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.reply = Reply(status, {"requestId": "r", "errorCode": code, "errorMessage": message})


@dataclass
class DataMap:
    """What an account holds, and how it fails.

    `replies` are given first, one a request; None lets the request through. `refuses` returns why an entity is not
    taken: status, code, message. `silent` are names that answers of success do not mention.
    """

    token: str = field(default_factory=lambda: used(f"data-map-token-{uuid.uuid4().hex}"))
    expired: bool = False
    hides_errors: bool = False  # of missing entities, except for the status
    accepts: Callable[[str], bool] | None = None  # of a token; None: that of `token` alone
    bases: tuple[str, ...] = ("/datamap/api",)
    types: frozenset[str] = TYPES
    collections: frozenset[str] = frozenset({ROOT, "abc123"})
    replies: list[Reply | None] = field(default_factory=list)
    always: Reply | None = None
    refuses: Callable[[dict[str, Json]], tuple[int, str, str] | None] = lambda entity: None
    silent: frozenset[str] = frozenset()
    more: Callable[[Request], Reply | None] = lambda request: None
    stored: dict[Key, Stored] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    # ---- for the tests

    @property
    def names(self) -> list[str]:
        """The qualified names, in the order in which they came."""
        return [name for _, name in self.stored]

    def entity(self, type_name: str, qualified_name: str) -> dict[str, Json]:
        return self.stored[type_name, qualified_name].entity

    def methods(self) -> list[str]:
        return [f"{each.method} {each.path.removeprefix(_ENTITY)}" for each in self.requests]

    # ---- answering

    def answer(self, request: Request) -> Reply:
        with self.lock:
            self.requests.append(request)
            reply = self.replies.pop(0) if self.replies else None
            reply = reply or self.always
            if reply is not None and not reply.done:
                return reply
            answer = self._answered(request)
            return reply or answer

    def _answered(self, request: Request) -> Reply:
        if not self._is_logged_in(request.headers.get("Authorization", "")):
            return Reply(401, {"error": {"code": "Unauthorized", "message": "The access token is not valid"}})
        if request.base not in self.bases:
            return Reply(404, None)
        try:
            return self._route(request) or Reply(404, None)
        except RefusedError as error:
            return Reply(404) if self.hides_errors and error.reply.status == 404 else error.reply

    def _is_logged_in(self, header: str) -> bool:
        scheme, _, token = header.partition(" ")
        is_accepted = token == self.token if self.accepts is None else self.accepts(token)
        return scheme == "Bearer" and is_accepted and not self.expired

    def _route(self, request: Request) -> Reply | None:
        method, path = request.method, request.path
        if (method, path) == ("POST", "/atlas/v2/entity/bulk"):
            return self._bulk(request)
        if path.startswith(_BULK_UNIQUE) and method == "GET":
            return self._list(unquote(path.removeprefix(_BULK_UNIQUE)), request.query)
        if path.startswith(_LINEAGE) and method == "GET":
            return self._lineage(self._found(unquote(path.removeprefix(_LINEAGE)), request.query))
        if path.startswith(_UNIQUE):
            key, stored = self._found(unquote(path.removeprefix(_UNIQUE)), request.query)
            if method == "GET":
                return Reply(body={"entity": stored.entity, "referredEntities": {}})
            if method == "PUT":
                return self._update(stored, request.body["entity"])
            if method == "DELETE":
                del self.stored[key]
                return Reply(body={"mutatedEntities": {"DELETE": [_header(stored)]}})
        if method == "GET" and path == "/atlas/v2/types/entitydef/name/Process":
            return Reply(body={"name": "Process", "category": "ENTITY"})
        return self.more(request)

    def _bulk(self, request: Request) -> Reply:
        collection = request.query.get("collectionId")
        if collection is not None and collection not in self.collections:
            raise RefusedError(403, "ATLAS-403-00-001", f"not authorized: collection {collection} does not exist")
        entities: list[dict[str, Json]] = request.body["entities"]
        if not entities:
            raise RefusedError(400, "ATLAS-400-00-014", "invalid parameters: no entities to create/update.")
        for entity in entities:
            self._check(entity)
        given = {each["guid"]: _key(each) for each in entities if each.get("guid")}
        for entity in entities:
            for reference in _references(entity):
                self._resolved(reference, given)
        mutated: dict[str, list[Json]] = {"CREATE": [], "UPDATE": []}
        assigned: dict[str, str] = {}
        for entity in entities:
            is_new = _key(entity) not in self.stored
            stored = self._put(entity, collection, given)
            if _key(entity)[1] not in self.silent:
                mutated["CREATE" if is_new else "UPDATE"].append(_header(stored))
                assigned |= {entity["guid"]: stored.guid} if entity.get("guid") else {}
        return Reply(body={"mutatedEntities": {k: v for k, v in mutated.items() if v}, "guidAssignments": assigned})

    def _check(self, entity: dict[str, Json]) -> None:
        if entity["typeName"] not in self.types:
            raise RefusedError(404, "ATLAS-404-00-001", f"Given typename {entity['typeName']} was invalid")
        if not entity.get("attributes", {}).get("qualifiedName"):
            raise RefusedError(400, "ATLAS-400-00-01A", "invalid parameters: mandatory attribute value missing")
        if (why := self.refuses(entity)) is not None:
            raise RefusedError(*why)

    def _put(self, entity: dict[str, Json], collection: str | None, given: dict[str, Key]) -> Stored:
        """Absent attributes stay; a collection moves the entity."""
        key = _key(entity)
        stored = self.stored.setdefault(key, Stored(str(uuid.uuid4()), ROOT, {"typeName": key[0], "attributes": {}}))
        if collection is not None:
            stored.collection = collection
        for place in ("attributes", "relationshipAttributes"):
            values = {name: _named(value, given) for name, value in entity.get(place, {}).items()}
            stored.entity[place] = stored.entity.get(place, {}) | values
        stored.entity["guid"] = stored.guid
        stored.history.append(json.loads(json.dumps(stored.entity["attributes"])))
        return stored

    def _resolved(self, reference: dict[str, Json], given: dict[str, Key]) -> None:
        guid = reference.get("guid", "")
        if guid.startswith("-"):
            if guid not in given:
                raise RefusedError(404, "ATLAS-404-00-00A", f"Referenced entity {guid} is not found")
            return
        if guid:
            return
        key = (reference["typeName"], reference["uniqueAttributes"]["qualifiedName"])
        if key not in self.stored and key not in given.values():
            raise RefusedError(404, "ATLAS-404-00-00A", f"Referenced entity AtlasObjectId{key} is not found")

    def _found(self, type_name: str, query: dict[str, str]) -> tuple[Key, Stored]:
        key = (type_name, query.get("attr:qualifiedName", ""))
        if key not in self.stored:
            text = f"Instance {key[0]} with unique attribute {{qualifiedName={key[1]}}} does not exist"
            raise RefusedError(404, "ATLAS-404-00-009", text)
        return key, self.stored[key]

    def _update(self, stored: Stored, entity: dict[str, Json]) -> Reply:
        stored.entity["attributes"] |= entity.get("attributes", {})
        stored.history.append(json.loads(json.dumps(stored.entity["attributes"])))
        return Reply(body={"mutatedEntities": {"UPDATE": [_header(stored)]}, "guidAssignments": {}})

    def _list(self, type_name: str, query: dict[str, str]) -> Reply:
        names = [value for name, value in query.items() if name.startswith("attr_")]
        found = [self.stored[type_name, name].entity for name in names if (type_name, name) in self.stored]
        return Reply(body={"entities": found, "referredEntities": {}})

    def _lineage(self, found: tuple[Key, Stored]) -> Reply:
        """Return the processes that have it as an input or output."""
        (key, stored), relations = found, []
        for process in self.stored.values():
            ends = {**process.entity.get("attributes", {}), **process.entity.get("relationshipAttributes", {})}
            for place, pair in (("inputs", (stored.guid, process.guid)), ("outputs", (process.guid, stored.guid))):
                if any(_key(each) == key for each in ends.get(place) or ()):
                    relations.append({"fromEntityId": pair[0], "toEntityId": pair[1]})
        return Reply(body={"baseEntityGuid": stored.guid, "lineageDirection": "BOTH", "relations": relations})


def _key(entity: dict[str, Json]) -> Key:
    attributes = entity.get("uniqueAttributes") or entity.get("attributes") or {}
    return entity["typeName"], attributes.get("qualifiedName", "")


def _header(stored: Stored) -> Json:
    attributes = {"qualifiedName": stored.entity["attributes"]["qualifiedName"]}
    return {"typeName": stored.entity["typeName"], "guid": stored.guid, "attributes": attributes, "status": "ACTIVE"}


def _references(value: Json) -> Iterator[dict[str, Json]]:
    """Return the references within an entity: objects with a guid or unique attributes, without the entity itself."""
    inner = [value.get("attributes", {}), value.get("relationshipAttributes", {})] if "typeName" in value else []
    waiting = [each for place in inner for each in place.values()]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            if "guid" in each or "uniqueAttributes" in each:
                yield each
            else:
                waiting += each.values()


def _named(value: Json, given: dict[str, Key]) -> Json:
    """References by guid become references by name."""
    if isinstance(value, list):
        return [_named(each, given) for each in value]
    if isinstance(value, dict) and value.get("guid") in given:
        type_name, qualified_name = given[value["guid"]]
        return {"typeName": type_name, "uniqueAttributes": {"qualifiedName": qualified_name}}
    return value


class DataMapHttpServer(LoopbackServer):
    def __init__(self, account: DataMap, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(tls)
        self.account = account

    def reply(self, request: HttpRequest) -> HttpReply | None:
        parts = urlsplit(request.path)
        base, at, rest = parts.path.partition("/atlas/")
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        body = json.loads(request.body) if request.body else None
        reply = self.account.answer(Request(request.method, base, at + rest, query, body, dict(request.headers)))
        if reply.hangs:
            self.is_over.wait()
        if reply.cut:
            return None
        return reply.status, reply.headers, b"" if reply.body is None else json.dumps(reply.body).encode()
