"""Effect of a message on Purview: `problems(text)` is empty if everything in it arrives.

    assert not problems(text)                    # every reference is to an entity of the message itself
    assert not problems(text, earlier=texts)     # … or of an earlier one

`sac-kafka validate` checks the types (sac_kafka/purview/typedefs, and Atlas' types that every account has). This module checks
the rest: sizes, the form of the record, nulls, dangling references, columnMapping. `scanned` may hold (type, qualifiedName) of
references to assets of a scan (`uniqueAttributes` alone).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from sac_kafka.purview.types import BUILT_IN, OWN, definitions
from sac_kafka.tools.validate.notifications import MessageValidator
from sac_kafka.tools.validate.type_model import TypeModel
from tests.unit.purview.column_mapping import column_mapping_problems

RECORD_BYTES = 1_000_000
PROPERTY_BYTES = 32 * 1024
TYPES = {"ENTITY_CREATE_V2", "ENTITY_FULL_UPDATE_V2", "ENTITY_PARTIAL_UPDATE_V2", "ENTITY_DELETE_V2"}
Identity = tuple[str, str]


@cache
def model() -> TypeModel:
    """Return the types of an account that has ours."""
    return TypeModel(definitions((BUILT_IN, OWN)))


def problems(
    text: str | bytes, earlier: Iterable[str | bytes] = (), *, scanned: Collection[Identity] = ()
) -> list[str]:
    """Return the defects of a record's value, one sentence each."""
    found = list(_envelope_problems(text))
    message = _message(text)
    if message is None:
        return found
    kind = message.get("type")
    if kind not in TYPES:
        return [*found, f"{kind} is no message that Purview takes: only V2 ones are"]
    found += map(str, MessageValidator(model()).violations(text.decode() if isinstance(text, bytes) else text))
    here = _sent(message)
    known = {*scanned, *map(_identity, here)}
    for each in earlier:
        known |= set(map(_identity, entities_of(each)))
    guids = {each["guid"]: each for each in here if each.get("guid") is not None}
    for each in here:
        found += (f"{_name(each)}: {problem}" for problem in _of_entity(each, guids, known))
    return found


def entities_of(text: str | bytes) -> list[dict[str, Any]]:
    """Return the entities that a message of create or full update has, referred ones first."""
    return _created(_message(text) or {})


def _created(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    holder = message.get("entities")
    if not isinstance(holder, dict):
        return []
    referred = [{"guid": guid, **each} for guid, each in (holder.get("referredEntities") or {}).items()]
    return [*referred, *(holder.get("entities") or [])]


def _sent(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entities of a message, including that of a partial update."""
    updated = (message.get("entity") or {}).get("entity")
    return [updated] if isinstance(updated, dict) else _created(message)


def _message(text: str | bytes) -> dict[str, Any] | None:
    try:
        envelope = json.loads(text)
    except ValueError:
        return None
    message = envelope.get("message") if isinstance(envelope, dict) else None
    return message if isinstance(message, dict) else None


def _envelope_problems(text: str | bytes) -> Iterator[str]:
    data = text if isinstance(text, bytes) else text.encode()
    if len(data) >= RECORD_BYTES:
        yield f"the record has {len(data)} bytes: fewer than {RECORD_BYTES} arrive"
    try:
        envelope = json.loads(data)
    except ValueError:
        yield "the record is no JSON"
        return
    if not isinstance(envelope, dict):
        yield "the record is no object: Purview does not understand a list of messages"
        return
    if envelope.get("msgCompressionKind", "NONE") != "NONE":
        yield "the message is compressed: whether Purview reads that is not known"
    if envelope.get("msgSplitCount", 1) != 1 or envelope.get("msgSplitIdx", 1) not in (0, 1):
        yield "the message is split: whether Purview puts parts together is not known"
    if not isinstance(envelope.get("message"), dict):
        yield "message is no object"


def _of_entity(
    entity: dict[str, Any], guids: Mapping[str, dict[str, Any]], known: Collection[Identity]
) -> Iterator[str]:
    values, related = entity.get("attributes") or {}, entity.get("relationshipAttributes") or {}
    if not isinstance(entity.get("guid", "-1"), str) or not entity.get("guid", "-1").startswith("-"):
        yield f"guid {entity.get('guid')} is not the text of a negative number"
    for key, value in values.items():
        yield from _of_value(key, value, model().attributes(str(entity.get("typeName"))).get(key, {}))
    for key, reference in _references({**values, **related}):
        if reference.get("guid") not in guids and _identity(reference) not in known:
            yield f"{key} refers to {reference}, which is in no message"
    if values.get("columnMapping"):
        sides: dict[str, set[str]] = {"inputs": set(), "outputs": set()}
        for key, reference in _references({**related, **values}):
            if key in sides:
                sides[key].add(_identity(guids.get(reference.get("guid", ""), reference))[1])
        yield from column_mapping_problems(values["columnMapping"], sides["inputs"], sides["outputs"])


def _references(values: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, value in values.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and "typeName" in each:
                yield key, each


def _of_value(key: str, value: Any, declared: Mapping[str, Any]) -> Iterator[str]:
    if value is None:
        yield f"{key} is null, which wipes out what a scan has found"
    size = len(key.encode()) + len((value if isinstance(value, str) else json.dumps(value)).encode())
    if size > PROPERTY_BYTES:
        yield f"{key} has {size} bytes with its name: more than {PROPERTY_BYTES} are not kept"
    if declared.get("typeName") in ("int", "long", "date") and isinstance(value, str):
        yield f"{key} must be {declared['typeName']}, not a text"


def _identity(entity: Mapping[str, Any]) -> Identity:
    holder = entity.get("attributes") or entity.get("uniqueAttributes") or {}
    return str(entity.get("typeName")), str(holder.get("qualifiedName"))


def _name(entity: Mapping[str, Any]) -> str:
    return f"{entity.get('typeName')} {_identity(entity)[1][:120]}"
