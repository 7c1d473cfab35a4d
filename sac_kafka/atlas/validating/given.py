"""Entities as they stand in a message: both forms in one, nothing resolved, nothing left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.config.secrets import mask_text


@dataclass(frozen=True, slots=True)
class GivenEntity:
    """An entity; whatever JSON can say may stand in its parts. `guid` is None where there is none."""

    type_name: object
    guid: object
    attributes: Mapping[str, Any]
    relationships: Mapping[str, Any] = field(default_factory=dict)
    custom: object = None
    labels: object = None
    classifications: tuple[object, ...] = ()
    is_v1: bool = False

    @property
    def shown(self) -> str:
        """Type and name, for a person: names of data as they are, but for a secret that stands in one."""
        name = self.attributes.get("qualifiedName")
        return f"{_text(self.type_name)} {_text(name) if name is not None else '(no qualifiedName)'}"


def entity_v2(given: Mapping[str, Any]) -> GivenEntity:
    """Give an entity of the newer form."""
    classifications = given.get("classifications")
    return GivenEntity(
        given.get("typeName"),
        given.get("guid"),
        _mapping(given.get("attributes")),
        _mapping(given.get("relationshipAttributes")),
        given.get("customAttributes"),
        given.get("labels"),
        tuple(
            each.get("typeName") if isinstance(each, dict) else each
            for each in (classifications if isinstance(classifications, list) else ())
        ),
    )


def entity_v1(given: Mapping[str, Any]) -> GivenEntity:
    """Give an entity of the older form: a Referenceable, whose references are values, too."""
    traits = given.get("traitNames")
    return GivenEntity(
        given.get("typeName"),
        _mapping(given.get("id")).get("id"),
        _mapping(given.get("values")),
        classifications=tuple(traits) if isinstance(traits, list) else (),
        is_v1=True,
    )


def as_reference(value: object, *, is_v1: bool) -> Mapping[str, Any] | None:
    """Give a reference in the newer form (typeName, guid, uniqueAttributes); None where it is none."""
    if not isinstance(value, dict):
        return None
    if not is_v1:
        return value
    if "values" in value:
        name = _mapping(value["values"]).get("qualifiedName")
        unique = {} if name is None else {"uniqueAttributes": {"qualifiedName": name}}
        return {"typeName": value.get("typeName"), "guid": _mapping(value.get("id")).get("id"), **unique}
    return {"typeName": value.get("typeName"), "guid": value.get("id")}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    text = mask_text(str(value))
    return text if len(text) <= 100 else f"{text[:60]}…{text[-39:]}"
