"""Validate an entity: its type, attributes, references, classifications, labels and custom attributes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.atlas.limits import INDEXED_LIMIT, units
from sac_kafka.atlas.model import is_assigned
from sac_kafka.atlas.validating.given import GivenEntity, as_reference
from sac_kafka.atlas.validating.type_model import RelationshipEnd, TypeModel
from sac_kafka.atlas.validating.values import entity_type, problem_of
from sac_kafka.atlas.validating.violation import Violation, shown
from sac_kafka.config.server_limits import CUSTOM_VALUE_LIMIT

_NAME = re.compile(r"[A-Za-z0-9_-]{1,50}")
_TYPES = "give the server the type (sac-kafka types apply), or name the model that it has: --dialect, --server, --model"


@dataclass(frozen=True, slots=True)
class MessageContext:
    """Context of an entity in its message: types of the message's entities by guid, and guids of `earlier` messages."""

    model: TypeModel
    guids: Mapping[str, str] = field(default_factory=dict)
    earlier: frozenset[str] | set[str] = frozenset()


def violations_of(entity: GivenEntity, context: MessageContext, *, is_whole: bool) -> Iterator[Violation]:
    """Yield the violations of an entity; an entity that is not whole (a partial update) may lack mandatory attributes."""
    name = entity.type_name
    if not isinstance(name, str) or not context.model.has(name):
        yield unknown_type(name, entity.shown)
        return
    relationships, attributes = _divided(entity, context.model)
    yield from _attributes(entity, name, attributes, context)
    yield from _ends(entity, name, relationships, context)
    if is_whole:
        yield from _missing(entity, name, attributes, relationships, context.model)
    yield from _annotations(entity, context.model)


def unknown_type(name: object, entity: str, attribute: str = "") -> Violation:
    """Return the violation for a type that the model lacks."""
    return Violation("the model has no such type", _TYPES, entity, attribute or "typeName", shown(name), "R4")


def not_unique(given: Mapping[str, Any], names: frozenset[str], entity: str, place: str) -> Violation:
    """Return the violation for a reference that contains other than unique attributes."""
    other = next(name for name, value in given.items() if name not in names or value is None)
    problem = f"{other[:60]} is no unique attribute: a server refuses the message"
    return Violation(problem, "leave it out", entity, place, shown(given), "R10")


