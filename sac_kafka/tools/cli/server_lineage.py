"""Read lineage back from an Atlas server over REST, in the form in which messages have it."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.errors import SacKafkaError
from sac_kafka.tools.catalog.errors import RestError
from sac_kafka.tools.catalog.server import AtlasServer
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.json_values import as_object, objects_in
from sac_kafka.tools.messages.entities import ends, is_column_lineage, is_process, process_of
from sac_kafka.tools.messages.lineage import parse_notification
from sac_kafka.tools.messages.model import CatalogChange, LineageProcess
from sac_kafka.tools.messages.names import qualified

PAGE = 100
"""Entities per request; must not exceed the server's `atlas.search.maxlimit`."""
MAX_ENTITIES = 200_000
_PROCESS, _APPLICATION, _TABLE = "Process", "spark_application", "spark_table"
"""Searches include subtypes: `Process` finds the processes of all hooks, and column lineage."""
_NO_SUCH_TYPE = (400, 404)
_SIDES = ("inputs", "outputs")
_NAME = "qualifiedName"
_DELETED = "DELETED"

_Json = Mapping[str, Any]


def read_lineage(server: AtlasServer, namespace: str | None) -> Iterator[LineageProcess | CatalogChange]:
    """Yield the tables, processes, column lineage and dropped datasets of a server.

    Args:
        server: The server.
        namespace: Limit to qualified names of this namespace; None for all.

    Raises:
        SacKafkaError: The server cannot be reached or refuses access, or has more than MAX_ENTITIES.
    """
    reading = _Reading(server)
    columns: list[AtlasEntity] = []
    kept: set[AtlasObjectId] = set()
    tables = [each for each in _tables(server) if _is_of(each.name, namespace)]
    yield from tables
    for page in _pages(server, _PROCESS):
        entities = reading.entities(page)
        columns += (each for each in entities if is_column_lineage(each.id.type_name))
        processes = [each for each in entities if is_process(each) and _is_of(each.id.qualified_name, namespace)]
        kept.update(each.id for each in processes)
        yield from map(_with_known_rows, parse_notification(EntityCreate(entities=tuple(processes))))
    emitted = (each for each in columns if ends(each, "outputs") and _process(each) in kept)
    yield from parse_notification(EntityCreate(entities=tuple(emitted)))
    existing = reading.active | {each.name for each in tables}
    for name, type_name in reading.deleted.items():
        if name not in existing:
            yield CatalogChange("dropped", type_name, name)


def read_applications(server: AtlasServer, namespace: str | None) -> Iterator[AtlasEntity]:
    """Yield the application entities of a server; arguments as of `read_lineage`."""
    reading = _Reading(server)
    for page in _pages(server, _APPLICATION):
        yield from (each for each in reading.entities(page) if _is_of(each.id.qualified_name, namespace))


def _is_of(name: str, namespace: str | None) -> bool:
    """Return whether a name is in the namespace; Hive and Impala append a time to the names of processes."""
    return namespace is None or name.endswith(f"@{namespace}") or f"@{namespace}:" in name


def _with_known_rows(each: LineageProcess | CatalogChange) -> LineageProcess | CatalogChange:
    """Remove row conditions on columns of renamed datasets: `details` keeps the names at the time of the run."""
    if isinstance(each, CatalogChange):
        return each
    return replace(each, row_columns=tuple(row for row in each.row_columns if row[1].dataset in each.inputs))


def _process(column_lineage: AtlasEntity) -> AtlasObjectId | None:
    try:
        return process_of(column_lineage)
    except IndexError:
        return None


def _tables(server: AtlasServer) -> Iterator[CatalogChange]:
    try:
        for headers in _headers(server, _TABLE):
            for each in headers:
                if name := str(as_object(each.get("attributes")).get(_NAME) or ""):
                    yield CatalogChange("defined", str(each.get("typeName")), qualified(name))
    except RestError as error:
        if error.status not in _NO_SUCH_TYPE:
            raise


def _pages(server: AtlasServer, type_name: str) -> Iterator[list[_Json]]:
    """Yield the entities of a type, page by page."""
    with show_progress(f"reading {type_name} of {server.address}", "page") as shown:
        for headers in _headers(server, type_name):
            shown.add()
            yield _bulk(server, (str(each["guid"]) for each in headers if each.get("guid")))


