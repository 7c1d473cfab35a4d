"""Declare the leaves of plans, from which rows are read."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import CatalogTable
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan, OwnName
from sac_kafka.plan.options import BASE_PATH, HUDI_READ, TABLE_OPTIONS
from sac_kafka.plan.rdds import ROWS_OF_RDD, RddRows

_X = "org.apache.spark.sql.execution"
_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(f"{_X}.datasources.HadoopFsRelation")
class HadoopFsRelation:
    """Files below some root paths; `file_format` is the short name (parquet), else the class of the format.

    Attributes:
        options: Options that select a version of a table, and the base path.
        partitions: Columns taken from the names of directories.
        index: The object that lists the files.
    """

    root_paths: tuple[str, ...] = accessor("@rootPaths")
    file_format: str = accessor("fileFormat.shortName|fileFormat.getClass")
    options: Mapping[str, str] | None = accessor("options", keys=(*HUDI_READ, *BASE_PATH), default=None)
    partitions: tuple[str, ...] = accessor("partitionSchema.fieldNames", default=())
    index: object = accessor("location", default=None)


@spark_class("org.apache.spark.sql.sources.BaseRelation")
class OtherRelation:
    """A relation of any other V1 source, with those of its options that name datasets."""

    relation_class: str = accessor("getClass")
    options: Mapping[str, str] | None = accessor("@ownOptions", keys=TABLE_OPTIONS)


@spark_class(f"{_X}.datasources.LogicalRelation")
class LogicalRelation(LogicalPlan):
    """A V1 source.

    Attributes:
        relation: The `BaseRelation`.
        own_name: The relation's own name of its data.
        catalog_table: Set if it was read by a table's name.
        is_streaming: Whether it is a source of a micro-batch, with the new files only.
        stream_path: The directory that is watched; None for a glob.
    """

    relation: object
    own_name: OwnName | None = accessor("relation.@ownName", default=None)
    catalog_table: CatalogTable | None
    is_streaming: bool = accessor("isStreaming", default=False)
    stream_path: str | None = accessor("@streamPath", default=None)
    output: tuple[Attribute, ...]


@spark_class("org.apache.spark.sql.catalyst.catalog.HiveTableRelation")
class HiveTableRelation(LogicalPlan):
    """A Hive table that is read through its serde."""

    catalog_table: CatalogTable = accessor("tableMeta")
    output: tuple[Attribute, ...]


_SOURCE_TEXTS = {
    "LocalRelation": "rows of the driver",
    "OneRowRelation": "constants",
    "ResolvedInlineTable": "constants",
    "CommandResult": "what a command returned",
    "Range": "a range of numbers",
    "MemoryPlan": "a stream's rows in memory",
    "Transpose": "rows that the driver has transposed",
    "PythonWorkerLogs": "logs of Python workers",
}
"""Descriptions of sources, by the class of the leaf."""

_HIDDEN_SOURCES = {"MemoryPlan": "a stream's rows in memory", "Transpose": "transposed rows"}
"""Descriptions of leaves whose rows another query made, by class."""


@spark_class(
    *(f"{_L}.LocalRelation", f"{_L}.OneRowRelation", f"{_L}.Range", f"{_L}.CommandResult"),
    *("org.apache.spark.sql.catalyst.analysis.ResolvedInlineTable", f"{_X}.streaming.sources.MemoryPlan"),
    *(f"{_L}.Transpose", f"{_L}.PythonWorkerLogs"),
)
class RowsWithoutDataset(LogicalPlan):
    """Rows made by the driver, an RDD or a command, or kept in memory by a query: Spark knows no dataset for them.

    Spark keeps a command as a child of its result, but these rows are metadata, not data of the command's tables.
    `is_streaming` is True in place of a stream: a source without new rows, or rows of a V1 source.
    """

    is_streaming: bool = accessor("isStreaming", default=False)
    output: tuple[Attribute, ...]

    @property
    def source_text(self) -> str:
        """A description of the source; empty for a stream without new rows, and for an empty initial state."""
        if self.is_streaming or (self.simple_name == "LocalRelation" and not self.output):
            return ""
        return _SOURCE_TEXTS.get(self.simple_name, "rows of the driver or an RDD")

    @property
    def hidden_source(self) -> str:
        """A description of rows that another query made, which no plan shows; empty for others."""
        return _HIDDEN_SOURCES.get(self.simple_name, "")


@spark_class(f"{_X}.ExternalRDD")
class ExternalRDD(RowsWithoutDataset):
    """Objects of an RDD. RDD ids are unique within a SparkContext; `rows` is None if RDDs are not projected."""

    rdd_id: int | None = accessor("rdd.id", default=None)
    rows: RddRows | None = accessor(ROWS_OF_RDD, default=None)


@spark_class(f"{_X}.LogicalRDD")
class LogicalRDD(RowsWithoutDataset):
    """Rows of an RDD: made by the driver, from other RDDs, or a checkpoint; its fields are those of `ExternalRDD`.

    `stream` is the source of a stream's rows; unknown for Spark 3.5.
    """

    rdd_id: int | None = accessor("rdd.id", default=None)
    rows: RddRows | None = accessor(ROWS_OF_RDD, default=None)
    stream: object = accessor("stream|@none", default=None)
