"""Declarations as Atlas' type definitions: the JSON that a server loads from its models directory or is POSTed.

Source: `org.apache.atlas.model.typedef.AtlasTypesDef`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sac_kafka.atlas.types import FAMILIES
from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    End,
    EntityDef,
    EnumDef,
    Family,
    RelationshipDef,
    StructDef,
)

KINDS = ("enumDefs", "structDefs", "classificationDefs", "entityDefs", "relationshipDefs")
"""The keys of AtlasTypesDef that we use, in the order in which types are made."""

# The lowest, so that a server which is given the stock models later takes theirs.
TYPE_VERSION = "1.0"


def types_def(families: Iterable[Family] = FAMILIES) -> dict[str, list[dict[str, Any]]]:
    """AtlasTypesDef: the definitions of all types of the families."""
    result: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    for family in families:
        result["enumDefs"] += [_typed(_enum(each), family) for each in family.enums]
        result["structDefs"] += [_typed(_struct(each), family) for each in family.structs]
        result["entityDefs"] += [_typed(_entity(each), family) for each in family.entities]
        result["relationshipDefs"] += [_typed(_relationship(each), family) for each in family.relationships]
    return result


def file_name(family: Family) -> str:
    """The name of the family's file: a server loads the files of a folder by name."""
    return f"{family.order:04}-{family.name}.json"


def _typed(definition: dict[str, Any], family: Family) -> dict[str, Any]:
    return {**definition, "serviceType": family.service_type, "typeVersion": TYPE_VERSION}


def _enum(declared: EnumDef) -> dict[str, Any]:
    return {
        "name": declared.name,
        "description": declared.description,
        "elementDefs": [{"ordinal": ordinal, "value": value} for ordinal, value in declared.elements],
    }


def _struct(declared: StructDef) -> dict[str, Any]:
    return {
        "name": declared.name,
        "description": declared.description,
        "attributeDefs": [_attribute(each) for each in declared.attributes],
    }


def _entity(declared: EntityDef) -> dict[str, Any]:
    definition = {
        "name": declared.name,
        "description": declared.description,
        "superTypes": list(declared.super_types),
        "attributeDefs": [_attribute(each) for each in declared.attributes],
    }
    return {**definition, "options": dict(declared.options)} if declared.options else definition


def _relationship(declared: RelationshipDef) -> dict[str, Any]:
    one, two = declared.ends
    definition = {
        "name": declared.name,
        "relationshipCategory": declared.category.value,
        "propagateTags": declared.propagation.value,
        "endDef1": _end(one),
        "endDef2": _end(two),
        "attributeDefs": [_attribute(each) for each in declared.attributes],
    }
    return {**definition, "relationshipLabel": declared.label} if declared.label else definition


def _end(declared: End) -> dict[str, Any]:
    return {
        "type": declared.type_name,
        "name": declared.name,
        "cardinality": declared.cardinality.value,
        "isContainer": declared.is_container,
        "isLegacyAttribute": declared.is_legacy,
    }


def _attribute(declared: AttributeDef) -> dict[str, Any]:
    definition: dict[str, Any] = {
        "name": declared.name,
        "typeName": declared.type_name,
        "cardinality": declared.cardinality.value,
        "isOptional": not declared.is_mandatory,
        "isUnique": declared.is_unique,
        "isIndexable": declared.is_indexed,
    }
    if declared.in_notification:
        definition["includeInNotification"] = True
    if declared.index_type:
        definition["indexType"] = declared.index_type
    if declared.search_weight is not None:
        definition["searchWeight"] = declared.search_weight
    if declared.options:
        definition["options"] = dict(declared.options)
    if declared.constraints:
        definition["constraints"] = [{"type": kind} for kind in declared.constraints]
    return definition
