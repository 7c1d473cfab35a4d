"""Declare tables of Cassandra, read by DataStax' connector."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class


@spark_class("com.datastax.spark.connector.datasource.CassandraTable")
class CassandraTable:
    """A table of Cassandra; `contact` is the text of the connector's initial contact points ("{/10.0.0.1:9042}")."""

    keyspace: str = accessor("metadata.getKeyspace.asInternal")
    table: str = accessor("metadata.getName.asInternal")
    contact: str | None = accessor("connector.conf.contactInfo.endPointStr", default=None)
