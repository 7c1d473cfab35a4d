"""Describe Kafka topics, tables of relational databases, HBase tables, and datasets without a specific type."""

from __future__ import annotations

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets.description import RDBMS_COLUMN, UNKNOWN, DatasetEntities, with_columns, with_fields
from sac_kafka.atlas.limits import COMMENT_LIMIT, INDEXED_LIMIT, truncate
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Value, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.model import Column, HBaseDataset, OtherDataset, RdbmsDataset, TopicDataset


def topic(dataset: TopicDataset, naming: Naming) -> DatasetEntities:
    """Describe a topic as kafka_topic, with the columns that Spark has for its records."""
    namespace = dataset.cluster or naming.namespace
    text = truncate(dataset.topic, INDEXED_LIMIT)
    entity = AtlasEntity(
        id=AtlasObjectId("kafka_topic", qualified_name.topic(dataset.topic, namespace)),
        attributes={"name": text, "topic": text, "uri": text},
    )
    return with_fields((entity,), dataset.columns, naming, name=text, kind="kafka", namespace=namespace)


def hbase_table(dataset: HBaseDataset, naming: Naming) -> DatasetEntities:
    """Describe an HBase table as hbase_table, with its hbase_namespace."""
    namespace = dataset.cluster or naming.namespace
    owner = AtlasEntity(
        id=AtlasObjectId("hbase_namespace", qualified_name.hbase_namespace(dataset.namespace, namespace)),
        attributes={"name": truncate(dataset.namespace.lower(), INDEXED_LIMIT), "clusterName": namespace},
    )
    uri = f"{dataset.namespace}:{dataset.table}".lower()
    entity = AtlasEntity(
        id=AtlasObjectId("hbase_table", qualified_name.hbase_table(dataset.namespace, dataset.table, namespace)),
        attributes={"name": truncate(dataset.table.lower(), INDEXED_LIMIT), "uri": truncate(uri, INDEXED_LIMIT)},
        references={"namespace": owner.id},
    )
    return with_fields((owner, entity), dataset.columns, naming, name=uri, kind="hbase", namespace=namespace)


def rdbms_table(dataset: RdbmsDataset, naming: Naming) -> DatasetEntities:
    """Describe a table of a relational database as rdbms_table, with its rdbms_db, rdbms_instance and columns."""
    owners = rdbms_owners(dataset, naming)
    stem = qualified_name.stem(owners[-1].id.qualified_name, naming.namespace)
    name = qualified_name.rdbms_table(stem, dataset.effective_schema, dataset.table, naming.namespace)
    return rdbms_entities(dataset, naming, owners=owners, table_id=AtlasObjectId("rdbms_table", name))


def rdbms_owners(dataset: RdbmsDataset, naming: Naming) -> tuple[AtlasEntity, AtlasEntity]:
    """Return the rdbms_instance and the rdbms_db; an embedded database has no host, so its instance is named by its type."""
    place = (dataset.rdbms_type, dataset.host, dataset.port)
    instance_name = qualified_name.rdbms_instance(*place, naming.namespace)
    server = f"{dataset.host.lower()}{f':{dataset.port}' if dataset.port else ''}" or dataset.rdbms_type.lower()
    instance = AtlasEntity(
        id=AtlasObjectId("rdbms_instance", instance_name),
        attributes=known(
            name=truncate(server, INDEXED_LIMIT),
            rdbms_type=dataset.rdbms_type.lower(),
            hostname=truncate(dataset.host.lower(), INDEXED_LIMIT),
            port=dataset.port,
            protocol="jdbc",
        ),
    )
    database = AtlasEntity(
        id=AtlasObjectId("rdbms_db", qualified_name.rdbms_database(*place, dataset.database, naming.namespace)),
        attributes={"name": truncate(dataset.database, INDEXED_LIMIT) or UNKNOWN},
        references={"instance": instance.id},
    )
    return instance, database


def rdbms_entities(
    dataset: RdbmsDataset, naming: Naming, *, owners: tuple[AtlasEntity, ...], table_id: AtlasObjectId
) -> DatasetEntities:
    """Describe a table of a relational database under a given name."""
    name = f"{dataset.schema}.{dataset.table}" if dataset.schema else dataset.table
    table = AtlasEntity(
        id=table_id,
        attributes={
            "name": truncate(dataset.table, INDEXED_LIMIT),
            "name_path": truncate(name, INDEXED_LIMIT),
            **known(
                comment=dataset.comment and truncate(dataset.comment, COMMENT_LIMIT),
                owner=dataset.owner and truncate(dataset.owner, INDEXED_LIMIT),
            ),
        },
        references={"db": owners[-1].id},
    )
    return with_columns(
        (*owners, table),
        dataset.columns,
        RDBMS_COLUMN,
        _column_attributes,
        name=truncate(name, INDEXED_LIMIT),
        namespace=naming.namespace,
    )


def _column_attributes(column: Column) -> dict[str, Value]:
    comment = column.comment and truncate(column.comment, COMMENT_LIMIT)
    return {
        "name": truncate(column.name, INDEXED_LIMIT),
        "isNullable": column.nullable,
        **known(data_type=truncate(column.type, COMMENT_LIMIT), comment=comment, description=comment),
    }


def other(dataset: OtherDataset, naming: Naming) -> DatasetEntities:
    """Describe a dataset without a specific type as DataSet, the supertype of the others, with a text as description."""
    name = truncate(dataset.parts[-1], INDEXED_LIMIT)
    entity = AtlasEntity(
        id=AtlasObjectId(
            "DataSet", qualified_name.other(dataset.system, dataset.host, dataset.parts, naming.namespace)
        ),
        attributes=known(name=name, description=truncate(dataset.description, COMMENT_LIMIT) or None),
    )
    whole = truncate(".".join(dataset.parts), INDEXED_LIMIT)
    return with_fields((entity,), dataset.columns, naming, name=whole, kind=dataset.system)
