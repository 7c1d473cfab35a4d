"""Read the Data Map's responses: what became of the entities of a request (`EntityMutationResult`), or the error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sac_kafka.transport.data_map.requests import Entity, EntityName, name_of
from sac_kafka.transport.http import Answer

_MAX_LENGTH = 10_000


def read(answer: Answer) -> Mapping[str, Any]:
    """Return the JSON object of a response; an empty one if it has none."""
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def error_of(answer: Answer) -> tuple[str, str]:
    """Return code and message of an error, in Atlas' form or that of Azure's gateways; "" for a missing one.

    A successful response may contain one, too.
    """
    found = read(answer)
    inner = found.get("error")
    if isinstance(inner, dict):
        return _line(inner.get("code")), _line(inner.get("message"))
    return _line(found.get("errorCode")), _line(found.get("errorMessage") or (inner if found.get("errorCode") else ""))


def unmentioned(answer: Answer, entities: Sequence[Entity]) -> tuple[EntityName, ...]:
    """Return the entities that a successful response does not mention.

    The guid of an unchanged entity is assigned, but the entity is not among the mutated ones.
    """
    found = read(answer)
    assigned = found.get("guidAssignments")
    guids = set(assigned) if isinstance(assigned, dict) else set()
    mentioned = set(_headers(found))
    return tuple(
        name for each in entities if each.get("guid") not in guids and (name := name_of(each)) not in mentioned
    )


def found_names(answer: Answer) -> frozenset[EntityName]:
    """Return the names of the entities in a response that lists entities, without deleted ones."""
    listed = read(answer).get("entities")
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


def _line(value: object) -> str:
    return " ".join(str(value or "")[:_MAX_LENGTH].split())
