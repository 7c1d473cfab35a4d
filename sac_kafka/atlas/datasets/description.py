"""Define the entities of a dataset: the dataset with its owners, and separately its columns, which are sent only once.

Columns of datasets other than tables are an avro_schema with its avro_fields, the only stock types that attach columns to any
DataSet. `namespace` of the schema has the actual format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.limits import COMMENT_LIMIT, INDEXED_LIMIT, truncate
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value, each_once, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.model import Column

UNKNOWN = "unknown"
"""Value of a mandatory attribute that is unknown (R5): Atlas accepts "" and displays nothing."""


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Type of a dataset's columns, and the function for their names: (stem of the dataset, column, namespace) → name."""

    type_name: str
    name: Callable[[str, str, str], str]


SPARK_COLUMN = ColumnNames("spark_column", qualified_name.table_column)
HIVE_COLUMN = ColumnNames("hive_column", qualified_name.hive_column)
RDBMS_COLUMN = ColumnNames("rdbms_column", qualified_name.rdbms_column)
AVRO_FIELD = ColumnNames("avro_field", qualified_name.field)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetEntities:
    """Entities of a dataset.

    Attributes:
        name: The name for people.
        label: The short name for lists: for a path, its last segments.
        namespace: The namespace of its qualifiedNames.
        head: The owners that the dataset references, then the dataset itself. Every message that uses the dataset contains
            the head, so it is small.
        owners: The head, and a schema if there is one: the possible owners of the `details`.
        details: The columns and other dependent entities, which are sent only once.
        columns: The type and names of its columns; None if columns are not sent.
        storage: The spark_storagedesc of the dataset, whether or not the `details` contain it.
        id: The dataset itself.
        stem: Its qualified name without the namespace.
    """

    name: str
    label: str
    namespace: str
    head: tuple[AtlasEntity, ...]
    owners: tuple[AtlasEntity, ...]
    details: tuple[AtlasEntity, ...]
    columns: ColumnNames | None
    storage: AtlasObjectId | None = None
    id: AtlasObjectId = field(init=False)
    stem: str = field(init=False)

    def __post_init__(self) -> None:
        identity = self.head[-1].id
        object.__setattr__(self, "id", identity)
        object.__setattr__(self, "stem", qualified_name.stem(identity.qualified_name, self.namespace))

    def column(self, name: str) -> AtlasObjectId | None:
        """Return the identity of a column, even if it is not among the `details`; None if columns are not sent."""
        names = self.columns
        return AtlasObjectId(names.type_name, names.name(self.stem, name, self.namespace)) if names else None

    def column_stem(self, name: str) -> str:
        """Return the qualifiedName of a column without the namespace."""
        column = self.column(name)
        return qualified_name.stem(column.qualified_name, self.namespace) if column else f"{self.stem}#{name}"


def with_columns(
    head: tuple[AtlasEntity, ...],
    columns: Iterable[Column],
    names: ColumnNames,
    attributes: Callable[[Column], Mapping[str, Value]],
    *,
    name: str,
    namespace: str,
    relationship: Callable[[Column], str | None] = lambda _: None,
    more: tuple[AtlasEntity, ...] = (),
) -> DatasetEntities:
    """Describe a table with its columns.

    `head` are the owners of the table, then the table itself; `name` is for people. `relationship` returns the relationshipDef of
    a column's reference `table`, or None for the default one. `more` are further details, which precede the columns.
    """
    table = head[-1].id
    stem = qualified_name.stem(table.qualified_name, namespace)
    entities = (
        AtlasEntity(
            id=AtlasObjectId(names.type_name, names.name(stem, column.name, namespace)),
            attributes=attributes(column),
            references={"table": table},
            relationships={"table": special} if (special := relationship(column)) else {},
        )
        for column in columns
    )
    return DatasetEntities(
        name=name,
        label=name,
        namespace=namespace,
        head=head,
        owners=head,
        # Columns that differ only in case have the same name if the rule converts names to lower case.
        details=each_once((*more, *entities)),
        columns=names,
    )


def with_fields(
    head: tuple[AtlasEntity, ...],
    columns: Sequence[Column],
    naming: Naming,
    *,
    name: str,
    kind: str,
    label: str | None = None,
    namespace: str | None = None,
) -> DatasetEntities:
    """Describe a dataset with its schema and fields; without columns it has no schema.

    `head` are the owners of the dataset, then the dataset itself; `name` is for people, `label` (by default `name`) for lists,
    `kind` the format of its data. `namespace` is that of its qualifiedName, by default `naming.namespace`.
    """
    namespace = namespace or naming.namespace
    dataset = head[-1].id
    stem = qualified_name.stem(dataset.qualified_name, namespace)
    details: tuple[AtlasEntity, ...] = ()
    if columns and naming.has_dataset_columns:
        # Named by the dataset, because a schema sent for a second dataset leaves the first one (R23).
        schema = AtlasEntity(
            id=AtlasObjectId("avro_schema", qualified_name.schema(stem, namespace)),
            attributes={
                "name": truncate(name, INDEXED_LIMIT),
                "type": "record",
                "namespace": truncate(kind, COMMENT_LIMIT) or UNKNOWN,
            },
            references={"associatedEntities": (dataset,)},
        )
        fields = (
            AtlasEntity(
                id=AtlasObjectId(AVRO_FIELD.type_name, qualified_name.field(stem, column.name, namespace)),
                attributes={
                    "name": truncate(column.name, INDEXED_LIMIT),
                    **known(
                        doc=truncate(column.type, COMMENT_LIMIT),
                        description=column.comment and truncate(column.comment, COMMENT_LIMIT),
                    ),
                },
                references={"record": schema.id},
            )
            for column in columns
        )
        details = (schema, *each_once(fields))
    return DatasetEntities(
        name=name,
        label=label or name,
        namespace=namespace,
        head=head,
        owners=(*head, *details[:1]),
        details=details,
        columns=AVRO_FIELD if naming.has_dataset_columns else None,
    )
