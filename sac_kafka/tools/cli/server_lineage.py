"""Read lineage back from an Atlas server over REST, in the form in which messages have it."""

from __future__ import annotations

import urllib.parse
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.notification import EntityCreate, EntityDelete, Notification
from sac_kafka.atlas.types.sent import SPARK_TYPES
from sac_kafka.catalog.errors import RestError
from sac_kafka.catalog.json_values import as_object, objects_in
from sac_kafka.catalog.server import AtlasServer
from sac_kafka.errors import SacKafkaError
from sac_kafka.tools.cli.progress import show_progress
from sac_kafka.tools.messages.entities import (
    SIDES,
    column_of,
    ends,
    is_column,
    is_column_lineage,
    is_process,
    name_of,
    process_of,
)

PAGE = 100
"""Entities per request; must not exceed the server's `atlas.search.maxlimit`."""
MAX_ENTITIES = 200_000
_PROCESS, _APPLICATION, _TABLE = "Process", SPARK_TYPES.application, "spark_table"
"""Searches include subtypes: `Process` finds the processes of all hooks, and column lineage."""
_NO_SUCH_TYPE = (400, 404)
_NAME = "qualifiedName"
_DELETED = "DELETED"

_Json = Mapping[str, Any]


def read_lineage(server: AtlasServer, namespace: str | None, *, with_types: bool = False) -> Iterator[Notification]:
    """Yield the tables, processes, column lineage and dropped datasets of a server, as messages that create or delete them.

    `namespace` None is all of them; `with_types` reads the columns, too, for their data types.

    Raises:
        SacKafkaError: The server cannot be reached or refuses access, or has more than MAX_ENTITIES.
    """
    reading = _Reading(server)
    columns: list[AtlasEntity] = []
    kept: set[AtlasObjectId] = set()
    tables = [table for table in _tables(server) if _is_of(table.id.qualified_name, namespace)]
    yield EntityCreate(entities=tuple(tables))
    for page in _pages(server, _PROCESS):
        entities = reading.entities(page)
        columns += (entity for entity in entities if is_column_lineage(entity.id.type_name))
        processes = [
            entity for entity in entities if is_process(entity) and _is_of(entity.id.qualified_name, namespace)
        ]
        kept.update(process.id for process in processes)
        yield EntityCreate(entities=tuple(processes))
    active = reading.active | {name_of(table.id) for table in tables}
    dropped = {name: id_ for name, id_ in reading.deleted.items() if name not in active}
    emitted = [column for column in columns if _process(column) in kept and reading.has_output(column, dropped)]
    yield EntityCreate(entities=(*reading.moved_columns(active | dropped.keys()), *emitted))
    if with_types:
        yield EntityCreate(entities=tuple(reading.columns_of(emitted)))
    yield EntityDelete(ids=tuple(dropped.values()))


def read_applications(server: AtlasServer, namespace: str | None) -> Iterator[AtlasEntity]:
    """Yield the application entities of a server; arguments as of `read_lineage`."""
    reading = _Reading(server)
    for page in _pages(server, _APPLICATION):
        yield from (entity for entity in reading.entities(page) if _is_of(entity.id.qualified_name, namespace))


def _is_of(name: str, namespace: str | None) -> bool:
    """Return whether a name is in the namespace; Hive and Impala append a time to the names of processes."""
    return namespace is None or name.endswith(f"@{namespace}") or f"@{namespace}:" in name


def _process(column_lineage: AtlasEntity) -> AtlasObjectId | None:
    try:
        return process_of(column_lineage)
    except IndexError:
        return None


def _tables(server: AtlasServer) -> Iterator[AtlasEntity]:
    try:
        for headers in _headers(server, _TABLE):
            for header in headers:
                if name := str(as_object(header.get("attributes")).get(_NAME) or ""):
                    yield AtlasEntity(id=AtlasObjectId(str(header.get("typeName")), name), attributes={})
    except RestError as error:
        if error.status not in _NO_SUCH_TYPE:
            raise


def _pages(server: AtlasServer, type_name: str) -> Iterator[list[_Json]]:
    """Yield the entities of a type, page by page."""
    with show_progress(f"reading {type_name} of {server.address}", "page") as shown:
        for headers in _headers(server, type_name):
            shown.add()
            yield _bulk(server, (str(header["guid"]) for header in headers if header.get("guid")))


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
    asked = [("guid", guid) for guid in guids]
    if not asked:
        return []
    return objects_in(
        server.get(f"/api/atlas/v2/entity/bulk?{urllib.parse.urlencode(asked)}&minExtInfo=true").get("entities")
    )


