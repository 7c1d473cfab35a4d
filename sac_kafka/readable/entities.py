"""Entities of messages, of whatever hook: what they are, what they lead to, and their names in full."""

from __future__ import annotations

from sac_kafka.atlas.model import GUID, AtlasEntity, AtlasObjectId
from sac_kafka.readable.names import column_called, in_full, without_namespace
from sac_kafka.readable.told import ToldColumn

_SIDES = frozenset({"inputs", "outputs"})
UNKNOWN_DATASET = "unknown dataset"
"""Where a column is that a message names by its guid alone."""
_FIELD = "avro_field"
_CATALOG = ("_table", "_db")
"""How the names of types end whose entities are worth a line when no process comes with them."""


def is_catalog(id_: AtlasObjectId) -> bool:
    """Whether it is a table or a database."""
    return id_.type_name.endswith(_CATALOG)


def is_column_lineage(type_name: str) -> bool:
    """Whether entities of the type say what a column is made of: ours, and those of the hooks of Hive and Impala."""
    return type_name.endswith("_column_lineage")


def is_process(entity: AtlasEntity) -> bool:
    """Whether it has inputs and outputs that are datasets: ours, Purview's, and those of other hooks."""
    if is_column_lineage(entity.id.type_name):
        return False
    return entity.id.type_name == "spark_process" or not _SIDES.isdisjoint({*entity.sides, *entity.references})


def ends(entity: AtlasEntity, role: str) -> tuple[AtlasObjectId, ...]:
    """Give what an entity refers to in a role."""
    found = entity.references.get(role) or entity.sides.get(role, ())
    # An AtlasObjectId is a tuple itself.
    return (found,) if isinstance(found, AtlasObjectId) else found


def process_of(column_lineage: AtlasEntity) -> AtlasObjectId:
    """Give the process of a column lineage; those of the hooks of Hive and Impala call it `query`.

    Raises:
        IndexError: It names none.
    """
    return ends(column_lineage, "process" if "process" in column_lineage.references else "query")[0]


def is_column(type_name: str) -> bool:
    """Return whether entities of the type are columns of tables, or fields of files and topics."""
    return type_name == _FIELD or type_name.endswith("_column")


def column_of_type(name: str, type_name: str) -> ToldColumn:
    """Return a column by its name in full."""
    return column_called(name, "#" if type_name == _FIELD else ".")


def name_of(id_: AtlasObjectId) -> str:
    """Give its name in full."""
    return in_full(id_.qualified_name)


def column_of(id_: AtlasObjectId) -> ToldColumn:
    """Give a column by its name: `dataset#column` where it is an avro_field, `table.column` where it is a table's."""
    if id_.qualified_name.startswith(GUID):
        return ToldColumn(without_namespace(UNKNOWN_DATASET), id_.qualified_name)
    return column_of_type(name_of(id_), id_.type_name)
