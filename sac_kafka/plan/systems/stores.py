"""Declare the tables and relations of Cassandra, HBase (both connectors) and Kafka."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.options import HBASE, KAFKA, KAFKA_READ


@spark_class("com.datastax.spark.connector.datasource.CassandraTable")
class CassandraTable:
    """A table of Cassandra; `contact` is the text of the connector's initial contact points ("{/10.0.0.1:9042}")."""

    keyspace: str = accessor("metadata.getKeyspace.asInternal")
    table: str = accessor("metadata.getName.asInternal")
    contact: str | None = accessor("connector.conf.contactInfo.endPointStr", default=None)


@spark_class(
    "org.apache.spark.sql.execution.datasources.hbase.HBaseRelation", "org.apache.hadoop.hbase.spark.HBaseRelation"
)
class HBaseRelation:
    """A table of HBase, by the Spark HBase Connector (`catalog` is its JSON) or by hbase-spark (also `hbase.table`)."""

    options: Mapping[str, str] | None = accessor("parameters|#parameters", keys=HBASE, default=None)


@spark_class("org.apache.spark.sql.kafka010.KafkaRelation")
class KafkaRelation:
    """A batch read of Kafka topics; one of the options subscribe, assign and subscribepattern has the topics."""

    options: Mapping[str, str] | None = accessor("#sourceOptions", keys=(*KAFKA_READ, *KAFKA), default=None)
