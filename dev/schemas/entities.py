"""Schemas of entities: as they are created, as they are updated in part, and in the older form."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dev.schemas.types import attributes, owners, subtypes
from dev.schemas.values import DIALECT, Schema, at, closed, value
from sac_kafka.atlas.catalog.definitions import RESET
from sac_kafka.atlas.types.definitions import TypeDefinition, by_name
from sac_kafka.atlas.types.inheritance import SINGLE, ends
from sac_kafka.atlas.types.sent import SENT
from sac_kafka.atlas.wire.v1 import JSON_CLASS
from sac_kafka.atlas.wire.v2 import relationships

# Attributes that are always sent, in addition to those that a server demands.
_EXPECTED = {
    "spark_table": ("db",),
    "spark_storagedesc": ("table",),
    "hive_table": ("db",),
    "avro_schema": ("associatedEntities",),
    "avro_field": ("record",),
    "spark_column_lineage": ("process", "inputs", "outputs"),
}
# R23: a schema that is sent for two datasets loses the first.
_AT_MOST_ONE = {("avro_schema", "associatedEntities")}
_CONSTANT = {("avro_schema", "type"): "record"}
# A definition is sent as a whole: missing attributes are reset.
_MAY_BE_RESET = {(name, attribute) for name, attributes in RESET.items() for attribute in attributes}
# For replication between servers.
_NEVER_SENT = {"replicatedFrom", "replicatedTo"}


def entity(type_name: str) -> Schema:
    """AtlasEntity of ENTITY_CREATE_V2 and ENTITY_FULL_UPDATE_V2: all mandatory attributes, null resets (R28)."""
    links = {name: _related(type_name, name) for name in _links(type_name)}
    needed = _needed(type_name)
    parts = {
        "typeName": {"const": type_name},
        "guid": at("guid"),
        "attributes": _attributes(type_name),
        "relationshipAttributes": closed(links, optional=tuple(name for name in links if name not in needed)),
        "customAttributes": at("customAttributes"),
        "labels": at("labels"),
        "classifications": at("classifications"),
    }
    if not links:
        del parts["relationshipAttributes"]
    optional = ("customAttributes", "labels", "classifications", *(() if needed else ("relationshipAttributes",)))
    return {**_head(type_name), **closed(parts, optional=optional)}


def update(type_name: str) -> Schema:
    """AtlasEntity of ENTITY_PARTIAL_UPDATE_V2: only what changes; null resets what need not be there."""
    links = {name: _related(type_name, name) for name in _links(type_name)}
    parts = {
        "typeName": {"const": type_name},
        "guid": at("guid"),
        "attributes": _changes(type_name),
        **({"relationshipAttributes": closed(links, optional=tuple(links))} if links else {}),
    }
    return {**_head(type_name), **closed(parts, optional=("relationshipAttributes",))}


def referenceable(type_name: str) -> Schema:
    """Referenceable of ENTITY_CREATE and ENTITY_FULL_UPDATE: references stand among the values."""
    links = {name: _v1_end(type_name, name) for name in _links(type_name)}
    needed = _needed(type_name)
    plain = _attributes(type_name)
    values = closed({**plain["properties"], **links}, optional=tuple(links))
    values["required"] = [*plain["required"], *(name for name in links if name in needed)]
    return {**_head(type_name), **_referenceable(type_name, values)}


def v1_update(type_name: str) -> Schema:
    """Referenceable of ENTITY_PARTIAL_UPDATE: only what changes, and no references."""
    return {**_head(type_name), **_referenceable(type_name, _changes(type_name))}


def one_of_all(title: str, description: str, make: Callable[[str], Schema], types: Iterable[str] = SENT) -> Schema:
    """Return the schemas of a form, one a type, and the one that selects by the entity's type, R4."""
    return {
        "$schema": DIALECT,
        "title": title,
        "description": description,
        "type": "object",
        "required": ["typeName"],
        "properties": {"typeName": {"enum": list(types)}},
        "allOf": [
            {
                "if": {"properties": {"typeName": {"const": name}}},
                "then": {"$ref": f"#/$defs/{name}"},
            }
            for name in types
        ],
        "$defs": {name: make(name) for name in types},
    }


