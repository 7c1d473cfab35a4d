"""Read messages as Purview does: entities, and the processes between them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.live.purview.assets import Asset
from tests.live.purview.expecting import Column, Flow

Entity = Mapping[str, Any]
COLUMNS = "columnMapping"
CREATES = frozenset({"ENTITY_CREATE_V2", "ENTITY_FULL_UPDATE_V2"})


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Content of messages: `processes` by type and name with their ends, `entities` all others, `types` of messages."""

    processes: Mapping[Asset, Flow]
    entities: frozenset[Asset]
    types: tuple[str, ...]

    @property
    def flows(self) -> list[Flow]:
        return list(self.processes.values())


def shown(messages: Iterable[Mapping[str, Any]]) -> Shown:
    """Return what Purview knows after some messages: an attribute that a later one does not have stays."""
    processes: dict[Asset, Flow] = {}
    others: set[Asset] = set()
    types = []
    for message in messages:
        body = message["message"]
        types.append(body["type"])
        if body["type"] not in CREATES:
            continue
        entities_of_body = _entities(body)
        by_guid = {each["guid"]: _asset(each) for each in entities_of_body if "guid" in each}
        for each in entities_of_body:
            if not _is_process(each):
                others.add(_asset(each))
                continue
            known = processes.get(_asset(each))
            columns = _columns(each) if known is None or COLUMNS in each["attributes"] else known.columns
            sides = {side: frozenset(_ends(each, side, by_guid)) for side in ("inputs", "outputs")}
            processes[_asset(each)] = Flow(columns=frozenset(columns), **sides)
    return Shown(processes=processes, entities=frozenset(others), types=tuple(types))


def _entities(body: Entity) -> list[Entity]:
    held = body["entities"]
    return [*held["entities"], *held.get("referredEntities", {}).values()]


def _asset(entity: Entity) -> Asset:
    return Asset(entity["typeName"], entity["attributes"]["qualifiedName"])


def _is_process(entity: Entity) -> bool:
    return any("outputs" in entity.get(part, {}) for part in ("attributes", "relationshipAttributes"))


def _ends(entity: Entity, side: str, by_guid: Mapping[str, Asset]) -> Iterator[Asset]:
    for part in ("attributes", "relationshipAttributes"):
        for each in entity.get(part, {}).get(side) or ():
            named = each.get("uniqueAttributes", {}).get("qualifiedName")
            yield Asset(each["typeName"], named) if named else by_guid[each["guid"]]


def _columns(entity: Entity) -> Iterator[Column]:
    for element in json.loads(entity["attributes"].get(COLUMNS) or "[]"):
        of, to = element["DatasetMapping"]["Source"], element["DatasetMapping"]["Sink"]
        for pair in element["ColumnMapping"]:
            yield of, pair["Source"], to, pair["Sink"]
