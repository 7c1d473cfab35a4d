"""Entities as they stand in a message: both forms in one, nothing resolved, nothing left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.config.secrets import mask_text


@dataclass(frozen=True, slots=True)
class GivenEntity:
    """An entity; whatever JSON can say may stand in its parts. `guid` is None where there is none.

    `lacks_guid`: it says that it has none, which a server does not take; it gives one itself to what says nothing. `own_guid` is
    what stands in an entity whose guid is the key that others refer to it by.
    """

    type_name: object
    guid: object
    attributes: Mapping[str, Any]
    relationships: Mapping[str, Any] = field(default_factory=dict)
    custom: object = None
    labels: object = None
    classifications: tuple[object, ...] = ()
    is_v1: bool = False
    lacks_guid: bool = False
    own_guid: object = None

    @property
    def shown(self) -> str:
        """Type and name, for a person: names of data as they are, but for a secret that stands in one."""
        name = self.attributes.get("qualifiedName")
        return f"{_text(self.type_name)} {_text(name) if name is not None else '(no qualifiedName)'}"


def entity_v2(given: Mapping[str, Any], key: str | None = None) -> GivenEntity:
    """Return an entity of the newer form; `key` is that of one that is only referred, which counts as its guid."""
    classifications = given.get("classifications")
    guid = given.get("guid")
    return GivenEntity(
        given.get("typeName"),
        guid if key is None else key,
        _mapping(given.get("attributes")),
        _mapping(given.get("relationshipAttributes")),
        given.get("customAttributes"),
        given.get("labels"),
        tuple(
            each.get("typeName") if isinstance(each, dict) else each
            for each in (classifications if isinstance(classifications, list) else ())
        ),
        lacks_guid="guid" in given and guid in (None, ""),
        own_guid=guid,
    )


def entity_v1(given: Mapping[str, Any]) -> GivenEntity:
    """Give an entity of the older form: a Referenceable, whose references are values, too."""
    traits, id_ = given.get("traitNames"), given.get("id")
    guid = _mapping(id_).get("id")
    return GivenEntity(
        given.get("typeName"),
        guid,
        _mapping(given.get("values")),
        classifications=tuple(traits) if isinstance(traits, list) else (),
        is_v1=True,
        lacks_guid=guid in (None, "") and not isinstance(id_, str),  # of a text the server makes an id with a guid
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