def _headers(server: AtlasServer, type_name: str) -> Iterator[list[_Json]]:
    """Yield the pages of a search until one is empty, because a server may return fewer entities than the limit."""
    found = 0
    while True:
        body = {"typeName": type_name, "excludeDeletedEntities": True, "attributes": [_NAME], "limit": PAGE}
        headers = objects_in(server.post("/api/atlas/v2/search/basic", {**body, "offset": found}).get("entities"))
        if not headers:
            return
        found += len(headers)
        if found > MAX_ENTITIES:
            raise SacKafkaError(
                f"{server.address}: more than {MAX_ENTITIES:,} entities of {type_name}: use the topic or a file as SOURCE instead"
            )
        yield headers


def _bulk(server: AtlasServer, guids: Iterable[str]) -> list[_Json]:
    asked = [("guid", each) for each in guids]
    if not asked:
        return []
    return objects_in(
        server.get(f"/api/atlas/v2/entity/bulk?{urllib.parse.urlencode(asked)}&minExtInfo=true").get("entities")
    )


@dataclass(slots=True)
class _Reading:
    """State of reading entities: qualified names by guid, and the inputs and outputs of processes.

    `active` are the names of existing datasets, `deleted` those of deleted ones with their types. A dropped and re-created
    dataset is in both, because Atlas has two entities of that name.
    """

    server: AtlasServer
    active: set[str] = field(default_factory=set)
    deleted: dict[str, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def entities(self, page: list[_Json]) -> list[AtlasEntity]:
        """Return the named entities of a page; the names of entities they refer to are looked up if missing."""
        self._names |= {str(each.get("guid")): name for each in page if (name := _name(each))}
        referred = [end for each in page for by_guid in _referred(each).values() for end in by_guid.values()]
        self._names |= {str(each["guid"]): name for each in referred if (name := _unique_name(each))}
        unknown = list(dict.fromkeys(guid for each in referred if (guid := str(each["guid"])) not in self._names))
        for at in range(0, len(unknown), PAGE):
            self._look_up(unknown[at : at + PAGE])
        return [self._entity(each, name) for each in page if (name := _name(each))]

    def _look_up(self, guids: Iterable[str]) -> None:
        try:
            self._names |= {str(each.get("guid")): name for each in _bulk(self.server, guids) if (name := _name(each))}
        except RestError as error:
            if error.status != 404:  # one of them was purged in the meantime: use their display texts
                raise

    def _entity(self, found: _Json, name: str) -> AtlasEntity:
        references: dict[str, AtlasObjectId | tuple[AtlasObjectId, ...]] = {}
        attributes = as_object(found.get("attributes"))
        is_flow = not is_column_lineage(str(found.get("typeName")))
        for role, by_guid in _referred(found).items():
            had = [(id_, each) for each in by_guid.values() if (id_ := self._id(each)) is not None]
            if is_flow and role in _SIDES:
                self._notice(had)
            if had:
                ids = dict.fromkeys(id_ for id_, _ in had)
                references[role] = tuple(ids) if role in _SIDES else next(iter(ids))
        return AtlasEntity(
            id=AtlasObjectId(str(found.get("typeName")), name),
            attributes={k: v for k, v in attributes.items() if k not in references and k != _NAME},
            references=references,
            custom_attributes={str(k): str(v) for k, v in as_object(found.get("customAttributes")).items()},
        )

    def _id(self, end: _Json) -> AtlasObjectId | None:
        """Return the id of an end; None if the relationship was deleted, unless because the end itself was."""
        if end.get("relationshipStatus") == _DELETED and end.get("entityStatus") != _DELETED:
            return None
        name = self._names.get(str(end["guid"])) or end.get("displayText")
        return AtlasObjectId(str(end["typeName"]), str(name)) if name and end.get("typeName") else None

    def _notice(self, had: list[tuple[AtlasObjectId, _Json]]) -> None:
        for id_, end in had:
            if end.get("entityStatus") == _DELETED:
                self.deleted.setdefault(qualified(id_.qualified_name), id_.type_name)
            else:
                self.active.add(qualified(id_.qualified_name))


def _referred(found: _Json) -> dict[str, dict[str, _Json]]:
    """Return the references of an entity by role and guid, merged from attributes and relationship attributes.

    Attributes have the qualified names, relationship attributes the status and the display text.
    """
    roles: dict[str, dict[str, _Json]] = {}
    for given in (as_object(found.get("relationshipAttributes")), as_object(found.get("attributes"))):
        for role, value in given.items():
            for each in objects_in(value if isinstance(value, list) else [value]):
                if each.get("guid"):
                    by_guid = roles.setdefault(role, {})
                    guid = str(each["guid"])
                    by_guid[guid] = {**by_guid.get(guid, {}), **each}
    return roles


def _name(entity: _Json) -> str:
    return str(as_object(entity.get("attributes")).get(_NAME) or "")


def _unique_name(end: _Json) -> str:
    return str(as_object(end.get("uniqueAttributes")).get(_NAME) or "")
