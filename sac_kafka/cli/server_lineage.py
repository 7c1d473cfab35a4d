"""What an Atlas server has stored of flows and columns, read back over REST as messages would tell it."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sac_kafka.asking.errors import RestError
from sac_kafka.asking.server import AtlasServer
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.cli.progress import show_progress
from sac_kafka.errors import SacKafkaError
from sac_kafka.readable.entities import ends, is_column_lineage, is_process, process_of
from sac_kafka.readable.lineage import parse_notification
from sac_kafka.readable.model import CatalogChange, LineageProcess
from sac_kafka.readable.names import qualified

PAGE = 100
"""Entities of one request: a server gives no more than `atlas.search.maxlimit` of them."""
MAX_ENTITIES = 200_000
_PROCESS, _APPLICATION, _TABLE = "Process", "spark_application", "spark_table"
"""A search for a type finds its subtypes: every hook's processes, and column lineages."""
_NO_SUCH_TYPE = (400, 404)
_SIDES = ("inputs", "outputs")
_NAME = "qualifiedName"
_DELETED = "DELETED"

_Json = Mapping[str, Any]


def read_lineage(server: AtlasServer, namespace: str | None) -> Iterator[LineageProcess | CatalogChange]:
    """Give the tables of a server, its flows, their columns, and which datasets of them were dropped.

    Args:
        server: Who is asked.
        namespace: That of the names that are meant; None for all.

    Raises:
        SacKafkaError: The server cannot be asked, or has more than MAX_ENTITIES.
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
    there = reading.there | {each.name for each in tables}
    for name, type_name in reading.gone.items():
        if name not in there:
            yield CatalogChange("dropped", type_name, name)


def read_applications(server: AtlasServer, namespace: str | None) -> Iterator[AtlasEntity]:
    """Give the applications that a server has, with what they have said at their end; arguments as of `told_by`."""
    reading = _Reading(server)
    for page in _pages(server, _APPLICATION):
        yield from (each for each in reading.entities(page) if _is_of(each.id.qualified_name, namespace))


def _is_of(name: str, namespace: str | None) -> bool:
    """Whether a name is of the namespace; the hooks of Hive and Impala write a time behind that of a process."""
    return namespace is None or name.endswith(f"@{namespace}") or f"@{namespace}:" in name


def _with_known_rows(each: LineageProcess | CatalogChange) -> LineageProcess | CatalogChange:
    """A process without columns that decide rows of what is no input by that name: the details keep the names of their time."""
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
                if name := str(_map(each.get("attributes")).get(_NAME) or ""):
                    yield CatalogChange("described", str(each.get("typeName")), qualified(name))
    except RestError as error:
        if error.status not in _NO_SUCH_TYPE:
            raise


def _pages(server: AtlasServer, type_name: str) -> Iterator[list[_Json]]:
    """The entities of a type, a page after the other."""
    with show_progress(f"reading {type_name} of {server.address}", "page") as shown:
        for headers in _headers(server, type_name):
            shown.add()
            yield _bulk(server, (str(each["guid"]) for each in headers if each.get("guid")))


def _headers(server: AtlasServer, type_name: str) -> Iterator[list[_Json]]:
    """What a search finds, up to an empty page: a server may give fewer than it is asked for."""
    found = 0
    while True:
        body = {"typeName": type_name, "excludeDeletedEntities": True, "attributes": [_NAME], "limit": PAGE}
        headers = _list(server.post("/api/atlas/v2/search/basic", {**body, "offset": found}).get("entities"))
        if not headers:
            return
        found += len(headers)
        if found > MAX_ENTITIES:
            raise SacKafkaError(
                f"{server.address}: more than {MAX_ENTITIES:,} entities of {type_name}: read the topic, or a file, instead"
            )
        yield headers


def _bulk(server: AtlasServer, guids: Iterable[str]) -> list[_Json]:
    asked = [("guid", each) for each in guids]
    if not asked:
        return []
    return _list(
        server.get(f"/api/atlas/v2/entity/bulk?{urllib.parse.urlencode(asked)}&minExtInfo=true").get("entities")
    )


@dataclass(slots=True)
class _Reading:
    """What is known of the entities that were read so far: names by guid, and the datasets that flows have.

    `there` are those that are active, `gone` the others, with their types: a dataset that was dropped and made again has two
    entities of one name.
    """

    server: AtlasServer
    there: set[str] = field(default_factory=set)
    gone: dict[str, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def entities(self, page: list[_Json]) -> list[AtlasEntity]:
        """Give the entities of a page that have a name; what they refer to without one is asked for."""
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
            if error.status != 404:  # one of them was purged meanwhile: they are called as they are shown
                raise

    def _entity(self, found: _Json, name: str) -> AtlasEntity:
        references: dict[str, AtlasObjectId | tuple[AtlasObjectId, ...]] = {}
        attributes = _map(found.get("attributes"))
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
            custom_attributes={str(k): str(v) for k, v in _map(found.get("customAttributes")).items()},
        )

    def _id(self, end: _Json) -> AtlasObjectId | None:
        """What an end is, None where the entity has lost it; one that was itself deleted has lost nothing."""
        if end.get("relationshipStatus") == _DELETED and end.get("entityStatus") != _DELETED:
            return None
        name = self._names.get(str(end["guid"])) or end.get("displayText")
        return AtlasObjectId(str(end["typeName"]), str(name)) if name and end.get("typeName") else None

    def _notice(self, had: list[tuple[AtlasObjectId, _Json]]) -> None:
        for id_, end in had:
            if end.get("entityStatus") == _DELETED:
                self.gone.setdefault(qualified(id_.qualified_name), id_.type_name)
            else:
                self.there.add(qualified(id_.qualified_name))


def _referred(found: _Json) -> dict[str, dict[str, _Json]]:
    """What an entity refers to, by role and guid: attributes have unique names, relationships a status and what is shown."""
    roles: dict[str, dict[str, _Json]] = {}
    for given in (_map(found.get("relationshipAttributes")), _map(found.get("attributes"))):
        for role, value in given.items():
            for each in _list(value if isinstance(value, list) else [value]):
                if each.get("guid"):
                    by_guid = roles.setdefault(role, {})
                    guid = str(each["guid"])
                    by_guid[guid] = {**by_guid.get(guid, {}), **each}
    return roles


def _name(entity: _Json) -> str:
    return str(_map(entity.get("attributes")).get(_NAME) or "")


def _unique_name(end: _Json) -> str:
    return str(_map(end.get("uniqueAttributes")).get(_NAME) or "")


def _map(value: object) -> _Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[_Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
