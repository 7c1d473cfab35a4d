"""Declare the leaves that read streaming sources, in a micro-batch and before a query starts.

A source without new rows is an empty `LocalRelation` in the plan of a micro-batch.
"""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import CatalogTable
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.options import KAFKA_READ, TABLE_OPTIONS
from sac_kafka.plan.v2_tables import Identifier

_X = "org.apache.spark.sql.execution"
_V2 = f"{_X}.datasources.v2"
_READ = (*TABLE_OPTIONS, *KAFKA_READ)


@spark_class("org.apache.spark.sql.connector.read.streaming.SparkDataStream")
class SparkDataStream:
    """The stream behind a source; `options` are those of its options that name datasets."""

    stream_class: str = accessor("getClass")
    options: Mapping[str, str] | None = accessor("@ownOptions", keys=_READ)


@spark_class("org.apache.iceberg.spark.source.SparkMicroBatchStream")
class IcebergStream(SparkDataStream):
    """A stream of Iceberg; `table_name` starts with the catalog's name, or is a path; `location` is the table's location."""

    table_name: str = accessor("#table.name")
    location: str | None = accessor("#table.location.@asPath")


@spark_class(f"{_V2}.StreamingDataSourceV2ScanRelation", f"{_V2}.StreamingDataSourceV2Relation")
class StreamingDataSourceV2ScanRelation(LogicalPlan):
    """A V2 source in a micro-batch; on Spark 3.5 it has the second name and no table.

    `options` are those of its scan. `topics` are those of its end offset, for Spark's Kafka source.
    """

    table: object = accessor("relation.table|table|@none")
    catalog: str | None = accessor("catalog.name")
    identifier: Identifier | None
    stream: SparkDataStream | IcebergStream | None = accessor("stream|@none")
    options: Mapping[str, str] | None = accessor("scan.@ownOptions|options", keys=_READ)
    topics: tuple[str, ...] = accessor("endOffset.@offsetTopics|@none")
    output: tuple[Attribute, ...]


@spark_class(f"{_X}.streaming.StreamingRelation", f"{_X}.streaming.runtime.StreamingRelation")
class StreamingRelation(LogicalPlan):
    """A V1 source before a query starts; `provider` is the argument of `format`, `path` its option, qualified."""

    provider: str = accessor("dataSource.className")
    catalog_table: CatalogTable | None = accessor("dataSource.catalogTable")
    path: str | None = accessor("dataSource.@path")
    options: Mapping[str, str] | None = accessor("dataSource.options", keys=_READ)
    output: tuple[Attribute, ...]


@spark_class("org.apache.spark.sql.catalyst.streaming.StreamingRelationV2")
class StreamingRelationV2(LogicalPlan):
    """A V2 source before a query starts."""

    table: object
    catalog: str | None = accessor("catalog.name")
    identifier: Identifier | None
    options: Mapping[str, str] | None = accessor("extraOptions", keys=_READ)
    output: tuple[Attribute, ...]
