"""Validate an entity: its type, attributes, references, classifications, labels and custom attributes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.atlas.limits import INDEXED_LIMIT, units
from sac_kafka.atlas.model import is_assigned
from sac_kafka.catalog.json_values import as_object
from sac_kafka.settings.content import CUSTOM_VALUE_LIMIT
from sac_kafka.tools.validate.raw_entity import RawEntity, Violation, as_reference, violation
from sac_kafka.tools.validate.type_model import RelationshipEnd, TypeModel

_DATE = re.compile(r"\d{1,9}-\d{1,4}-\d{1,4}T\d{1,4}:\d{1,4}:\d{1,9}\.\d{1,9}Z", re.ASCII)
"""Format of `AtlasBaseTypeDef.DATE_FORMATTER`, with milliseconds."""
_BITS = {"byte": 8, "short": 16, "int": 32, "long": 64}
_NAME = re.compile(r"[A-Za-z0-9_-]{1,50}")
_TYPES = (
    "create the type on the server (sac-kafka types apply), or select a model with it (--dialect, --server, --model)"
)


def entity_type(type_name: str, model: TypeModel) -> tuple[str, bool] | None:
    """Return the entity type that values refer to and whether it is a list; None if they are not references."""
    is_many = type_name.startswith("array<")
    inner = type_name[len("array<") : -1] if is_many else type_name
    return (inner, is_many) if model.has(inner) else None


def _of_list(value: object, inner: str, model: TypeModel) -> str:
    if not isinstance(value, list):
        return "must be a list"
    return next((f"invalid element: {problem}" for each in value if (problem := problem_of(each, inner, model))), "")


def _of_map(value: object, inner: str, model: TypeModel) -> str:
    if not isinstance(value, dict):
        return "must be a map"
    of_values = inner.partition(",")[2].strip()
    return next(
        (
            f"invalid value of key {key[:40]}: {problem}"
            for key, each in value.items()
            if (problem := problem_of(each, of_values, model))
        ),
        "",
    )


def _of_struct(value: object, name: str, attributes: Mapping[str, Mapping[str, object]], model: TypeModel) -> str:
    if not isinstance(value, dict):
        return f"must be an object of type {name}"
    given = value.get("attributes") or value.get("values") or value
    if not isinstance(given, dict):
        return f"must be an object of type {name}"
    for key, each in attributes.items():
        if each.get("isOptional") is False and given.get(key) is None:
            return f"mandatory attribute {key} is missing"
        if problem := problem_of(given.get(key), str(each.get("typeName")), model):
            return f"invalid attribute {key}: {problem}"
    return ""


def _integer(value: object, bits: int) -> str:
    requirement = f"must be a {bits}-bit integer"
    if isinstance(value, bool) or not isinstance(value, (int, str, float)):
        return requirement
    try:
        number = int(value) if not isinstance(value, str) else int(value[:30])
    except (ValueError, OverflowError):
        return requirement
    return "" if -(1 << bits - 1) <= number < 1 << bits - 1 else requirement


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        try:
            float(value[:400])
        except ValueError:
            return False
        return True
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_date(value: object) -> bool:
    if isinstance(value, str):
        return value.isdecimal() or not value or _DATE.match(value) is not None
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value.casefold() in {"true", "false"})


def _is_text(value: object) -> bool:
    return not isinstance(value, (dict, list))


_NUMBER = (_is_number, "must be a number")
_SIMPLE: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "string": (_is_text, "must be a string"),
    "boolean": (_is_boolean, "must be true or false"),
    "date": (_is_date, "must be epoch milliseconds"),
    "float": _NUMBER,
    "double": _NUMBER,
    "biginteger": _NUMBER,
    "bigdecimal": _NUMBER,
}


def problem_of(value: object, type_name: str, model: TypeModel) -> str:
    """Return the requirement that a value violates; "" if it is valid, None, or not of a value type."""
    if value is None:
        return ""
    if type_name in _SIMPLE:
        is_valid, requirement = _SIMPLE[type_name]
        return "" if is_valid(value) else requirement
    if type_name in _BITS:
        return _integer(value, _BITS[type_name])
    if type_name.startswith("array<"):
        return _of_list(value, type_name[len("array<") : -1], model)
    if type_name.startswith("map<"):
        return _of_map(value, type_name[len("map<") : -1], model)
    allowed = model.enum(type_name)
    if allowed is not None:
        is_allowed = isinstance(value, str) and value.casefold() in {each.casefold() for each in allowed}
        return "" if is_allowed else f"must be one of {', '.join(sorted(allowed)[:8])}"
    struct = model.struct(type_name)
    return "" if struct is None else _of_struct(value, type_name, struct, model)


@dataclass(frozen=True, slots=True)
class MessageContext:
    """Context of an entity in its message: types of the message's entities by guid, and guids of `earlier` messages."""

    model: TypeModel
    guids: Mapping[str, str] = field(default_factory=dict)
    earlier: frozenset[str] | set[str] = frozenset()


