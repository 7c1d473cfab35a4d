"""Declare commands that write Hive tables: `org.apache.spark.sql.hive.execution`, and LOAD DATA."""

from __future__ import annotations

from sac_kafka.plan.catalog import CatalogStorageFormat, CatalogTable, TableIdentifier
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan, QueryCommand

_H = "org.apache.spark.sql.hive.execution"


@spark_class(f"{_H}.InsertIntoHiveTable")
class InsertIntoHiveTable(LogicalPlan):
    """INSERT into a Hive table through its serde.

    `static_partitions` are partition columns whose value the statement states; the query lacks them. `static_partition` is the
    digest of all partition columns with their values if they have one.
    """

    table: CatalogTable
    query: LogicalPlan
    output_columns: tuple[Attribute, ...]
    static_partitions: tuple[str, ...] = accessor("staticPartitions.keySet", default=())
    static_partition: int | None = accessor("staticPartitions.hashCode", default=None)
    overwrite: bool = accessor("overwrite", default=False)


@spark_class(f"{_H}.CreateHiveTableAsSelectCommand")
class CreateHiveTableAsSelectCommand(QueryCommand):
    """CREATE TABLE … STORED AS … AS SELECT."""

    table: CatalogTable = accessor("tableDesc")
    output_column_names: tuple[str, ...]
    mode: str = accessor("mode", default="")


@spark_class(f"{_H}.InsertIntoHiveDirCommand")
class InsertIntoHiveDirCommand(LogicalPlan):
    """INSERT OVERWRITE [LOCAL] DIRECTORY … [ROW FORMAT …] [STORED AS …]. `path` is qualified."""

    path: str | None = accessor("@path")
    storage: CatalogStorageFormat
    query: LogicalPlan
    overwrite: bool
    output_columns: tuple[Attribute, ...]


@spark_class("org.apache.spark.sql.execution.command.LoadDataCommand")
class LoadDataCommand(LogicalPlan):
    """LOAD DATA [LOCAL] INPATH `path` [OVERWRITE] INTO TABLE: moves files into the table. `path` is qualified.

    `has_partition` is None if the statement names no partition; `partition` is the digest of the one that it names.
    """

    table: TableIdentifier
    path: str | None = accessor("@path")
    is_overwrite: bool
    has_partition: bool | None = accessor("partition.nonEmpty")
    partition: int | None = accessor("partition.hashCode", default=None)
