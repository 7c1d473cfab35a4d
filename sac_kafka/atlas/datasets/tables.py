"""Describe tables and views: in the Spark model, or as tables of a metastore with a Hive hook.

Of the latter only names and mandatory attributes are sent (`type` of a hive_column, `clusterName` of a hive_db), and no
hive_storagedesc: other attributes would overwrite those of the Hive hook (R29).
"""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets.description import (
    HIVE_COLUMN,
    SPARK_COLUMN,
    UNKNOWN,
    ColumnNames,
    DatasetEntities,
    with_columns,
)
from sac_kafka.atlas.limits import (
    COMMENT_LIMIT,
    INDEXED_LIMIT,
    PART_LIMIT,
    VIEW_TEXT_LIMIT,
    bounded_map,
    shorten,
    truncate,
)
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.model import Column, Database, TableDataset


def table(dataset: TableDataset, naming: Naming) -> DatasetEntities:
    """Describe a table with its database, columns and storage.

    `schemaDesc` is omitted: it would repeat the columns, and every message that uses the table would contain it.
    """
    owner = database(Database(name=dataset.database, catalog=dataset.catalog), naming)
    name = qualified_name.table(dataset.database, dataset.name, catalog=dataset.catalog, namespace=naming.namespace)
    return table_entities(
        dataset,
        naming,
        owner=owner,
        table_id=AtlasObjectId("spark_table", name),
        storage_id=AtlasObjectId("spark_storagedesc", qualified_name.storage(name)),
        columns=SPARK_COLUMN,
    )


def database(described: Database, naming: Naming) -> AtlasEntity:
    """Return the entity of the database with all known attributes."""
    name = qualified_name.database(described.name, catalog=described.catalog, namespace=naming.namespace)
    return AtlasEntity(id=AtlasObjectId("spark_db", name), attributes=database_attributes(described, naming))


def database_attributes(described: Database, naming: Naming) -> dict[str, Value]:
    """Return the attributes of a spark_db."""
    return {
        "name": truncate(described.name, INDEXED_LIMIT),
        "clusterName": naming.namespace,
        **known(
            location=described.location and truncate(described.location, COMMENT_LIMIT),
            description=described.comment and truncate(described.comment, COMMENT_LIMIT),
            parameters=bounded_map(described.properties) if described.properties else None,
            **_owner(described.owner),
        ),
    }


def table_entities(
    dataset: TableDataset,
    naming: Naming,
    *,
    owner: AtlasEntity,
    table_id: AtlasObjectId,
    storage_id: AtlasObjectId,
    columns: ColumnNames,
    **more: Value,
) -> DatasetEntities:
    """Describe a table of the Spark model under given names, with its storage if that is known.

    `more` are further attributes of the spark_table.
    """
    head = (
        owner,
        AtlasEntity(id=table_id, attributes={**table_attributes(dataset), **more}, references={"db": owner.id}),
    )
    stored = known(
        location=dataset.location and truncate(dataset.location, COMMENT_LIMIT),
        inputFormat=dataset.input_format,
        outputFormat=dataset.output_format,
        serde=dataset.serde,
    )
    storage = AtlasEntity(  # it has no name, because its type is not an Asset
        id=storage_id, attributes={**stored, "compressed": dataset.compressed}, references={"table": table_id}
    )
    described = with_columns(
        head,
        dataset.columns,
        columns,
        _column_attributes,
        name=".".join(part for part in (dataset.catalog, dataset.database, dataset.name) if part),
        namespace=naming.namespace,
        more=(storage,) if stored else (),
    )
    return replace(described, storage=storage_id)


def table_attributes(dataset: TableDataset) -> dict[str, Value]:
    """Return the attributes of a spark_table; the date `createTime` is in epoch milliseconds (R7)."""
    # The type has an attribute for the comment, and Atlas displays another one in lists.
    comment = dataset.comment and truncate(dataset.comment, COMMENT_LIMIT)
    return known(
        name=truncate(dataset.name, INDEXED_LIMIT),
        tableType=dataset.table_type,
        provider=dataset.provider,
        partitionColumnNames=[shorten(name, PART_LIMIT) for name in dataset.partition_columns],
        createTime=dataset.created_ms,
        comment=comment,
        description=comment,
        viewOriginalText=dataset.view_text and truncate(dataset.view_text, VIEW_TEXT_LIMIT),
        parameters=bounded_map(dataset.properties) if dataset.properties else None,
        **_owner(dataset.owner),
    )


def _owner(name: str | None) -> dict[str, Value]:
    """Return the owner attributes; owners in Spark's catalogs are always users."""
    return {"owner": truncate(name, COMMENT_LIMIT), "ownerType": "USER"} if name else {}


def _column_attributes(column: Column) -> dict[str, Value]:
    comment = column.comment and truncate(column.comment, COMMENT_LIMIT)
    return {
        "name": truncate(column.name, INDEXED_LIMIT),
        # Mandatory (1100-spark_model.json), so an unknown type needs a value too.
        "type": truncate(column.type, COMMENT_LIMIT) or UNKNOWN,
        "nullable": column.nullable,
        **({"comment": comment, "description": comment} if comment else {}),
    }


# Two relationships end at hive_column.table. With the default one, a partition key would become an ordinary column as well.
_PARTITION_KEYS = "hive_table_partitionkeys"


def hive_table(dataset: TableDataset, naming: Naming) -> DatasetEntities:
    """Describe a table or view with its database and columns."""
    owner = hive_database(Database(name=dataset.database), naming)
    head = (
        owner,
        AtlasEntity(
            id=AtlasObjectId("hive_table", qualified_name.hive_table(dataset.database, dataset.name, naming.namespace)),
            attributes={"name": truncate(dataset.name.lower(), INDEXED_LIMIT)},
            references={"db": owner.id},
        ),
    )
    keys = {key.lower() for key in dataset.partition_columns}
    return with_columns(
        head,
        dataset.columns,
        HIVE_COLUMN,
        _hive_column_attributes,
        name=f"{dataset.database}.{dataset.name}",
        namespace=naming.namespace,
        relationship=lambda column: _PARTITION_KEYS if column.name.lower() in keys else None,
    )


def _hive_column_attributes(column: Column) -> dict[str, Value]:
    return {
        "name": truncate(column.name.lower(), INDEXED_LIMIT),
        "type": truncate(column.type, COMMENT_LIMIT) or UNKNOWN,
    }


def hive_database(described: Database, naming: Naming) -> AtlasEntity:
    """Return the entity of the database."""
    return AtlasEntity(
        id=AtlasObjectId("hive_db", qualified_name.hive_database(described.name, naming.namespace)),
        attributes={"name": truncate(described.name.lower(), INDEXED_LIMIT), "clusterName": naming.namespace},
    )
