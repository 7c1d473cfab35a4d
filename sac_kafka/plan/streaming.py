"""Declare the writes of micro-batches of Structured Streaming, and the leaves that read streaming sources.

Spark plans each micro-batch separately; its root is not a command. Classes that Spark 4 moved are declared under both names.

A source without new rows is an empty `LocalRelation` in the plan of a micro-batch.
"""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import CatalogTable
from sac_kafka.plan.declaration import accessor, copied, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan, QueryCommand
from sac_kafka.plan.options import CHECKPOINT, KAFKA_READ, TABLE_OPTIONS
from sac_kafka.plan.v2_tables import Identifier

_S = "org.apache.spark.sql.execution.streaming"


@spark_class(f"{_S}.Sink")
class StreamingSink:
    """A V1 sink. It is a table whose name and columns throw exceptions, so only its class is read."""

    sink_class: str = accessor("getClass")


@spark_class(f"{_S}.FileStreamSink", f"{_S}.sinks.FileStreamSink")
class FileStreamSink(StreamingSink):
    """Files in a directory; `file_format` is as in `HadoopFsRelation`."""

    file_format: str = accessor("#fileFormat.shortName|#fileFormat.getClass")
    partitions: tuple[str, ...] = accessor("#partitionColumnNames", default=())


@copied
class MicroBatchWrite(QueryCommand):
    """The root of a micro-batch's plan, for any sink.

    Attributes:
        query_id: Id of the query, the same in every run from one checkpoint.
        batch_id: Number of the batch, from 0.
        output_mode: Append, Complete or Update.
        options: Options of `writeStream` that name a dataset.
    """

    query_id: str
    batch_id: int | None
    output_mode: str = accessor("outputMode.toString")
    options: Mapping[str, str] | None = accessor("writeOptions", keys=(*TABLE_OPTIONS, *CHECKPOINT))


@spark_class(f"{_S}.sources.WriteToMicroBatchDataSourceV1")
class WriteToMicroBatchDataSourceV1(MicroBatchWrite):
    """A write into a V1 sink: files, Delta Lake, `foreachBatch`.

    `catalog_table` is the table of `toTable`, `path` the option of that name, qualified.
    """

    sink: StreamingSink | FileStreamSink
    catalog_table: CatalogTable | None
    path: str | None = accessor("@path")


@spark_class(f"{_S}.sources.WriteToMicroBatchDataSource")
class WriteToMicroBatchDataSource(MicroBatchWrite):
    """A write into a table of a V2 source: Kafka, Iceberg, memory, console, `foreach`.

    `catalog` and `identifier` are set for a table of a catalog. `topics` are as in `SaveIntoDataSourceCommand`.
    """

    own_table: object = accessor("#table|@none")
    related_table: object = accessor("relation.table")
    catalog: str | None = accessor("relation.catalog.name")
    identifier: Identifier | None = accessor("relation.identifier")
    topics: tuple[str, ...] = accessor("@topics")

    @property
    def table(self) -> object:
        """The table; since Spark 4.3 only the relation around it has it."""
        return self.related_table if self.own_table is None else self.own_table


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
