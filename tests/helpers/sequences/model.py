"""A small model of a server, independent of the project's readers: JSON in, entities by guid, lineage out.

Rules: an entity is found by type and qualifiedName among the active ones; attributes that a message lacks are kept; a list of
references replaces the earlier one, edges to deleted entities stay; a table is deleted with its columns; nothing else cascades.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

ENDS = ("inputs", "outputs")
_MANY = (*ENDS, "associatedEntities")


@dataclass
class Entity:
    """An entity of the server; `related` has the guids of its references by role."""

    type_name: str
    attributes: dict[str, Any]
    related: dict[str, list[int]] = field(default_factory=dict)
    is_active: bool = True

    @property
    def name(self) -> str:
        return str(self.attributes["qualifiedName"])


class ModelServer:
    """A server that processes the texts of messages, V2 form only."""

    def __init__(self) -> None:
        self.entities: dict[int, Entity] = {}
        self._guids = count(1)

    def process(self, text: str) -> None:
        message = json.loads(text)["message"]
        kind = message["type"]
        if kind in ("ENTITY_CREATE_V2", "ENTITY_FULL_UPDATE_V2"):
            self._create(message["entities"]["entities"])
        elif kind == "ENTITY_PARTIAL_UPDATE_V2":
            guid = self.find(message["entityId"])
            assert guid is not None, f"a partial update of what does not exist: {message['entityId']}"
            self.entities[guid].attributes |= message["entity"]["entity"]["attributes"]
        else:
            assert kind == "ENTITY_DELETE_V2", kind
            for each in message["entities"]:
                if (guid := self.find(each)) is not None:
                    self._delete(guid)

    def find(self, reference: Mapping[str, Any]) -> int | None:
        """Return the guid of the active entity with this type and name."""
        wanted = reference["typeName"], reference["uniqueAttributes"]["qualifiedName"]
        found = (
            guid for guid, each in self.entities.items() if each.is_active and (each.type_name, each.name) == wanted
        )
        return next(found, None)

    def active(self, type_name: str) -> Iterator[tuple[int, Entity]]:
        yield from (
            (guid, each) for guid, each in self.entities.items() if each.is_active and each.type_name == type_name
        )

    def _create(self, found: list[dict[str, Any]]) -> None:
        local: dict[str, int] = {}
        for each in found:
            name = each["attributes"]["qualifiedName"]
            local[each["guid"]] = self._get({"typeName": each["typeName"], "uniqueAttributes": {"qualifiedName": name}})
        for each in found:
            entity = self.entities[local[each["guid"]]]
            sides = {role: each["attributes"][role] for role in ENDS if each["attributes"].get(role)}
            entity.attributes |= {key: value for key, value in each["attributes"].items() if key not in sides}
            if each.get("customAttributes"):
                entity.attributes["customAttributes"] = each["customAttributes"]
            for role, ends in ((each.get("relationshipAttributes") or {}) | sides).items():
                listed = ends if isinstance(ends, list) else [ends]
                guids = [local[end["guid"]] if end.get("guid") in local else self._get(end) for end in listed]
                gone = [guid for guid in entity.related.get(role, []) if not self.entities[guid].is_active]
                entity.related[role] = [*guids, *(guid for guid in gone if role in _MANY)]

    def _get(self, reference: Mapping[str, Any]) -> int:
        guid = self.find(reference)
        if guid is None:
            guid = next(self._guids)
            self.entities[guid] = Entity(reference["typeName"], dict(reference["uniqueAttributes"]))
        return guid

    def _delete(self, guid: int) -> None:
        self.entities[guid].is_active = False
        if self.entities[guid].type_name.endswith("_table"):
            for each in self.entities.values():
                if each.is_active and each.related.get("table") == [guid]:
                    each.is_active = False


Lineage = dict[str, Any]
"""Processes with their ends, edges between columns with their texts, constants, and dropped datasets."""


def lineage_of(server: ModelServer, *, is_purview: bool) -> Lineage:
    """Return what readers show of a server."""
    processes = {
        guid: each for guid, each in server.entities.items() if each.is_active and any(map(each.related.get, ENDS))
    }
    processes = {guid: each for guid, each in processes.items() if not each.type_name.endswith("_column_lineage")}
    processes |= dict(server.active("spark_process"))
    exist = {each.name for each in server.entities.values() if each.is_active}
    ends = [server.entities[end] for each in processes.values() for side in ENDS for end in each.related.get(side, [])]
    tables = [each for each in server.entities.values() if each.type_name.endswith("_table")]
    dropped = {each.name for each in (*ends, *tables) if not each.is_active and each.name not in exist}

    def names(guids: list[int]) -> list[str]:
        return sorted({server.entities[guid].name for guid in guids})

    mapped, constants = _mapped(processes) if is_purview else (_column_lineage(server, processes, dropped), set())
    return {
        "processes": {each.name: [names(each.related.get(side, [])) for side in ENDS] for each in processes.values()},
        "columns": mapped,
        "constants": constants,
        "dropped": dropped,
        "queries": {each.name: each.attributes.get("queryText") or "" for each in processes.values()},
        "rows": {} if is_purview else {each.name: each.attributes.get("description") for each in processes.values()},
    }


def _column_lineage(server: ModelServer, processes: Mapping[int, Entity], dropped: set[str]) -> set[tuple[object, ...]]:
    found: set[tuple[object, ...]] = set()
    for _, each in server.active("spark_column_lineage"):
        (process,) = each.related["process"]
        output = each.related["outputs"][0]
        dataset, column = _column(server, output)
        is_shown = server.entities[output].is_active or dataset in dropped
        if process in processes and is_shown:
            kinds, _, text = str(each.attributes["description"]).partition(": ")
            how = "does not flow into it" not in kinds, "" if kinds == "identity" else text
            sources = {_column(server, guid) for guid in each.related["inputs"]}
            found |= {(processes[process].name, source, (dataset, column), *how) for source in sources}
    return found


def _column(server: ModelServer, guid: int) -> tuple[str, str]:
    """Return the names of the dataset and the column, by its references and not by its qualifiedName."""
    column = server.entities[guid]
    (owner,) = column.related.get("table") or column.related["record"]
    if column.type_name == "avro_field":
        (owner, *_) = server.entities[owner].related["associatedEntities"]
    return server.entities[owner].name, str(column.attributes["name"])


def _mapped(processes: Mapping[int, Entity]) -> tuple[set[tuple[object, ...]], set[tuple[object, ...]]]:
    """Return the edges between columns, and the columns without a source."""
    found: set[tuple[object, ...]] = set()
    without: set[tuple[object, ...]] = set()
    for each in processes.values():
        for between in json.loads(each.attributes.get("columnMapping") or "[]"):
            source, sink = (between["DatasetMapping"][end] for end in ("Source", "Sink"))
            for pair in between["ColumnMapping"]:
                if "*" in (source, pair["Source"]):
                    without.add((each.name, sink, pair["Sink"]))
                else:
                    found.add((each.name, (source, pair["Source"]), (sink, pair["Sink"]), True, ""))
    columns = {(name, *target) for name, _, target, *_ in found}  # type: ignore[misc]
    return found, without - columns
