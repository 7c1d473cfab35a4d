"""Leaves: where rows come from."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.catalog import CatalogTable
from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.options import BASE_PATH, HUDI_READ, TABLE_OPTIONS
from sac_kafka.plan.own_names import OwnName
from sac_kafka.plan.rdds import ROWS_OF_RDD, RddRows

_X = "org.apache.spark.sql.execution"
_L = "org.apache.spark.sql.catalyst.plans.logical"


@spark_class(f"{_X}.datasources.HadoopFsRelation")
class HadoopFsRelation:
    """Files below some root paths; `file_format` is the short name (parquet), else the class of the format.

    Of `options` those that say which state of a table is read, and the base path; `partitions` are the columns that Spark
    takes from the names of directories; `index` is what lists the files.
    """

    root_paths: tuple[str, ...] = accessor("@rootPaths")
    file_format: str = accessor("fileFormat.shortName|fileFormat.getClass")
    options: Mapping[str, str] | None = accessor("options", keys=(*HUDI_READ, *BASE_PATH), default=None)
    partitions: tuple[str, ...] = accessor("partitionSchema.fieldNames", default=())
    index: object = accessor("location", default=None)


@spark_class("org.apache.spark.sql.sources.BaseRelation")
class OtherRelation:
    """A relation of any other V1 source, with what it holds of options that name things."""

    relation_class: str = accessor("getClass")
    options: Mapping[str, str] | None = accessor("@ownOptions", keys=TABLE_OPTIONS)


@spark_class(f"{_X}.datasources.LogicalRelation")
class LogicalRelation(LogicalPlan):
    """A V1 source; `relation` is the `BaseRelation`, `catalog_table` is there when it was read by a table's name.

    `own_name` is what the relation calls itself. Of a micro-batch (`is_streaming`) the files are those that are new;
    `stream_path` is the directory that is watched, None where a glob is.
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


@spark_class(
    *(f"{_L}.LocalRelation", f"{_L}.OneRowRelation", f"{_L}.Range", f"{_L}.CommandResult"),
    *("org.apache.spark.sql.catalyst.analysis.ResolvedInlineTable", f"{_X}.streaming.sources.MemoryPlan"),
    *(f"{_L}.Transpose", f"{_L}.PythonWorkerLogs"),
)
class RowsWithoutDataset(LogicalPlan):
    """Rows that the driver, an RDD or a command made, or that a query keeps in memory: no dataset that Spark could name.

    Spark keeps a command as a child of its rows, but the rows are metadata, not data of what the command names.

    `is_streaming` is True in the place of a stream: a source that had no new rows, or rows that a V1 source made.
    """

    is_streaming: bool = accessor("isStreaming", default=False)
    output: tuple[Attribute, ...]

    @property
    def words(self) -> str:
        """Where the rows come from, in words; empty for a stream without new rows, and for a state that begins with nothing."""
        if self.is_streaming or (self.simple_name == "LocalRelation" and not self.output):
            return ""
        return _WORDS.get(self.simple_name, "rows of the driver or an RDD")

    @property
    def hidden_source(self) -> str:
        """What the rows are, where a query has made them that no plan shows; empty for others."""
        return _HIDING.get(self.simple_name, "")


_WORDS = {
    "LocalRelation": "rows of the driver",
    "OneRowRelation": "constants",
    "ResolvedInlineTable": "constants",
    "CommandResult": "what a command returned",
    "Range": "a range of numbers",
    "MemoryPlan": "a stream's rows in memory",
    "Transpose": "rows that the driver has transposed",
    "PythonWorkerLogs": "logs of Python workers",
}
"""Where rows come from, by the class of the leaf; of an RDD nobody knows what it was made of."""

_HIDING = {"MemoryPlan": "a stream's rows in memory", "Transpose": "transposed rows"}
"""The leaves whose rows another query has made, by their class."""


@spark_class(f"{_X}.ExternalRDD")
class ExternalRDD(RowsWithoutDataset):
    """Objects of an RDD. RDDs are numbered within a SparkContext; `rows` is None where RDDs are not followed."""

    rdd_id: int | None = accessor("rdd.id", default=None)
    rows: RddRows | None = accessor(ROWS_OF_RDD, default=None)


@spark_class(f"{_X}.LogicalRDD")
class LogicalRDD(RowsWithoutDataset):
    """Rows of an RDD: of the driver, of other RDDs, or a checkpoint; its fields are as of `ExternalRDD`.

    `stream` is what gives a stream its rows, of Spark 3.5 unknown.
    """

    rdd_id: int | None = accessor("rdd.id", default=None)
    rows: RddRows | None = accessor(ROWS_OF_RDD, default=None)
    stream: object = accessor("stream|@none", default=None)
