"""Classify entities of any hook by type, and resolve their references and names."""

from __future__ import annotations

from sac_kafka.atlas.model import GUID, AtlasEntity, AtlasObjectId
from sac_kafka.tools.messages.model import LineageColumn
from sac_kafka.tools.messages.names import parse_column, qualified, with_empty_namespace

_SIDES = frozenset({"inputs", "outputs"})
UNKNOWN_DATASET = "unknown dataset"
"""Dataset of a column that a message references by guid only."""
_FIELD = "avro_field"
_CATALOG = ("_table", "_db")
"""Type suffixes of the entities that are rendered if a message contains no process."""


def is_catalog(id_: AtlasObjectId) -> bool:
    """Return whether the entity is a table or a database."""
    return id_.type_name.endswith(_CATALOG)


def is_column_lineage(type_name: str) -> bool:
    """Return whether the type is a column lineage: of this hook, Hive's or Impala's."""
    return type_name.endswith("_column_lineage")


def is_process(entity: AtlasEntity) -> bool:
    """Return whether the entity is a process with datasets as inputs and outputs, of any hook or Purview."""
    if is_column_lineage(entity.id.type_name):
        return False
    return entity.id.type_name == "spark_process" or not _SIDES.isdisjoint({*entity.sides, *entity.references})


def ends(entity: AtlasEntity, role: str) -> tuple[AtlasObjectId, ...]:
    """Return the entities that an entity references in a role."""
    found = entity.references.get(role) or entity.sides.get(role, ())
    # AtlasObjectId is a NamedTuple, so test for it before treating the value as a sequence.
    return (found,) if isinstance(found, AtlasObjectId) else found


def process_of(column_lineage: AtlasEntity) -> AtlasObjectId:
    """Return the process of a column lineage; the hooks of Hive and Impala call the reference `query`.

    Raises:
        IndexError: The column lineage references no process.
    """
    return ends(column_lineage, "process" if "process" in column_lineage.references else "query")[0]


def is_column(type_name: str) -> bool:
    """Return whether the type is a column of a table, or a field of a file or topic."""
    return type_name == _FIELD or type_name.endswith("_column")


def column_of_type(name: str, type_name: str) -> LineageColumn:
    """Return the column with this qualifiedName and type."""
    return parse_column(name, "#" if type_name == _FIELD else ".")


def name_of(id_: AtlasObjectId) -> str:
    """Return the qualifiedName of an entity, with an empty namespace if it has none."""
    return qualified(id_.qualified_name)


def column_of(id_: AtlasObjectId) -> LineageColumn:
    """Return the column that an entity is: `dataset#column` for an avro_field, else `table.column`."""
    if id_.qualified_name.startswith(GUID):
        return LineageColumn(with_empty_namespace(UNKNOWN_DATASET), id_.qualified_name)
    return column_of_type(name_of(id_), id_.type_name)
