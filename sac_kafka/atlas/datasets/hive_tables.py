"""Describe tables of a metastore with a Hive hook as hive_db, hive_table and hive_column.

Only names and mandatory attributes are sent (`type` of a hive_column, `clusterName` of a hive_db), and no hive_storagedesc:
other attributes would overwrite those of the Hive hook (R29).
"""

from __future__ import annotations

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets.description import HIVE_COLUMN, UNKNOWN, DatasetEntities, with_columns
from sac_kafka.atlas.limits import COMMENT_LIMIT, INDEXED_LIMIT, bounded
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.model import Column, Database, TableDataset

# Two relationships end at hive_column.table. With the default one, a partition key would become an ordinary column as well.
_PARTITION_KEYS = "hive_table_partitionkeys"


def table(dataset: TableDataset, naming: Naming) -> DatasetEntities:
    """Describe a table or view with its database and columns."""
    owner = database(Database(name=dataset.database), naming)
    head = (
        owner,
        AtlasEntity(
            id=AtlasObjectId("hive_table", qualified_name.hive_table(dataset.database, dataset.name, naming.namespace)),
            attributes={"name": bounded(dataset.name.lower(), INDEXED_LIMIT)},
            references={"db": owner.id},
        ),
    )
    keys = {key.lower() for key in dataset.partition_columns}
    return with_columns(
        head,
        dataset.columns,
        HIVE_COLUMN,
        _column_attributes,
        name=f"{dataset.database}.{dataset.name}",
        namespace=naming.namespace,
        relationship=lambda column: _PARTITION_KEYS if column.name.lower() in keys else None,
    )


def _column_attributes(column: Column) -> dict[str, Value]:
    return {
        "name": bounded(column.name.lower(), INDEXED_LIMIT),
        "type": bounded(column.type, COMMENT_LIMIT) or UNKNOWN,
    }


def database(described: Database, naming: Naming) -> AtlasEntity:
    """Return the entity of the database."""
    return AtlasEntity(
        id=AtlasObjectId("hive_db", qualified_name.hive_database(described.name, naming.namespace)),
        attributes={"name": bounded(described.name.lower(), INDEXED_LIMIT), "clusterName": naming.namespace},
    )
