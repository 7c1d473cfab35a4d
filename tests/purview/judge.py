"""What Purview would make of a message of the dialect: `problems(text)` is empty for one that arrives whole.

    assert not problems(text)                    # every reference is to an entity of the message itself
    assert not problems(text, earlier=texts)     # … or of an earlier one

The types are those of sac_kafka/purview/typedefs with what every account has of Atlas'; of a reference that a scan's asset is
meant by (`uniqueAttributes` alone), `scanned` may hold (type, qualifiedName).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from sac_kafka.purview.types.definitions import BUILT_IN, OWN, definitions
from tests.purview.column_mapping import column_mapping_problems
from tests.purview.type_system import TypeSystem

RECORD_BYTES = 1_000_000
PROPERTY_BYTES = 32 * 1024
TYPES = {"ENTITY_CREATE_V2", "ENTITY_FULL_UPDATE_V2", "ENTITY_PARTIAL_UPDATE_V2", "ENTITY_DELETE_V2"}
_PRIMITIVES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "int": int,
    "long": int,
    "date": int,
    "float": (int, float),
    "double": (int, float),
}
Identity = tuple[str, str]


@cache
def type_system(*families: str) -> TypeSystem:
    """The types of families, `built-in` and `own` if none are named."""
    return TypeSystem(definitions(families or (BUILT_IN, OWN)))


def problems(
    text: str | bytes,
    earlier: Iterable[str | bytes] = (),
    *,
    scanned: Collection[Identity] = (),
    types: TypeSystem | None = None,
    record_bytes: int = RECORD_BYTES,
) -> list[str]:
    """Say what is wrong with a record's value, one sentence each."""
    system = types or type_system()
    found = list(_envelope_problems(text, record_bytes))
    message = _message(text)
    if message is None:
        return found
    known = set(scanned)
    for each in earlier:
        known |= {_identity(entity) for entity in entities_of(each)}
    kind = message.get("type")
    if kind not in TYPES:
        return [*found, f"{kind} is no message that Purview takes: only V2 ones are"]
    if kind == "ENTITY_DELETE_V2":
        references = message.get("entities") or [None]
        return [*found, *(p for each in references for p in _by_name_problems("entities", each, system))]
    if kind == "ENTITY_PARTIAL_UPDATE_V2":
        found += _by_name_problems("entityId", message.get("entityId"), system)
        entity = (message.get("entity") or {}).get("entity")
        here = [entity] if isinstance(entity, dict) else []
        is_whole = False
    else:
        here, is_whole = entities_of(text), True
    if not here:
        found.append("the message has no entities")
    guids = {each["guid"]: each for each in here if each.get("guid") is not None}
    if len(guids) < sum(each.get("guid") is not None for each in here):
        found.append("two entities of the message have one guid")
    known |= {_identity(each) for each in here}
    for each in here:
        found += (f"{_name(each)}: {problem}" for problem in _of_entity(each, system, guids, known, is_whole=is_whole))
    return found


def entities_of(text: str | bytes) -> list[dict[str, Any]]:
    """The entities that a message of create or full update holds, referred ones first."""
    message = _message(text) or {}
    holder = message.get("entities")
    if not isinstance(holder, dict):
        return []
    referred = [{"guid": guid, **each} for guid, each in (holder.get("referredEntities") or {}).items()]
    return [*referred, *(holder.get("entities") or [])]


def _message(text: str | bytes) -> dict[str, Any] | None:
    try:
        envelope = json.loads(text)
    except ValueError:
        return None
    message = envelope.get("message") if isinstance(envelope, dict) else None
    return message if isinstance(message, dict) else None


def _envelope_problems(text: str | bytes, record_bytes: int) -> Iterator[str]:
    data = text if isinstance(text, bytes) else text.encode()
    if len(data) >= record_bytes:
        yield f"the record has {len(data)} bytes: fewer than {record_bytes} arrive"
    try:
        envelope = json.loads(data)
    except ValueError:
        yield "the record is no JSON"
        return
    if not isinstance(envelope, dict):
        yield "the record is no object: Purview does not understand a list of messages"
        return
    if (envelope.get("version") or {}).get("version") != "1.0.0":
        yield "version.version is not 1.0.0"
    if envelope.get("msgCompressionKind", "NONE") != "NONE":
        yield "the message is compressed: whether Purview reads that is not known"
    if envelope.get("msgSplitCount", 1) != 1 or envelope.get("msgSplitIdx", 1) not in (0, 1):
        yield "the message is split: whether Purview puts parts together is not known"
    if not isinstance(envelope.get("message"), dict):
        yield "message is no object"


