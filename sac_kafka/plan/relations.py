"""Leaves: where rows come from."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import CatalogTable
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.options import HBASE, KAFKA, KAFKA_READ

_X = "org.apache.spark.sql.execution"
_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(f"{_X}.datasources.HadoopFsRelation")
class HadoopFsRelation:
    """Files below some root paths; `file_format` is the short name (parquet), else the class of the format."""

    root_paths: tuple[str, ...] = accessor("location.rootPaths")
    file_format: str = accessor("fileFormat.shortName|fileFormat.getClass")


@spark_class("sackafka.ForeignQuery")
class ForeignQuery:
    """What Spark's parser found in the query of a JDBC read; of its text nothing travels but names.

    `tables` are the names that it reads, by their parts. Where the query selects columns of one table, `base` is that
    table and `select` says what each column is: ("*",) or (name, "=" for a copy or "~" for an expression, columns of
    the base …).
    """

    tables: tuple[tuple[str, ...], ...]
    base: tuple[str, ...]
    select: tuple[tuple[str, ...], ...]


@spark_class(f"{_X}.datasources.jdbc.JDBCRelation")
class JDBCRelation:
    """A table or query of a database. `table` is the option `dbtable` where that is a name, else `query` is there.

    Both are None where Spark's parser does not understand the query.
    """

    url: str = accessor("jdbcOptions.url", default="")
    table: str | None = accessor("jdbcOptions.@tableName", default=None)
    query: ForeignQuery | None = accessor("jdbcOptions.@query", default=None)


@spark_class("org.apache.spark.sql.kafka010.KafkaRelation")
class KafkaRelation:
    """A batch read of Kafka topics; the topics stand in one of the options subscribe, assign and subscribepattern."""

    options: Mapping[str, str] | None = accessor("#sourceOptions", keys=(*KAFKA_READ, *KAFKA), default=None)


@spark_class(f"{_X}.datasources.hbase.HBaseRelation", "org.apache.hadoop.hbase.spark.HBaseRelation")
class HBaseRelation:
    """A table of HBase, by the Spark HBase Connector (`catalog` is its JSON) or by hbase-spark (also `hbase.table`)."""

    options: Mapping[str, str] | None = accessor("parameters|#parameters", keys=HBASE, default=None)


@spark_class(f"{_X}.datasources.LogicalRelation")
class LogicalRelation(LogicalPlan):
    """A V1 source; `relation` is the `BaseRelation`, `catalog_table` is there when it was read by a table's name."""

    relation: object
    catalog_table: CatalogTable | None
    output: tuple[Attribute, ...]


@spark_class("org.apache.spark.sql.catalyst.catalog.HiveTableRelation")
class HiveTableRelation(LogicalPlan):
    """A Hive table that is read through its serde."""

    catalog_table: CatalogTable = accessor("tableMeta")
    output: tuple[Attribute, ...]


@spark_class(
    f"{_L}.LocalRelation",
    f"{_L}.OneRowRelation",
    f"{_L}.Range",
    f"{_X}.ExternalRDD",
)
class RowsWithoutDataset(LogicalPlan):
    """Rows that the driver or an RDD made: no dataset that Spark could name."""

    output: tuple[Attribute, ...]

    @property
    def words(self) -> str:
        """Where the rows come from, in words."""
        return _WORDS.get(self.simple_name, "rows of the driver or an RDD")


_WORDS = {
    "LocalRelation": "rows of the driver",
    "OneRowRelation": "constants",
    "Range": "a range of numbers",
}
"""Where rows come from, by the class of the leaf; of an RDD nobody knows what it was made of."""


@spark_class(f"{_X}.LogicalRDD")
class LogicalRDD(RowsWithoutDataset):
    """Rows of an RDD: of the driver, or a checkpoint. RDDs are numbered within a SparkContext."""

    rdd_id: int | None = accessor("rdd.id", default=None)
