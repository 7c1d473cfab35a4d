"""The relationships that entities refer through: which relationshipDef stands behind which attribute of which type.

Derived from the declarations (`types`). A server takes the first relationship of the attribute's name when the type is
wrong, so a wrong name would go unnoticed; the declarations are compared with Atlas' model files.
"""

from __future__ import annotations

from types import MappingProxyType

from sac_kafka.atlas.types.declaration import Cardinality, End
from sac_kafka.atlas.types.inheritance import ends
from sac_kafka.atlas.types.sent import SENT

INPUTS = "dataset_process_inputs"
OUTPUTS = "process_dataset_outputs"

# A list replaces the server's: children that it leaves out are deleted (R13). So of all lists only these are sent,
# in which the sender knows every member.
_LISTS = {("Process", "inputs"), ("Process", "outputs"), ("avro_schema", "associatedEntities")}


def _is_sent(end: End) -> bool:
    if end.cardinality is Cardinality.SINGLE:
        return not end.is_container
    return (end.type_name, end.name) in _LISTS


RELATIONSHIPS = MappingProxyType(
    {
        # Of several (hive_column.table: columns or partition keys) the first declared is the one that is meant.
        (type_name, attribute): found[0][0].name
        for type_name in SENT
        for attribute, found in ends(type_name).items()
        if _is_sent(found[0][1])
    }
)
"""(type, relationship attribute) → name of the relationshipDef; only those that are sent."""
