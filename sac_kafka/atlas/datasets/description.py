"""Describe a dataset in Atlas' types: the dataset with its owners, and separately its columns, which are sent once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value, each_once
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.model import Column

UNKNOWN = "unknown"
"""Value of a mandatory attribute that is unknown (R5): Atlas accepts "" and displays nothing."""


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The type of a dataset's columns, and how they are named: (the dataset's stem, column, namespace) → name."""

    type_name: str
    name: Callable[[str, str, str], str]

    def id(self, dataset_stem: str, column: str, namespace: str) -> AtlasObjectId:
        """Return the identity of a column."""
        return AtlasObjectId(self.type_name, self.name(dataset_stem, column, namespace))


SPARK_COLUMN = ColumnNames("spark_column", qualified_name.table_column)
HIVE_COLUMN = ColumnNames("hive_column", qualified_name.hive_column)
RDBMS_COLUMN = ColumnNames("rdbms_column", qualified_name.rdbms_column)
AVRO_FIELD = ColumnNames("avro_field", qualified_name.field)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetEntities:
    """A dataset in Atlas' types.

    `name` is what a person calls it, `label` a shorter name for lists, where a path is told by its last segments.
    `namespace` is what its names end with. `head` is the dataset itself, last, after
    the owners that it names: small, in every message that uses the dataset. `details` are its columns, and what else is
    sent once; each names an entity of `owners` as its owner. `columns` is None where columns are not sent. `storage`
    is the spark_storagedesc that belongs to it, whether it is among the `details` or not.
    """

    name: str
    label: str
    namespace: str
    head: tuple[AtlasEntity, ...]
    owners: tuple[AtlasEntity, ...]
    details: tuple[AtlasEntity, ...]
    columns: ColumnNames | None
    storage: AtlasObjectId | None = None

    @property
    def id(self) -> AtlasObjectId:
        """The dataset itself."""
        return self.head[-1].id

    @property
    def stem(self) -> str:
        """Qualified name of the dataset without the namespace."""
        return qualified_name.stem(self.id.qualified_name, self.namespace)

    def column(self, name: str) -> AtlasObjectId | None:
        """Return the identity of a column, even if it is not among the `details`; None if columns are not sent."""
        return self.columns.id(self.stem, name, self.namespace) if self.columns else None

    def column_label(self, name: str) -> str:
        """Return the label of a column in a list or sentence: `<label>.<column>`."""
        return f"{self.label}.{name}"

    def column_stem(self, name: str) -> str:
        """Return the qualifiedName of a column without the namespace."""
        column = self.column(name)
        return qualified_name.stem(column.qualified_name, self.namespace) if column else f"{self.stem}#{name}"


Rules = Mapping[type, Callable[[Any, Naming], DatasetEntities]]
"""What says each class of `lineage.model.Dataset`."""


def with_columns(
    head: tuple[AtlasEntity, ...],
    columns: Iterable[Column],
    names: ColumnNames,
    says: Callable[[Column], Mapping[str, Value]],
    *,
    name: str,
    namespace: str,
    relationship: Callable[[Column], str | None] = lambda _: None,
    storage: AtlasObjectId | None = None,
    more: tuple[AtlasEntity, ...] = (),
) -> DatasetEntities:
    """Describe a table with its columns.

    `head` is the table after its owners. `says` gives the attributes of a column, `relationship` the name of the
    relationshipDef where it is not the one that is meant by `table`. `more` is said before the columns.
    """
    table = head[-1].id
    stem = qualified_name.stem(table.qualified_name, namespace)
    entities = (
        AtlasEntity(
            id=names.id(stem, column.name, namespace),
            attributes=says(column),
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
        # Rules that lower the case merge columns.
        details=each_once((*more, *entities)),
        columns=names,
        storage=storage,
    )