def _of_entity(
    entity: dict[str, Any],
    system: TypeSystem,
    guids: Mapping[str, dict[str, Any]],
    known: Collection[Identity],
    *,
    is_whole: bool,
) -> Iterator[str]:
    name = entity.get("typeName")
    if name not in system.entities:
        yield f"{name} is no type that an account has"
        return
    attributes, values = system.attributes(name), entity.get("attributes") or {}
    ends, related = system.ends(name), entity.get("relationshipAttributes") or {}
    for key, value in values.items():
        yield from _of_value(key, value)
        if key not in attributes and key not in ends:
            yield f"{name} has no attribute {key}"
        elif value is not None and key in attributes:
            yield from _type_problems(key, value, attributes[key]["typeName"])
    yield from (f"{name} has no relationship attribute {key}" for key in related if key not in ends)
    if is_whole:
        yield from _missing(attributes, ends, values, related)
    if not isinstance(entity.get("guid", "-1"), str) or not entity.get("guid", "-1").startswith("-"):
        yield f"guid {entity.get('guid')} is not the text of a negative number"
    for key, value in (*values.items(), *related.items()):
        if key in ends:
            is_many = any(end.is_many for end in ends[key])
            if isinstance(value, list) != is_many:
                yield f"{key} must be {'a list' if is_many else 'one reference'}"
            for each in value if isinstance(value, list) else [value]:
                far = [end.far for end in ends[key]]
                yield from _reference_problems(key, each, far, system, guids, known)
    if system.is_a(name, "Process"):
        yield from _process_problems(values, related, guids)


def _missing(
    attributes: Mapping[str, Any], ends: Mapping[str, Any], values: Mapping[str, Any], related: Mapping[str, Any]
) -> Iterator[str]:
    for key, definition in attributes.items():
        if not definition["isOptional"] and values.get(key) in (None, ""):
            yield f"the mandatory attribute {key} is missing"
    for key, all_ends in ends.items():
        is_there = bool(related.get(key) or values.get(key))
        if not is_there and any(end.is_mandatory for end in all_ends):
            yield f"the mandatory relationship {key} ({all_ends[0].relationship}) is missing"


def _of_value(key: str, value: Any) -> Iterator[str]:
    if value is None:
        yield f"{key} is null, which wipes out what a scan has found"
    size = len(key.encode()) + len((value if isinstance(value, str) else json.dumps(value)).encode())
    if size > PROPERTY_BYTES:
        yield f"{key} has {size} bytes with its name: more than {PROPERTY_BYTES} are not kept"


def _type_problems(key: str, value: Any, type_name: str) -> Iterator[str]:
    wanted = _PRIMITIVES.get(type_name)
    if wanted is not None and (not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool)):
        yield f"{key} must be {type_name}, not {type(value).__name__}"


def _reference_problems(
    key: str,
    reference: Any,
    far: list[str],
    system: TypeSystem,
    guids: Mapping[str, dict[str, Any]],
    known: Collection[Identity],
) -> Iterator[str]:
    if not isinstance(reference, dict):
        yield f"{key} holds {reference!r}, which is no reference"
        return
    guid, unique = reference.get("guid"), (reference.get("uniqueAttributes") or {}).get("qualifiedName")
    target = guids.get(guid) if guid is not None else None
    name = target.get("typeName") if target else reference.get("typeName")
    if target is not None and reference.get("typeName", name) != name:
        yield f"{key} says that {guid} is a {reference['typeName']}, but it is a {name}"
    if target is None and (reference.get("typeName"), unique) not in known:
        yield f"{key} refers to {reference}, which is in no message"
    if name in system.entities and not any(system.is_a(name, each) for each in far):
        yield f"{key} refers to a {name}, which is no {' or '.join(far)}"


def _by_name_problems(key: str, reference: Any, system: TypeSystem) -> Iterator[str]:
    unique = (reference.get("uniqueAttributes") or {}) if isinstance(reference, dict) else {}
    if not unique.get("qualifiedName"):
        yield f"{key} names no qualifiedName"
    elif reference.get("typeName") not in system.entities:
        yield f"{key}: {reference.get('typeName')} is no type that an account has"


def _process_problems(
    values: Mapping[str, Any], related: Mapping[str, Any], guids: Mapping[str, dict[str, Any]]
) -> Iterator[str]:
    sides = {}
    for side in ("inputs", "outputs"):
        references = values.get(side) or related.get(side) or []
        targets = [guids.get(each.get("guid")) or each for each in references if isinstance(each, dict)]
        sides[side] = {_identity(each)[1] for each in targets}
    if values.get("columnMapping"):
        yield from column_mapping_problems(values["columnMapping"], sides["inputs"], sides["outputs"])


def _identity(entity: Mapping[str, Any]) -> Identity:
    holder = entity.get("attributes") or entity.get("uniqueAttributes") or {}
    return str(entity.get("typeName")), str(holder.get("qualifiedName"))


def _name(entity: Mapping[str, Any]) -> str:
    return f"{entity.get('typeName')} {_identity(entity)[1][:120]}"
