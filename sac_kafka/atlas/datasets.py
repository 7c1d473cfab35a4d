"""Datasets as entities: the dataset with its owners, and apart from them its columns, which are sent once.

One registered function a class of `lineage.model.Dataset`; a new kind of source is a new function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import singledispatch

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.limits import COMMENT_LIMIT, INDEXED_LIMIT, bounded
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.model import Column, Dataset, PathDataset, TableDataset

_UNKNOWN = "unknown"

# Only what a Hadoop file system of its own stands behind; the catch-all of Atlas' own rules (every scheme is an
# hdfs_path) calls an object store by a wrong name.
_PATH_TYPES = {"hdfs": "hdfs_path", "viewfs": "hdfs_path"}
_COLUMN_TYPES = {"spark_table": "spark_column", "fs_path": "avro_field", "hdfs_path": "avro_field"}
_COLUMN_NAMES = {"spark_column": qualified_name.table_column, "avro_field": qualified_name.field}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetEntities:
    """A dataset in Atlas' types.

    `head` is the dataset itself, last, after the owners that it names: small, in every message that uses the dataset.
    `details` are its columns, and what else is sent once; each names an entity of `owners` as its owner.
    """

    name: str
    namespace: str
    head: tuple[AtlasEntity, ...]
    owners: tuple[AtlasEntity, ...]
    details: tuple[AtlasEntity, ...]

    @property
    def id(self) -> AtlasObjectId:
        """The dataset itself."""
        return self.head[-1].id

    @property
    def stem(self) -> str:
        """The dataset's qualifiedName without the namespace."""
        return qualified_name.stem(self.id.qualified_name, self.namespace)

    def column_label(self, name: str) -> str:
        return qualified_name.stem(_column_id(self.id.type_name, self.stem, name, self.namespace).qualified_name, self.namespace)

    def column(self, name: str) -> AtlasObjectId | None:
        """The identity of a column, whether it is among the `details` or not."""
        return _column_id(self.id.type_name, self.stem, name, self.namespace)


@singledispatch
def entities(dataset: Dataset, naming: Naming) -> DatasetEntities:  # noqa: ARG001 # the registered ones use it
    """The dataset as entities.

    Raises:
        TypeError: a class of dataset that no function is registered for.
    """
    raise TypeError(f"no Atlas type for a dataset of class {type(dataset).__name__}")


@entities.register
def _(dataset: TableDataset, naming: Naming) -> DatasetEntities:
    """spark_db, spark_table; spark_storagedesc, spark_column.

    No `schemaDesc`: the columns say it, and a table's head has to stay small.
    """
    namespace = naming.namespace
    database = _database(dataset, namespace)
    table = AtlasEntity(
        id=AtlasObjectId(
            "spark_table",
            qualified_name.table(dataset.database, dataset.name, catalog=dataset.catalog, namespace=namespace),
        ),
        attributes=known(
            name=bounded(dataset.name, INDEXED_LIMIT),
            tableType=dataset.table_type,
            provider=dataset.provider,
            partitionColumnNames=list(dataset.partition_columns),
            owner=dataset.owner and bounded(dataset.owner, INDEXED_LIMIT),
            createTime=dataset.created_ms,
            comment=dataset.comment and bounded(dataset.comment, COMMENT_LIMIT),
        ),
        references={"db": database.id},
    )
    head = (database, table)
    stem = qualified_name.stem(table.id.qualified_name, namespace)
    columns = (
        AtlasEntity(
            id=_column_id("spark_table", stem, column.name, namespace),
            attributes={
                "name": bounded(column.name, INDEXED_LIMIT),
                # Mandatory (1100-spark_model.json), so it cannot be absent when it is not known.
                "type": bounded(column.type, COMMENT_LIMIT) or _UNKNOWN,
                "nullable": column.nullable,
            },
            references={"table": table.id},
        )
        for column in dataset.columns
    )
    return DatasetEntities(
        name=f"{dataset.database}.{dataset.name}",
        namespace=namespace,
        head=head,
        owners=head,
        details=(*_storage(dataset, table.id), *columns),
    )


