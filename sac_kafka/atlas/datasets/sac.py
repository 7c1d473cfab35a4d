"""Describe datasets with the names of the Spark Atlas Connector (`atlas.hook.spark.compat = sac`), for migration.

Names and types are those of the connector. Differences without which Atlas would drop the message:

- an rdbms_table has its rdbms_db and rdbms_instance, an hbase_table its hbase_namespace (owners of compositions, R6);
- attributes that the types lack (clusterName of a topic, path of an S3 object) are omitted.

In addition, columns are sent; names of a spark_column follow the connector's branch 1.1. Tables of a remote metastore are
described as hive_table; the connector only referenced them, which leaves shell entities if there is no Hive hook.

Source: `com.hortonworks.spark.atlas.types.{internal,external}` of the connector's master.
"""

from __future__ import annotations

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets import services, tables
from sac_kafka.atlas.datasets.description import ColumnNames, DatasetEntities, with_fields
from sac_kafka.atlas.limits import COLUMN_LIMIT, DATASET_LIMIT, INDEXED_LIMIT, shorten, truncate
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.model import Database, PathDataset, RdbmsDataset, TableDataset, TopicDataset

_S3_SCHEMES = frozenset({"s3", "s3a", "s3n"})
_SCHEMA_FIELDS = 25


def _column_name(table_stem: str, column: str, _namespace: str) -> str:
    return f"{table_stem}.col-{shorten(column, COLUMN_LIMIT).lower()}"


_COLUMN = ColumnNames("spark_column", _column_name)


def table(dataset: TableDataset, naming: Naming) -> DatasetEntities:
    """spark_table: `<prefix>db.table`; the prefix is the metastore's address, or the application's id without a metastore."""
    name = _table_stem(naming, dataset.catalog, dataset.database, dataset.name)
    owner = database(Database(name=dataset.database, catalog=dataset.catalog), naming)
    return tables.table_entities(
        dataset,
        naming,
        owner=owner,
        table_id=AtlasObjectId("spark_table", name),
        storage_id=AtlasObjectId("spark_storagedesc", f"{name}.storageFormat"),
        columns=_COLUMN,
        **known(schemaDesc=_schema_description(dataset)),
    )


def database(described: Database, naming: Naming) -> AtlasEntity:
    """spark_db: `<prefix>db`."""
    return AtlasEntity(
        id=AtlasObjectId("spark_db", _table_stem(naming, described.catalog, described.name)),
        attributes=tables.database_attributes(described, naming),
    )


def path(dataset: PathDataset, naming: Naming) -> DatasetEntities:
    """Describe a path in S3 as aws_s3_bucket, aws_s3_pseudo_dir and aws_s3_object, any other as hdfs_path or fs_path.

    An hdfs_path or fs_path is named by the whole URI; its attributes `name` and `path` are in lower case.
    """
    if qualified_name.scheme(dataset.path) in _S3_SCHEMES and qualified_name.authority(dataset.path):
        head = _s3(dataset.path)
    else:
        head = (_plain_path(dataset.path),)
    name = truncate(qualified_name.bare_path(dataset.path), INDEXED_LIMIT)
    label = qualified_name.path_label(dataset.path)
    return with_fields(head, dataset.columns, naming, name=name, label=label, kind=dataset.format)


def topic(dataset: TopicDataset, naming: Naming) -> DatasetEntities:
    """Describe a topic like `services.topic`, as the connector uses the names of Atlas' Kafka bridge; all in lower case."""
    lowered = TopicDataset(
        topic=dataset.topic.lower(), servers=dataset.servers, cluster=dataset.cluster, columns=dataset.columns
    )
    return services.topic(lowered, naming)


def rdbms_table(dataset: RdbmsDataset, naming: Naming) -> DatasetEntities:
    """rdbms_table: `db.table` in lower case, without the host; its owners have their general names."""
    table_name = f"{dataset.schema}.{dataset.table}" if dataset.schema else dataset.table
    name = shorten(f"{dataset.database}.{table_name}".lower(), DATASET_LIMIT)
    return services.rdbms_entities(
        dataset,
        naming,
        owners=services.rdbms_owners(dataset, naming),
        table_id=AtlasObjectId("rdbms_table", name),
    )


def _table_stem(naming: Naming, *parts: str | None) -> str:
    return shorten(".".join(part for part in (naming.sac_prefix, *parts) if part), DATASET_LIMIT)


def _schema_description(dataset: TableDataset) -> str:
    """Return the schema as Spark's `StructType.simpleString`, limited to 25 fields (`spark.sql.debug.maxToStringFields`)."""
    shown = dataset.columns if len(dataset.columns) <= _SCHEMA_FIELDS else dataset.columns[: _SCHEMA_FIELDS - 1]
    fields = [f"{shorten(column.name, 100)}:{truncate(column.type, 200)}" for column in shown]
    if more := len(dataset.columns) - len(shown):
        fields.append(f"... {more} more fields")
    return f"struct<{','.join(fields)}>" if fields else ""


def _plain_path(uri: str) -> AtlasEntity:
    type_name = "hdfs_path" if qualified_name.scheme(uri) == "hdfs" else "fs_path"
    text = truncate(qualified_name.bare_path(uri).lower(), INDEXED_LIMIT)
    return AtlasEntity(
        id=AtlasObjectId(type_name, shorten(uri, DATASET_LIMIT)),
        attributes={
            "name": text,
            "path": text,
            **known(clusterName=qualified_name.authority(uri) if type_name == "hdfs_path" else None),
        },
    )


def _s3(uri: str) -> tuple[AtlasEntity, ...]:
    """Return the bucket, the parent directory of the path, and the path; for the root of a bucket only the bucket."""
    name = qualified_name.authority(uri).rpartition("@")[2]
    bucket = AtlasEntity(
        id=AtlasObjectId("aws_s3_bucket", shorten(f"s3://{name}", DATASET_LIMIT)),
        attributes={"name": truncate(name, INDEXED_LIMIT)},
    )
    parent, _, last = qualified_name.bare_path(uri).rstrip("/").rpartition("/")
    if not last:
        return (bucket,)
    directory_stem = shorten(f"s3://{name}{parent}/", DATASET_LIMIT)
    directory = AtlasEntity(
        id=AtlasObjectId("aws_s3_pseudo_dir", directory_stem),
        # objectPrefix is unique in Atlas, so it must contain the bucket.
        attributes={"name": truncate(f"{parent}/", INDEXED_LIMIT), "objectPrefix": directory_stem},
        references={"bucket": bucket.id},
    )
    entity = AtlasEntity(
        id=AtlasObjectId("aws_s3_object", shorten(f"{directory_stem}{last}", DATASET_LIMIT)),
        attributes={"name": truncate(last, INDEXED_LIMIT)},
        references={"pseudoDirectory": directory.id},
    )
    return bucket, directory, entity