FORMS: dict[str, tuple[str, str, Callable[[str], Schema]]] = {
    "entity": ("AtlasEntity", "An entity of a type that we send.", entity),
    "update": ("AtlasEntity", "What changes of an entity of a type that we send.", update),
    "referenceable": ("Referenceable", "An entity of a type that we send, in the older form.", referenceable),
    "referenceable_update": ("Referenceable", "What changes of an entity, in the older form.", v1_update),
}
"""Form → title and description of its schema, and the function that makes that of a type."""


def _head(type_name: str) -> Schema:
    return {"title": type_name, "description": by_name("entityDefs")[type_name]["description"]}


def _sendable(type_name: str) -> dict[str, TypeDefinition]:
    return {name: each for name, each in attributes(type_name).items() if name not in _NEVER_SENT}


def _value(type_name: str, attribute: TypeDefinition) -> Schema:
    constant = _CONSTANT.get((type_name, attribute["name"]))
    return {"const": constant} if constant else value(attribute)


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _attributes(type_name: str) -> Schema:
    declared = _sendable(type_name)
    return closed(
        {
            name: _or_null(_value(type_name, each)) if (type_name, name) in _MAY_BE_RESET else _value(type_name, each)
            for name, each in declared.items()
        },
        optional=tuple(name for name, each in declared.items() if each["isOptional"]),
    )


def _changes(type_name: str) -> Schema:
    declared = _sendable(type_name)
    values = {
        name: _or_null(_value(type_name, each)) if each["isOptional"] else _value(type_name, each)
        for name, each in declared.items()
    }
    return {**closed(values, optional=tuple(values)), "minProperties": 1}


def _links(type_name: str) -> list[str]:
    return [attribute for name, attribute in relationships() if name == type_name]


def _needed(type_name: str) -> set[str]:
    return {*owners(type_name), *_EXPECTED.get(type_name, ())} & set(_links(type_name))


def _targets(type_name: str, attribute: str) -> list[str]:
    """R9, R12: the concrete types that may be at the other end."""
    found = ends(type_name)[attribute]
    return [name for name in SENT if any(name in subtypes(far["type"]) for _relationship, _near, far in found)]


def _related(type_name: str, attribute: str) -> Schema:
    names = [relationship["name"] for relationship, _near, _far in ends(type_name)[attribute]]
    target = {
        **at("reference"),
        "properties": {
            "typeName": {"enum": _targets(type_name, attribute)},
            "relationshipType": {"const": names[0]} if len(names) == 1 else {"enum": names},
        },
    }
    return _one_or_many(type_name, attribute, target)


def _v1_end(type_name: str, attribute: str) -> Schema:
    target = {
        **at("id"),
        "properties": {"typeName": {"enum": _targets(type_name, attribute)}},
    }
    return _one_or_many(type_name, attribute, target)


def _one_or_many(type_name: str, attribute: str, target: Schema) -> Schema:
    """R8: a list where the end's cardinality is SET, else one object."""
    if ends(type_name)[attribute][0][1]["cardinality"] == SINGLE:
        return target
    many = {"type": "array", "minItems": 1, "uniqueItems": True, "items": target}
    return {**many, "maxItems": 1} if (type_name, attribute) in _AT_MOST_ONE else many


def _referenceable(type_name: str, values: Schema) -> Schema:
    trait = closed(
        {
            "jsonClass": {"const": f"{JSON_CLASS}Struct"},
            "typeName": at("text"),
            "values": {"type": "object", "maxProperties": 0},
        }
    )
    return closed(
        {
            "jsonClass": {"description": "R25", "const": f"{JSON_CLASS}Reference"},
            "typeName": {"const": type_name},
            "id": {**at("id"), "properties": {"typeName": {"const": type_name}}},
            "values": values,
            "traits": {"type": "object", "additionalProperties": trait},
            "traitNames": {"type": "array", "items": at("text")},
        }
    )
