"""RDDs: what the rows of one come from, as far as the driver holds it."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.systems.jdbc import ForeignQuery

ROWS_OF_RDD = "@rddRows"
"""The listener's own accessor of these rows; without it RDDs are not followed."""


_OF_DRIVER = (".ParallelCollectionRDD", ".EmptyRDD")


@spark_class("sackafka.HadoopInput")
class HadoopInput:
    """What an RDD reads with an input format of Hadoop's; `format` is its class.

    `paths` are as the user wrote them, globs too, and `found` what these stood for: none where there is no glob, or the RDD
    was not divided for a job yet. `table` is there for HBase's format.
    """

    format: str
    paths: tuple[str, ...]
    table: str | None
    found: tuple[str, ...] = accessor("found", default=())


@spark_class("sackafka.HadoopOutput")
class HadoopOutput:
    """What a job writes with an output format of Hadoop's; `format` is its class, "" where none is named."""

    format: str
    path: str | None
    table: str | None


@spark_class("sackafka.ScannedFiles")
class ScannedFiles:
    """Files that a query reads: directories, or the only file of one.

    `format` is Spark's (`parquet`); `table` is database and name of the session catalog's table that was named.
    """

    format: str
    table: str | None
    paths: tuple[str, ...]


@spark_class("org.apache.spark.sql.execution.datasources.jdbc.JDBCRDD")
class JDBCRDD:
    """What a query reads of a database, as `JDBCRelation` has it."""

    url: str = accessor("#options.url", default="")
    table: str | None = accessor("#options.@tableName", default=None)
    query: ForeignQuery | None = accessor("#options.@query", default=None)
    query_text: str | None = accessor("#options.@queryText", default=None)


@spark_class("sackafka.RddRows")
class RddRows:
    """Where the rows of the RDD `rdd_id` come from.

    `reads` are the RDDs at the ends of its dependencies, of those that are not declared their class. `query_ids` are RDDs
    that queries were made to (`DataFrame.rdd`), and those that a checkpoint has cut off; what these were made of is not among
    `reads` but in `queries`, which has all that there are below it. `is_cut` where there were too many RDDs to look at all of
    them.
    """

    rdd_id: int
    reads: tuple[HadoopInput | ScannedFiles | JDBCRDD | object, ...]
    query_ids: tuple[int, ...]
    queries: tuple[RddRows, ...]
    is_cut: bool

    @property
    def is_of_driver(self) -> bool:
        """True where all of them were made of rows of the driver."""
        return not (self.query_ids or self.is_cut) and all(
            getattr(read, "class_name", "").endswith(_OF_DRIVER) for read in self.reads
        )
