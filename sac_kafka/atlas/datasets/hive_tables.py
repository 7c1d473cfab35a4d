"""hive_db, hive_table, hive_column: tables of a metastore that a Hive hook describes.

Identity only (R29): what else we know would overwrite what that hook has said. `type` of a hive_column and
`clusterName` of a hive_db are mandatory, so these are there. No hive_storagedesc.
"""

from __future__ import annotations

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets.description import HIVE_COLUMN, UNKNOWN, DatasetEntities, each_once
from sac_kafka.atlas.limits import COMMENT_LIMIT, INDEXED_LIMIT, bounded
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.model import Database, TableDataset

# hive_column.table is an end of two relationships. Said by the wrong one a partition key would become a column too.
_PARTITION_KEY = {"table": "hive_table_partitionkeys"}


def table(dataset: TableDataset, naming: Naming) -> DatasetEntities:
    """The table or view with its database; its columns."""
    owner = database(Database(name=dataset.database), naming)
    name = qualified_name.hive_table(dataset.database, dataset.name, naming.namespace)
    table_id = AtlasObjectId("hive_table", name)
    head = (
        owner,
        AtlasEntity(
            id=table_id,
            attributes={"name": bounded(dataset.name.lower(), INDEXED_LIMIT)},
            references={"db": owner.id},
        ),
    )
    stem = qualified_name.stem(name, naming.namespace)
    keys = {key.lower() for key in dataset.partition_columns}
    return DatasetEntities(
        name=f"{dataset.database}.{dataset.name}",
        namespace=naming.namespace,
        head=head,
        owners=head,
        details=each_once(
            AtlasEntity(
                id=HIVE_COLUMN.id(stem, column.name, naming.namespace),
                attributes={
                    "name": bounded(column.name.lower(), INDEXED_LIMIT),
                    "type": bounded(column.type, COMMENT_LIMIT) or UNKNOWN,
                },
                references={"table": table_id},
                relationships=_PARTITION_KEY if column.name.lower() in keys else {},
            )
            for column in dataset.columns
        ),
        columns=HIVE_COLUMN,
    )


def database(described: Database, naming: Naming) -> AtlasEntity:
    """The database."""
    return AtlasEntity(
        id=AtlasObjectId("hive_db", qualified_name.hive_database(described.name, naming.namespace)),
        attributes={"name": bounded(described.name.lower(), INDEXED_LIMIT), "clusterName": naming.namespace},
    )
