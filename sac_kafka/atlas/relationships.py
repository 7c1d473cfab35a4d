"""Find the relationshipDef of each reference that is sent, by type and attribute, from the type definitions (`types`).

Atlas silently uses the first relationship with the attribute's name if the relationshipDef is wrong. So tests compare the
definitions with Atlas' model files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from sac_kafka.atlas.types.definitions import TypeDefinition
from sac_kafka.atlas.types.inheritance import SINGLE, ends
from sac_kafka.atlas.types.sent import SENT, SPARK_TYPES

# A list replaces that of the server, which deletes children missing from it (R13). So only lists whose members are all known
# are sent.
_LISTS = {("Process", "inputs"), ("Process", "outputs"), ("avro_schema", "associatedEntities")}
# Neither end of an association owns the other, so either could hold the reference; these ends do.
_ASSOCIATIONS = {("avro_schema", "associatedEntities"), ("spark_storagedesc", "table")}
# A spark_application inherits from Process, but with inputs or outputs it would appear in the lineage graph.
_NOT_A_FLOW = SPARK_TYPES.application


@cache
def relationships() -> Mapping[tuple[str, str], str]:
    """Return the name of the relationshipDef by type and attribute, for the references that are sent."""
    return MappingProxyType(
        {
            # If several share the attribute (hive_column.table: columns or partition keys), the first one is the default.
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
