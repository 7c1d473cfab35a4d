"""Divide a refused request to find the refused entities, so that the others of its message get through."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from sac_kafka.transport.data_map.answers import error_of
from sac_kafka.transport.data_map.belonging import Unit, detached, units_of
from sac_kafka.transport.data_map.errors import UNKNOWN_TYPE
from sac_kafka.transport.data_map.requests import Bulk, Entity, name_of
from sac_kafka.transport.http import Answer

MAX_ENTITIES = 500
"""Maximum per request: Microsoft documents no limit, but requests of thousands were seen to time out."""
_WORD = re.compile(r"\w+")


def bounded(bulk: Bulk) -> tuple[Bulk, ...]:
    """Divide a request with too many entities."""
    if len(bulk.entities) <= MAX_ENTITIES:
        return (bulk,)
    parts: list[list[Entity]] = [[]]
    for unit in units_of(bulk.entities):
        if parts[-1] and len(parts[-1]) + len(unit) > MAX_ENTITIES:
            parts.append([])
        parts[-1] += unit
    return _bulks(parts, bulk)


def divided(bulk: Bulk, answer: Answer) -> tuple[Bulk, ...]:
    """Divide a refused request by the names in the error, or into halves; () if it cannot be divided."""
    units = units_of(bulk.entities)
    if len(units) == 1:
        return ()
    _, message = error_of(answer)
    named = [any(_is_named(entity, message) for entity in unit) for unit in units]
    if any(named) and not all(named):
        runs = [
            [unit for unit, _ in run] for _, run in groupby(zip(units, named, strict=True), key=lambda each: each[1])
        ]
    else:
        middle = len(units) // 2
        runs = [list(units[:middle]), list(units[middle:])]
    return _bulks((_flat(run) for run in runs), bulk)


def without_unknown_types(bulk: Bulk, answer: Answer) -> tuple[tuple[Entity, ...], Bulk | None]:
    """Return the entities of types that the error calls unknown, and the request for the others."""
    code, message = error_of(answer)
    if code != UNKNOWN_TYPE:
        return (), bulk
    words = set(_WORD.findall(message))
    unknown = tuple(each for each in bulk.entities if each.get("typeName") in words)
    left = [each for each in bulk.entities if each.get("typeName") not in words]
    return unknown, _bulks([left], bulk)[0] if left else None


def parted(bulk: Bulk, chosen: Sequence[Entity]) -> tuple[tuple[Entity, ...], tuple[Entity, ...]]:
    """Return the chosen entities of a request and the others, so that each can be sent alone."""
    ids = {id(each) for each in chosen}
    others = [each for each in bulk.entities if id(each) not in ids]
    return detached(chosen, bulk.entities), detached(others, bulk.entities)


def _bulks(parts: Iterable[Sequence[Entity]], bulk: Bulk) -> tuple[Bulk, ...]:
    return tuple(Bulk(detached(part, bulk.entities), bulk.collection) for part in parts)


def _flat(units: Iterable[Unit]) -> list[Entity]:
    return [entity for unit in units for entity in unit]


def _is_named(entity: Entity, message: str) -> bool:
    """Return whether the error names the entity. A wrong match only costs requests."""
    qualified_name = name_of(entity).qualified_name
    return bool(qualified_name) and qualified_name in message
