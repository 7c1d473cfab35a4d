"""The relationships that entities refer through: which relationshipDef stands behind which attribute of which type.

Derived from the type definitions (`types`). A server takes the first relationship of the attribute's name when the type
is wrong, so a wrong name would go unnoticed; the definitions are compared with Atlas' model files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from sac_kafka.atlas.types.definitions import TypeDefinition
from sac_kafka.atlas.types.inheritance import SINGLE, ends
from sac_kafka.atlas.types.sent import SENT

# A list replaces the server's: children that it leaves out are deleted (R13). So of all lists only these are sent,
# in which the sender knows every member.
_LISTS = {("Process", "inputs"), ("Process", "outputs"), ("avro_schema", "associatedEntities")}
# Neither end of an association is the other's owner: who refers to whom is a choice, and these are ours.
_ASSOCIATIONS = {("avro_schema", "associatedEntities"), ("spark_storagedesc", "table")}
# An application has processes, it is none: with inputs and outputs it would show in lineage.
_NOT_A_FLOW = "spark_application"


@cache
def relationships() -> Mapping[tuple[str, str], str]:
    """(type, relationship attribute) → name of the relationshipDef; only those that are sent."""
    return MappingProxyType(
        {
            # Of several (hive_column.table: columns or partition keys) the first defined is the one that is meant.
            (type_name, attribute): found[0][0]["name"]
            for type_name in SENT
            for attribute, found in ends(type_name).items()
            if _is_sent(type_name, *found[0][:2])
        }
    )


def _is_sent(type_name: str, relationship: TypeDefinition, end: TypeDefinition) -> bool:
    side = (end["type"], end["name"])
    if relationship["relationshipCategory"] == "ASSOCIATION":
        return side in _ASSOCIATIONS
    if end["cardinality"] == SINGLE:
        return not end["isContainer"]
    return side in _LISTS and type_name != _NOT_A_FLOW
