"""Check every message of a test against a server that consumes in parallel.

From Atlas 2.6 on such a server rebuilds each entity from its attributes, relationshipAttributes and classifications:
what only custom attributes and labels hold is lost there, and so is a reference that has no unique attribute or stands
elsewhere. Source: `org.apache.atlas.notification.NotificationPreProcessor`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from sac_kafka.atlas.types.sent import LATER

_NUMBER = re.compile(r"_(?:\d+|more)$")


def check_kept(entities: list[dict[str, Any]]) -> None:
    """Raise AssertionError with the entity for what such a server would lose."""
    for entity in entities:
        place = f"{entity['typeName']} {entity['attributes']['qualifiedName']}"
        for name, value in entity["attributes"].items():
            assert not _is_reference(value), f"{place}: {name} is a reference among the attributes"
        for reference in _references(entity):
            assert reference.get("uniqueAttributes", {}).get("qualifiedName"), f"{place}: a reference without a name"
        if entity["typeName"] in {"spark_process", "sac_kafka_engine_process"}:
            _check_process(entity, place)
        elif "application_id" in entity.get("customAttributes", {}):
            description = entity["attributes"].get("description", "")
            assert entity["customAttributes"]["application_id"][:400] in description, f"{place}: the run is lost"
    _check_types(entities)


def _check_process(entity: dict[str, Any], place: str) -> None:
    details = _object(entity["attributes"].get("details", ""))
    if details.get("omitted"):
        return
    kept = {*details, *details.get("custom_attributes", {})}
    custom = entity.get("customAttributes", {})
    lost = {key for key in custom if key not in kept and _NUMBER.sub("", key) not in kept}
    assert not lost, f"{place}: only custom attributes hold {sorted(lost)}"
    lost = set(entity.get("labels", ())) - set(details.get("labels", ()))
    assert not lost or "+" in str(details.get("labels")), f"{place}: only labels hold {sorted(lost)}"


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {}


def _check_types(entities: list[dict[str, Any]]) -> None:
    """Check that a type that a stock server may lack comes only with a process that needs it."""
    by_name = {(e["typeName"], e["attributes"]["qualifiedName"]): e for e in entities}
    processes = [e for e in entities if e["typeName"] == "spark_process"]
    needed: set[tuple[str, str]] = set()
    stack = [r for e in processes for r in _references(e)]
    while stack:
        reference = stack.pop()
        name = (reference["typeName"], reference["uniqueAttributes"]["qualifiedName"])
        if name not in needed:
            needed.add(name)
            stack.extend(_references(by_name[name]) if name in by_name else ())
    extra = {name for name in by_name if name[0] in LATER and name not in needed}
    assert not processes or not extra, f"types that a server may lack share a message with a process: {sorted(extra)}"


def _references(entity: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for ends in entity.get("relationshipAttributes", {}).values():
        yield from ends if isinstance(ends, list) else (ends,)


def _is_reference(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_is_reference, value))
    return isinstance(value, dict) and "typeName" in value