@entities.register
def _(dataset: PathDataset, naming: Naming) -> DatasetEntities:
    """hdfs_path or fs_path; avro_schema, avro_field.

    The avro types are the stock ones that attach columns to any DataSet; `namespace` says which format it really is.
    """
    namespace = naming.namespace
    type_name = _PATH_TYPES.get(qualified_name.scheme(dataset.path), "fs_path")
    name = bounded(qualified_name.bare_path(dataset.path), INDEXED_LIMIT)
    path = AtlasEntity(
        id=AtlasObjectId(type_name, qualified_name.path(dataset.path, namespace)),
        attributes=known(
            name=name,
            path=bounded(dataset.path, INDEXED_LIMIT),
            clusterName=namespace if type_name == "hdfs_path" else None,
        ),
    )
    schema = _schema(dataset, path.id, name, namespace)
    return DatasetEntities(
        name=name,
        namespace=namespace,
        head=(path,),
        owners=(path, *schema[:1]),
        details=schema,
    )


def described(used: Iterable[Dataset], naming: Naming) -> dict[str, DatasetEntities]:
    """Each dataset by its key, however often it is used: what is written and read is described by both."""
    once: dict[str, Dataset] = {}
    for dataset in used:
        seen = once.get(dataset.key)
        once[dataset.key] = merged(seen, dataset) if seen else dataset
    return {key: entities(dataset, naming) for key, dataset in once.items()}


def merged(first: Dataset, second: Dataset) -> Dataset:
    """One dataset of two descriptions of it, as when a table is read and written: what `first` lacks is `second`'s.

    A name has one entity a message (R27).
    """
    described = {each.name: getattr(first, each.name) or getattr(second, each.name) for each in fields(first)}
    columns = {column.name: column for column in (*second.columns, *first.columns)}
    ordered = dict.fromkeys(column.name for column in (*first.columns, *second.columns))
    return type(first)(**{**described, "columns": tuple(columns[name] for name in ordered)})


def _column_id(dataset_type: str, dataset_stem: str, column: str, namespace: str) -> AtlasObjectId:
    column_type = _COLUMN_TYPES[dataset_type]
    return AtlasObjectId(column_type, _COLUMN_NAMES[column_type](dataset_stem, column, namespace))


def _database(dataset: TableDataset, namespace: str) -> AtlasEntity:
    return AtlasEntity(
        id=AtlasObjectId(
            "spark_db", qualified_name.database(dataset.database, catalog=dataset.catalog, namespace=namespace)
        ),
        attributes={"name": bounded(dataset.database, INDEXED_LIMIT), "clusterName": namespace},
    )


def _storage(dataset: TableDataset, table: AtlasObjectId) -> tuple[AtlasEntity, ...]:
    """spark_storagedesc, if anything is known of the storage. It is no Asset, so it has no name."""
    attributes = known(
        location=dataset.location,
        inputFormat=dataset.input_format,
        outputFormat=dataset.output_format,
        serde=dataset.serde,
    )
    if not attributes:
        return ()
    return (
        AtlasEntity(
            id=AtlasObjectId("spark_storagedesc", qualified_name.storage(table.qualified_name)),
            attributes={**attributes, "compressed": dataset.compressed},
            references={"table": table},
        ),
    )


def _schema(dataset: PathDataset, path: AtlasObjectId, name: str, namespace: str) -> tuple[AtlasEntity, ...]:
    """The avro_schema and its fields; nothing where no column is known."""
    if not dataset.columns:
        return ()
    stem = qualified_name.stem(path.qualified_name, namespace)
    schema = AtlasEntity(
        id=AtlasObjectId("avro_schema", qualified_name.schema(stem, namespace)),
        attributes={"name": name, "type": "record", "namespace": dataset.format or _UNKNOWN},
        references={"associatedEntities": (path,)},
    )
    return schema, *(_field(column, path.type_name, stem, schema.id, namespace) for column in dataset.columns)


def _field(column: Column, path_type: str, stem: str, schema: AtlasObjectId, namespace: str) -> AtlasEntity:
    return AtlasEntity(
        id=_column_id(path_type, stem, column.name, namespace),
        attributes={
            "name": bounded(column.name, INDEXED_LIMIT),
            **known(doc=bounded(column.type, COMMENT_LIMIT)),
        },
        references={"record": schema},
    )
