"""Classify entities of any hook by type, and resolve their references and names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from sac_kafka.atlas.model import GUID, AtlasEntity, AtlasObjectId
from sac_kafka.atlas.types.sent import OWN_PROCESS, SPARK_TYPES
from sac_kafka.tools.messages.model import LineageColumn
from sac_kafka.tools.messages.names import parse_column, qualify, with_empty_namespace

SIDES = ("inputs", "outputs")
UNKNOWN_DATASET = "unknown dataset"
"""Dataset of a column that a message references by guid only."""
_FIELD = "avro_field"
_TYPE_KEYS = ("type", "data_type")
_DOC = "doc"
_SPARK_TYPES = re.compile(
    r"(?:array|bigint|binary|boolean|char|date|decimal|double|float|geography|geometry|int|interval|map|smallint|string|struct|"
    r"time|timestamp|timestamp_ntz|tinyint|varchar|variant|void)(?![a-z_])"
)
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
    return is_process_with(entity.id.type_name, (*entity.sides, *entity.references))


def is_process_with(type_name: str, roles: Collection[str]) -> bool:
    """Return whether an entity of this type that has references in these roles is such a process."""
    return not is_column_lineage(type_name) and (
        type_name in {SPARK_TYPES.process, OWN_PROCESS} or any(side in roles for side in SIDES)
    )


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


def name_of(id_: AtlasObjectId) -> str:
    """Return the qualifiedName of an entity, with an empty namespace if it has none."""
    return qualify(id_.qualified_name)


def data_type_of(type_name: str, attributes: Mapping[str, object]) -> str:
    """Return the data type of a column, "" if its entity does not state it.

    The field of a path or topic has Spark's type as documentation, other hooks any text there.
    """
    if type_name == _FIELD:
        doc = str(attributes.get(_DOC) or "")
        return doc if _SPARK_TYPES.match(doc) else ""
    return next((each for each in map(attributes.get, _TYPE_KEYS) if isinstance(each, str)), "")


def column_of(id_: AtlasObjectId) -> LineageColumn:
    """Return the column that an entity is: `dataset#column` for an avro_field, else `table.column`."""
    if id_.qualified_name.startswith(GUID):
        return LineageColumn(with_empty_namespace(UNKNOWN_DATASET), id_.qualified_name)
    return parse_column(name_of(id_), "#" if id_.type_name == _FIELD else ".")