@dataclass(slots=True)
class _Reading:
    """State of reading entities: qualified names by guid, and the inputs and outputs of processes.

    `active` are the names of existing datasets, `deleted` those of deleted ones with their ids. A dropped and re-created
    dataset is in both, because Atlas has two entities of that name. `without_output` is the column lineage of deleted columns,
    `tables` are the tables of these, which may have been renamed since. `columns` are the guids of existing columns.
    """

    server: AtlasServer
    active: set[str] = field(default_factory=set)
    deleted: dict[str, AtlasObjectId] = field(default_factory=dict)
    without_output: set[AtlasObjectId] = field(default_factory=set)
    tables: dict[AtlasObjectId, AtlasObjectId] = field(default_factory=dict)
    columns: dict[AtlasObjectId, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def entities(self, page: list[_Json]) -> list[AtlasEntity]:
        """Return the named entities of a page; the names of entities they refer to are looked up if missing."""
        self._names |= {str(each.get("guid")): name for each in page if (name := _name(each))}
        referred = [end for each in page for by_guid in _merge_references(each).values() for end in by_guid.values()]
        self._names |= {str(each["guid"]): name for each in referred if (name := _unique_name(each))}
        unknown = list(dict.fromkeys(guid for each in referred if (guid := str(each["guid"])) not in self._names))
        self._look_up(unknown)
        gone = (
            each for each in referred if each.get("entityStatus") == _DELETED and is_column(str(each.get("typeName")))
        )
        self._look_up_tables(dict.fromkeys(str(each["guid"]) for each in gone))
        return [self._entity(each, name) for each in page if (name := _name(each))]

    def _look_up(self, guids: Iterable[str]) -> list[_Json]:
        """Add the names of entities, and return these entities; none of a page with one that was purged in the meantime."""
        asked, found = list(guids), list[_Json]()
        for at in range(0, len(asked), PAGE):
            try:
                found += _bulk(self.server, asked[at : at + PAGE])
            except RestError as error:  # noqa: PERF203 the other pages are read
                if error.status != 404:  # else their display texts are used
                    raise
        self._names |= {str(each.get("guid")): name for each in found if (name := _name(each))}
        return found

    def _look_up_tables(self, columns: Iterable[str]) -> None:
        found = [
            (each, end) for each in self._look_up(columns) for end in _merge_references(each).get("table", {}).values()
        ]
        self._look_up(dict.fromkeys(guid for _, end in found if (guid := str(end["guid"])) not in self._names))
        for each, end in found:
            if name := self._names.get(str(end["guid"])):
                column = AtlasObjectId(str(each.get("typeName")), _name(each))
                self.tables[column] = AtlasObjectId(str(end.get("typeName")), name)

    def moved_columns(self, shown: Container[str]) -> Iterator[AtlasEntity]:
        """Yield the deleted columns whose table was renamed later, which their names do not show; `shown` are all tables."""
        for column, table in self.tables.items():
            if name_of(table) in shown and column_of(column).dataset != name_of(table):
                yield AtlasEntity(id=column, attributes={}, references={"table": table})

    def columns_of(self, lineage: Iterable[AtlasEntity]) -> Iterator[AtlasEntity]:
        """Yield the columns that column lineage refers to, with their attributes."""
        used = dict.fromkeys(end for each in lineage for side in SIDES for end in ends(each, side))
        for found in self._look_up(self.columns[each] for each in used if each in self.columns):
            if name := _name(found):
                yield AtlasEntity(
                    id=AtlasObjectId(str(found.get("typeName")), name),
                    attributes={k: v for k, v in as_object(found.get("attributes")).items() if k != _NAME},
                )

    def _entity(self, found: _Json, name: str) -> AtlasEntity:
        references: dict[str, AtlasObjectId | tuple[AtlasObjectId, ...]] = {}
        attributes = as_object(found.get("attributes"))
        entity_id = AtlasObjectId(str(found.get("typeName")), name)
        of_columns = is_column_lineage(entity_id.type_name)
        for role, by_guid in _merge_references(found).items():
            had = [(id_, each) for each in by_guid.values() if (id_ := self._id(each)) is not None]
            gone = {id_: None for id_, each in had if each.get("entityStatus") == _DELETED}
            if of_columns and role == "outputs" and all(each.get("entityStatus") == _DELETED for _, each in had):
                self.without_output.add(entity_id)
            if of_columns and role not in SIDES and gone:
                continue  # the column lineage of a deleted process
            if not of_columns and role in SIDES:
                self.deleted |= {name_of(id_): id_ for id_ in gone}
                self.active.update(name_of(id_) for id_, each in had if each.get("entityStatus") != _DELETED)
            if of_columns and role in SIDES:
                self.columns |= {id_: str(each["guid"]) for id_, each in had if id_ not in gone}
            if had:
                ids = {id_: None for id_, _ in had if id_ not in gone} | gone
                references[role] = tuple(ids) if role in SIDES else next(iter(ids))
        return AtlasEntity(
            id=entity_id,
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

    def has_output(self, column_lineage: AtlasEntity, dropped: Container[str]) -> bool:
        """Return whether the output of a column lineage exists, or was deleted with its dataset."""
        outputs = ends(column_lineage, "outputs")
        if not outputs or column_lineage.id not in self.without_output:
            return bool(outputs)
        table = self.tables.get(outputs[0])
        return (name_of(table) if table else column_of(outputs[0]).dataset) in dropped


def _merge_references(found: _Json) -> dict[str, dict[str, _Json]]:
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
