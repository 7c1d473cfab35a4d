"""Extract entities from the JSON of a message, in one form for V1 and V2, without resolving or checking; and violations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.catalog.json_values import as_list, as_object
from sac_kafka.masking import mask_text

_MAX_INPUT = 400
"""Characters of a value that are masked; the rest is dropped before."""
_MAX_RENDERED = 80
_NO_VALUE = object()


@dataclass(frozen=True, slots=True)
class RawEntity:
    """An entity of a message, whose parts may be any JSON value.

    `guid` is the key of an entity in `referredEntities`, `own_guid` the guid in the entity itself. In the V1 form attributes
    include references. `has_empty_guid` is True if the guid is null or empty, which Atlas rejects; without a guid it assigns one.
    """

    type_name: object
    guid: object
    attributes: Mapping[str, Any]
    relationships: Mapping[str, Any] = field(default_factory=dict)
    custom: Mapping[str, Any] = field(default_factory=dict)
    labels: Sequence[object] = ()
    classifications: tuple[object, ...] = ()
    is_v1: bool = False
    has_empty_guid: bool = False
    own_guid: object = None

    @property
    def label(self) -> str:
        """Type and qualifiedName, with secrets masked and long names truncated in the middle."""
        name = self.attributes.get("qualifiedName")
        return f"{_text(self.type_name)} {_text(name) if name is not None else '(no qualifiedName)'}"


def entity_v2(given: Mapping[str, Any], key: str | None = None) -> RawEntity:
    """Return an entity of the V2 form; `key` is its key in `referredEntities`, which Atlas uses as its guid."""
    guid = given.get("guid")
    return RawEntity(
        given.get("typeName"),
        guid if key is None else key,
        as_object(given.get("attributes")),
        as_object(given.get("relationshipAttributes")),
        as_object(given.get("customAttributes")),
        as_list(given.get("labels")),
        tuple(
            each.get("typeName") if isinstance(each, dict) else each for each in as_list(given.get("classifications"))
        ),
        has_empty_guid="guid" in given and guid in (None, ""),
        own_guid=guid,
    )


def entity_v1(given: Mapping[str, Any]) -> RawEntity:
    """Return an entity of the V1 form (Referenceable), whose attributes include references."""
    id_ = given.get("id")
    guid = as_object(id_).get("id")
    return RawEntity(
        given.get("typeName"),
        guid,
        as_object(given.get("values")),
        classifications=tuple(as_list(given.get("traitNames"))),
        is_v1=True,
        # Atlas converts an id that is a string to an Id with that guid.
        has_empty_guid=guid in (None, "") and not isinstance(id_, str),
    )


def as_reference(value: object, *, is_v1: bool) -> Mapping[str, Any] | None:
    """Return a reference in the V2 form (typeName, guid, uniqueAttributes); None if the value is not a reference."""
    if not isinstance(value, dict):
        return None
    if not is_v1:
        return value
    if "values" in value:
        name = as_object(value["values"]).get("qualifiedName")
        unique = {} if name is None else {"uniqueAttributes": {"qualifiedName": name}}
        return {"typeName": value.get("typeName"), "guid": as_object(value.get("id")).get("id"), **unique}
    return {"typeName": value.get("typeName"), "guid": value.get("id")}


def _text(value: object) -> str:
    text = mask_text(str(value))
    return text if len(text) <= 100 else f"{text[:60]}…{text[-39:]}"


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation: `entity` is type and name, `attribute` the place in it, `value` the masked and truncated value.

    `rule` is the number in docs/sender-rules.md, or "". `is_doubt`: Atlas accepts the message nevertheless.
    """

    problem: str
    fix: str
    entity: str = ""
    attribute: str = ""
    value: str = ""
    rule: str = ""
    is_doubt: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        """Return the violation as a sentence, without the place of the message."""
        place = " ".join(filter(None, (self.entity, self.attribute)))
        subject = f"{place} = {self.value}" if place and self.value else place or self.value
        rule = f" ({self.rule})" if self.rule else ""
        return f"{subject}: {self.problem}{rule}; {self.fix}" if subject else f"{self.problem}{rule}; {self.fix}"


def violation(
    problem: str,
    fix: str,
    entity: RawEntity | str = "",
    attribute: str = "",
    value: object = _NO_VALUE,
    rule: str = "",
    *,
    is_doubt: bool = False,
) -> Violation:
    """Return the violation of an entity, or of an item with this label, by a value of any type."""
    label = entity.label if isinstance(entity, RawEntity) else entity
    shown = "" if value is _NO_VALUE else _render(value)
    return Violation(problem, fix, label, attribute, shown, rule, is_doubt=is_doubt)


def _render(value: object) -> str:
    """Return a value as JSON, masked and truncated."""
    if isinstance(value, str):
        text = json.dumps(value[:_MAX_INPUT], ensure_ascii=False)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)[:_MAX_INPUT]
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
    masked = mask_text(text)
    return masked if len(masked) <= _MAX_RENDERED else f"{masked[: _MAX_RENDERED - 1]}…"
