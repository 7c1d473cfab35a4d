"""Schemas of what attributes hold, and of references."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sac_kafka.atlas.limits import INDEXED_LIMIT
from sac_kafka.atlas.types.definitions import TypeDefinition, by_name
from sac_kafka.atlas.wire.v1 import JSON_CLASS
from sac_kafka.settings.content import CUSTOM_VALUE_LIMIT, WORD

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DEFINITIONS = "values.schema.json#/$defs/"

_INT = 2**31
_LONG = 2**63
_WORD = f"^{WORD}$"

_PRIMITIVES: Mapping[str, Schema] = MappingProxyType(
    {
        "text": {"type": "string", "minLength": 1},
        "indexedText": {
            "description": "R22: below atlas.graphstore.indexed.string.safe.length (32767)",
            "type": "string",
            "minLength": 1,
            "maxLength": INDEXED_LIMIT,
        },
        "boolean": {"type": "boolean"},
        "int": {"type": "integer", "minimum": -_INT, "maximum": _INT - 1},
        "long": {"type": "integer", "minimum": -_LONG, "maximum": _LONG - 1},
        "date": {"description": "R7: epoch milliseconds", "type": "integer", "minimum": -_LONG, "maximum": _LONG - 1},
        "texts": {"type": "array", "minItems": 1, "items": {"type": "string"}},
        "map": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
    }
)
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "string": "text",
        "boolean": "boolean",
        "int": "int",
        "long": "long",
        "date": "date",
        "array<string>": "texts",
        "map<string,string>": "map",
    }
)


def values() -> Schema:
    """Return the definitions that all other schemas refer to."""
    return {
        "$schema": DIALECT,
        "title": "Values",
        "description": "What attributes hold. Lengths are code points here; a server counts UTF-16 units.",
        "$defs": {
            **_PRIMITIVES,
            "guid": {
                "description": "R10, R11: not assigned by the server, local to the message",
                "type": "string",
                "pattern": "^-[1-9][0-9]*$",
            },
            "customAttributes": {
                "description": "R21: EntityGraphMapper.validateCustomAttributes",
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": _WORD},
                "additionalProperties": {"type": "string", "minLength": 1, "maxLength": CUSTOM_VALUE_LIMIT},
            },
            "labels": {
                "description": "R21: EntityGraphMapper.validateLabels",
                "type": "array",
                "minItems": 1,
                "uniqueItems": True,
                "items": {"type": "string", "pattern": _WORD},
            },
            "classifications": {
                "description": "R20: of types that the server has; Purview knows no `propagate`",
                "type": "array",
                "minItems": 1,
                "uniqueItems": True,
                "items": closed({"typeName": at("text"), "propagate": {"const": True}}, optional=("propagate",)),
            },
            "uniqueAttributes": closed({"qualifiedName": at("indexedText")}),
            "reference": _reference(),
            "id": _v1_id(),
        },
    }


def _reference() -> Schema:
    return {
        "title": "AtlasRelatedObjectId",
        "description": "A reference: the guid if its target is in the message (R10), always the concrete type and the "
        "unique attribute (R12). Its users define which types and which relationship.",
        **closed(
            {
                "guid": at("guid"),
                "typeName": {"type": "string"},
                "uniqueAttributes": at("uniqueAttributes"),
                "relationshipType": {"type": "string"},
            },
            optional=("guid",),
        ),
    }


def _v1_id() -> Schema:
    return {
        "title": "Id",
        "description": "A reference of the older form: to an entity of the same message, by its guid.",
        **closed(
            {
                "jsonClass": {"description": "R25", "const": f"{JSON_CLASS}Id"},
                "id": at("guid"),
                "typeName": {"type": "string"},
                "version": {"const": 0},
                "state": {"const": "ACTIVE"},
            }
        ),
    }


def at(name: str) -> Schema:
    """Return a reference to one of the definitions."""
    return {"$ref": f"{DEFINITIONS}{name}"}


def closed(properties: Mapping[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    """Return an object of these properties and no others, all mandatory but the optional ones."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name in properties if name not in optional],
        "properties": dict(properties),
    }


def value(attribute: TypeDefinition) -> Schema:
    """Return what an attribute holds.

    Raises:
        KeyError: its type has no schema.
    """
    type_name = attribute["typeName"]
    inner = type_name.removeprefix("array<").removesuffix(">")
    if type_name == "string" and attribute["isIndexable"]:
        return at("indexedText")
    if type_name in _NAMES:
        return at(_NAMES[type_name])
    if enum := by_name("enumDefs").get(type_name):
        return {"enum": [each["value"] for each in enum["elementDefs"]]}
    parts = by_name("structDefs")[inner]["attributeDefs"]
    schema = closed(
        {each["name"]: value(each) for each in parts},
        optional=tuple(each["name"] for each in parts if each["isOptional"]),
    )
    return schema if inner == type_name else {"type": "array", "minItems": 1, "items": schema}