def violations_of(entity: RawEntity, context: MessageContext, *, is_whole: bool) -> Iterator[Violation]:
    """Yield the violations of an entity; an entity that is not whole (a partial update) may lack mandatory attributes."""
    name = entity.type_name
    if not isinstance(name, str) or not context.model.has(name):
        yield unknown_type(name, entity.label)
        return
    relationships, attributes = _references_and_values(entity, context.model)
    yield from _attributes(entity, name, attributes, context)
    yield from _ends(entity, name, relationships, context)
    if is_whole:
        yield from _missing(entity, name, attributes, relationships, context.model)
    yield from _annotations(entity, context.model)


def unknown_type(name: object, entity: RawEntity | str, attribute: str = "") -> Violation:
    """Return the violation for a type that the model lacks."""
    return violation("unknown type", _TYPES, entity, attribute or "typeName", name, "R4")


def not_unique(given: Mapping[str, Any], names: frozenset[str], entity: RawEntity | str, place: str) -> Violation:
    """Return the violation for a reference that contains other than unique attributes."""
    other = next(name for name, value in given.items() if name not in names or value is None)
    problem = f"{other[:60]} is not a unique attribute: the server rejects the message"
    return violation(problem, "remove it", entity, place, given, "R10")


def _references_and_values(entity: RawEntity, model: TypeModel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return references and other attributes separately: the V1 form and older hooks write references among the attributes."""
    ends = model.ends(str(entity.type_name))
    declared = model.attributes(str(entity.type_name))
    among = {key: value for key, value in entity.attributes.items() if key in ends and key not in declared}
    return {**among, **entity.relationships}, {k: v for k, v in entity.attributes.items() if k not in among}


def _attributes(
    entity: RawEntity, name: str, attributes: Mapping[str, Any], context: MessageContext
) -> Iterator[Violation]:
    declared = context.model.attributes(name)
    for key, value in attributes.items():
        definition = declared.get(key)
        if definition is None:
            problem = f"unknown attribute of {name}: the server ignores it"
            yield violation(problem, "correct its name or remove it", entity, key, value, "R28")
            continue
        type_ = entity_type(str(definition.get("typeName")), context.model)
        if type_ is not None and value is not None:
            end = RelationshipEnd("", *type_, is_owner=False)
            yield from _references(entity, key, value, (end,), context)
            continue
        problem = problem_of(value, str(definition.get("typeName")), context.model)
        if problem:
            fix = f"send a value of type {definition.get('typeName')}"
            yield violation(problem, fix, entity, key, value, "R7")
        elif definition.get("isIndexable") and isinstance(value, str) and units(value) > INDEXED_LIMIT:
            problem = f"{units(value):,} characters: the server truncates indexed strings at {INDEXED_LIMIT:,}"
            yield violation(problem, "shorten it", entity, key, value, "R22")


def _missing(
    entity: RawEntity,
    name: str,
    attributes: Mapping[str, Any],
    relationships: Mapping[str, Any],
    model: TypeModel,
) -> Iterator[Violation]:
    for key, definition in model.attributes(name).items():
        is_mandatory = definition.get("isOptional") is False and definition.get("defaultValue") is None
        if is_mandatory and attributes.get(key) is None and relationships.get(key) is None:
            problem = f"mandatory attribute of {name} is missing"
            yield violation(problem, "send a value", entity, key, rule="R5")
    for key, ends in model.ends(name).items():
        if any(end.is_owner for end in ends) and not relationships.get(key):
            problem, fix = "the entity must reference its owner", f"send a reference to a {ends[0].target}"
            yield violation(problem, fix, entity, key, rule="R6")


def _ends(
    entity: RawEntity, name: str, relationships: Mapping[str, Any], context: MessageContext
) -> Iterator[Violation]:
    ends = context.model.ends(name)
    declared = context.model.attributes(name)
    for key, value in relationships.items():
        if value is None:
            continue
        if key in ends:
            yield from _references(entity, key, value, ends[key], context)
        elif key not in declared:
            fix = "correct its name or remove it"
            yield violation(f"unknown relationship of {name}", fix, entity, key, value, "R28")


def _references(
    entity: RawEntity, key: str, value: object, ends: tuple[RelationshipEnd, ...], context: MessageContext
) -> Iterator[Violation]:
    given = value if isinstance(value, list) else [value]
    if not any(end.is_many == isinstance(value, list) for end in ends):
        problem, fix = ("must be a list", "send a list")
        if not ends[0].is_many:
            problem, fix = ("must be a single object, not a list", "send one object")
        yield violation(problem, fix, entity, key, value, "R8")
    for each in given:
        reference = as_reference(each, is_v1=entity.is_v1)
        if reference is None:
            yield violation("must be a reference", "send typeName and uniqueAttributes", entity, key, each, "R7")
        else:
            yield from _reference(entity, key, reference, ends, context)


def _reference(
    entity: RawEntity,
    key: str,
    reference: Mapping[str, Any],
    ends: tuple[RelationshipEnd, ...],
    context: MessageContext,
) -> Iterator[Violation]:
    model, guid = context.model, reference.get("guid")
    type_name = reference.get("typeName")
    type_name = context.guids.get(str(guid)) if type_name is None else type_name
    if type_name is None and is_assigned(guid):
        return  # Refers to an entity on the server, which cannot be checked here.
    if not isinstance(type_name, str) or not model.has(type_name):
        yield unknown_type(type_name, entity, f"{key}.typeName")
        return
    wanted = [end for end in ends if model.is_a(type_name, end.target)]
    if not wanted:
        targets = " or ".join(sorted({end.target for end in ends}))
        yield violation(f"must reference a {targets}", "reference an entity of this type", entity, key, type_name, "R9")
    relationship = reference.get("relationshipType")
    if relationship is not None and all(end.relationship not in ("", relationship) for end in ends):
        problem = f"{entity.type_name}.{key} is not an end of this relationship"
        names = " or ".join(sorted({end.relationship for end in ends}))
        yield violation(problem, f"send {names}", entity, f"{key}.relationshipType", relationship, "R28")
    yield from _resolve(entity, key, reference, type_name, context)


def _resolve(
    entity: RawEntity, key: str, reference: Mapping[str, Any], type_name: str, context: MessageContext
) -> Iterator[Violation]:
    """Yield violations of the target of a reference: an entity of the message, or a unique attribute on the server."""
    guid, unique = reference.get("guid") or None, reference.get("uniqueAttributes")
    if guid is not None and str(guid) in context.guids:
        found = context.guids[str(guid)]
        if found != type_name:
            problem = f"the type of the entity with guid {guid} is {found}"
            yield violation(problem, f"send {found}", entity, f"{key}.typeName", type_name, "R10")
        return
    if guid is not None and str(guid).startswith("-"):
        known = " (only an earlier message has it, and guids are valid within one message)"
        problem = f"no entity of the message has this guid{known if str(guid) in context.earlier else ''}"
        yield violation(
            problem, "include the entity, or reference it by uniqueAttributes only", entity, key, guid, "R10"
        )
        return
    if guid is not None:
        return  # Refers to an entity on the server, which cannot be checked here.
    names, given = context.model.unique(type_name), as_object(unique)
    texts = [value for name, value in given.items() if name in names and value is not None]
    if texts and len(texts) < len(given):
        yield not_unique(given, names, entity, f"{key}.uniqueAttributes")
    elif not texts:
        problem = "the reference has no guid and no unique attribute"
        fix = f"send uniqueAttributes with {' or '.join(sorted(names)) or 'one'}"
        yield violation(problem, fix, entity, key, unique, "R10")
    elif not all(isinstance(text, str) for text in texts):
        yield violation("unique attributes must be strings", "send a string", entity, key, unique, "R7")


def _annotations(entity: RawEntity, model: TypeModel) -> Iterator[Violation]:
    """Yield violations of classifications, labels and custom attributes."""
    for classification in entity.classifications:
        if not isinstance(classification, str) or not model.has_classification(classification):
            fix = "create it on the server, select a model with it (--server, --model), or remove it"
            yield violation("unknown classification", fix, entity, "classifications", classification, "R20")
    for label in entity.labels:
        text = label if isinstance(label, str) else json.dumps(label)  # A server parses 1 as "1".
        if label is None or (text and not _NAME.fullmatch(text)):
            yield _report_name(entity, "labels", label)
    for key, value in entity.custom.items():
        if not _NAME.fullmatch(key):
            yield _report_name(entity, "customAttributes", key)
        if isinstance(value, str) and units(value) > CUSTOM_VALUE_LIMIT:
            problem = f"{units(value):,} characters; the maximum is {CUSTOM_VALUE_LIMIT}"
            yield violation(problem, "shorten it", entity, f"customAttributes.{key}", value, "R21")


def _report_name(entity: RawEntity, attribute: str, value: object) -> Violation:
    return violation(
        "may contain only A-Z a-z 0-9 _ -, at most 50 characters", "rename it", entity, attribute, value, "R21"
    )