def _divided(entity: GivenEntity, model: TypeModel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate references from values, as older forms and hooks write references among the attributes."""
    ends = model.ends(str(entity.type_name))
    declared = model.attributes(str(entity.type_name))
    among = {key: value for key, value in entity.attributes.items() if key in ends and key not in declared}
    return {**among, **entity.relationships}, {k: v for k, v in entity.attributes.items() if k not in among}


def _attributes(
    entity: GivenEntity, name: str, attributes: Mapping[str, Any], context: MessageContext
) -> Iterator[Violation]:
    declared = context.model.attributes(name)
    for key, value in attributes.items():
        definition = declared.get(key)
        if definition is None:
            fix = "correct its name, or leave it out: a server ignores it"
            yield Violation(f"{name} has no such attribute", fix, entity.shown, key, shown(value), "R28")
            continue
        of = entity_type(str(definition.get("typeName")), context.model)
        if of is not None and value is not None:
            end = RelationshipEnd("", *of, is_owner=False)
            yield from _references(entity, key, value, (end,), context)
            continue
        problem = problem_of(value, str(definition.get("typeName")), context.model)
        if problem:
            fix = f"send a {definition.get('typeName')}"
            yield Violation(problem, fix, entity.shown, key, shown(value), "R7")
        elif definition.get("isIndexable") and isinstance(value, str) and units(value) > INDEXED_LIMIT:
            problem = f"{units(value):,} characters: a server trims what is indexed at {INDEXED_LIMIT:,}"
            yield Violation(problem, "shorten it", entity.shown, key, shown(value), "R22")


def _missing(
    entity: GivenEntity,
    name: str,
    attributes: Mapping[str, Any],
    relationships: Mapping[str, Any],
    model: TypeModel,
) -> Iterator[Violation]:
    for key, definition in model.attributes(name).items():
        is_mandatory = definition.get("isOptional") is False and definition.get("defaultValue") is None
        if is_mandatory and attributes.get(key) is None and relationships.get(key) is None:
            yield Violation(f"{name} must have it", "send it", entity.shown, key, rule="R5")
    for key, ends in model.ends(name).items():
        if any(each.is_owner for each in ends) and not relationships.get(key):
            problem, fix = "an entity must name its owner", f"send a reference to a {ends[0].target}"
            yield Violation(problem, fix, entity.shown, key, rule="R6")


def _ends(
    entity: GivenEntity, name: str, relationships: Mapping[str, Any], context: MessageContext
) -> Iterator[Violation]:
    ends = context.model.ends(name)
    declared = context.model.attributes(name)
    for key, value in relationships.items():
        if value is None:
            continue
        if key in ends:
            yield from _references(entity, key, value, ends[key], context)
        elif key not in declared:
            fix = "correct its name, or leave it out"
            yield Violation(f"{name} has no such relationship", fix, entity.shown, key, shown(value), "R28")


def _references(
    entity: GivenEntity, key: str, value: object, ends: tuple[RelationshipEnd, ...], context: MessageContext
) -> Iterator[Violation]:
    given = value if isinstance(value, list) else [value]
    if not any(each.is_many == isinstance(value, list) for each in ends):
        must = "must be a list" if ends[0].is_many else "must be one object, no list"
        yield Violation(must, "send it so", entity.shown, key, shown(value), "R8")
    for each in given:
        reference = as_reference(each, is_v1=entity.is_v1)
        if reference is None:
            yield Violation(
                "must be a reference", "send typeName with uniqueAttributes", entity.shown, key, shown(each), "R7"
            )
        else:
            yield from _reference(entity, key, reference, ends, context)


def _reference(
    entity: GivenEntity,
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
        yield unknown_type(type_name, entity.shown, f"{key}.typeName")
        return
    wanted = [each for each in ends if model.is_a(type_name, each.target)]
    if not wanted:
        targets = " or ".join(sorted({each.target for each in ends}))
        yield Violation(f"must refer to a {targets}", "refer to one", entity.shown, key, shown(type_name), "R9")
    relationship = reference.get("relationshipType")
    if relationship is not None and all(each.relationship not in ("", relationship) for each in ends):
        problem = f"{entity.type_name}.{key} is no end of this relationship"
        names = " or ".join(sorted({each.relationship for each in ends}))
        yield Violation(problem, f"send {names}", entity.shown, f"{key}.relationshipType", shown(relationship), "R28")
    yield from _resolved(entity, key, reference, type_name, context)


def _resolved(
    entity: GivenEntity, key: str, reference: Mapping[str, Any], type_name: str, context: MessageContext
) -> Iterator[Violation]:
    """Yield violations of the target of a reference: an entity of the message, or a unique attribute on the server."""
    guid, unique = reference.get("guid") or None, reference.get("uniqueAttributes")
    if guid is not None and str(guid) in context.guids:
        found = context.guids[str(guid)]
        if found != type_name:
            problem = f"the entity of guid {guid} is a {found}"
            yield Violation(problem, "name its own type", entity.shown, f"{key}.typeName", shown(type_name), "R10")
        return
    if guid is not None and str(guid).startswith("-"):
        known = (
            ", though an earlier message has: a guid counts in its own message" if str(guid) in context.earlier else ""
        )
        problem = f"no entity of the message has this guid{known}"
        yield Violation(
            problem,
            "send the entity with it, or refer by uniqueAttributes alone",
            entity.shown,
            key,
            shown(guid),
            "R10",
        )
        return
    if guid is not None:
        return  # Refers to an entity on the server, which cannot be checked here.
    names, given = context.model.unique(type_name), unique if isinstance(unique, dict) else {}
    texts = [value for name, value in given.items() if name in names and value is not None]
    if texts and len(texts) < len(given):
        yield not_unique(given, names, entity.shown, f"{key}.uniqueAttributes")
    elif not texts:
        problem = "it leads nowhere: no guid and no unique attribute"
        fix = f"send uniqueAttributes with {' or '.join(sorted(names)) or 'one'}"
        yield Violation(problem, fix, entity.shown, key, shown(unique), "R10")
    elif not all(isinstance(each, str) for each in texts):
        yield Violation("a unique attribute must be a text", "send it so", entity.shown, key, shown(unique), "R7")


def _annotations(entity: GivenEntity, model: TypeModel) -> Iterator[Violation]:
    """Yield violations of classifications, labels and custom attributes."""
    for each in entity.classifications:
        if not isinstance(each, str) or not model.has_classification(each):
            fix = "make it on the server, or leave it out; --server or --model names a model that has it"
            yield Violation(
                "the model has no such classification", fix, entity.shown, "classifications", shown(each), "R20"
            )
    labels = entity.labels if isinstance(entity.labels, list) else ()
    for each in labels:
        text = each if isinstance(each, str) else json.dumps(each)  # a server reads 1 as "1"
        if each is None or (text and not _NAME.fullmatch(text)):
            yield _misnamed(entity, "labels", each)
    custom = entity.custom if isinstance(entity.custom, dict) else {}
    if entity.custom is not None and entity.custom != custom:
        yield Violation("must be a map", "send it so", entity.shown, "customAttributes", shown(entity.custom), "R21")
    for key, value in custom.items():
        if not _NAME.fullmatch(key):
            yield _misnamed(entity, "customAttributes", key)
        if isinstance(value, (dict, list)):
            yield Violation(
                "must be a text", "send it so", entity.shown, f"customAttributes.{key}", shown(value), "R21"
            )
        elif isinstance(value, str) and units(value) > CUSTOM_VALUE_LIMIT:
            problem = f"{units(value):,} characters, {CUSTOM_VALUE_LIMIT} at most"
            yield Violation(problem, "shorten it", entity.shown, f"customAttributes.{key}", shown(value), "R21")


def _misnamed(entity: GivenEntity, attribute: str, value: object) -> Violation:
    return Violation(
        "must be made of A-Z a-z 0-9 _ -, 50 at most", "rename it", entity.shown, attribute, shown(value), "R21"
    )
