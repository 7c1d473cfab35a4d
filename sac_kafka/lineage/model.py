"""What a query means: datasets in and out, and which columns made which.

The values between Spark and Atlas. `lineage.extract` makes them, `atlas` reads nothing else; they know neither
Catalyst nodes nor entity types, and hold no secrets and no literals.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a dataset as Spark declares it.

    `type` is Spark's `DataType.catalogString` (`bigint`, `struct<a:int>`), "" where it is not known.
    """

    name: str
    type: str = ""
    nullable: bool = True
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathDataset:
    """A directory or file that is no table of a catalog.

    `path` is the *root* of the data set (`lineage.datasets.paths.root`), in the form of Hadoop's `Path.toString`
    (`file:/data/orders`, `hdfs://nn1/data/orders`); `locations` are the concrete paths of this run. `is_replaced` is
    True where a write replaced all there was, so that `columns` are all it has.
    """

    path: str
    format: str
    columns: tuple[Column, ...] = ()
    locations: tuple[str, ...] = ()
    is_replaced: bool = False

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        return f"path:{self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDataset:
    """A table or view of a catalog; `catalog` is None for the session catalog (`spark_catalog`).

    `created_ms` is epoch milliseconds; `table_type` is Spark's `CatalogTableType` (MANAGED, EXTERNAL, VIEW).
    `properties` are sorted, without Spark's own and without secrets; `view_text` is the SQL text of a view.
    """

    database: str
    name: str
    catalog: str | None = None
    provider: str | None = None
    table_type: str | None = None
    owner: str | None = None
    created_ms: int | None = None
    comment: str | None = None
    location: str | None = None
    input_format: str | None = None
    output_format: str | None = None
    serde: str | None = None
    compressed: bool = False
    partition_columns: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    view_text: str | None = None

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        return f"table:{self.catalog or 'spark_catalog'}.{self.database}.{self.name}"

    @property
    def is_view(self) -> bool:
        """True for what is known to be a view."""
        return self.table_type is not None and self.table_type.endswith("VIEW")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDataset:
    """A Kafka topic. `servers` is `bootstrap.servers`, "" where it is not known.

    `cluster` is the namespace that the job itself gives the topic (SAC's option `kafka.atlas.cluster.name`).
    """

    topic: str
    servers: str = ""
    cluster: str | None = None
    columns: tuple[Column, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        return f"topic:{self.servers}/{self.topic}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RdbmsDataset:
    """A table of a relational database that is read or written through JDBC.

    `rdbms_type` is the sub-protocol of the JDBC URL (`postgresql`, `sqlserver`, `h2`); `host` is "" for an embedded
    database, `port` the URL's or the usual one of the type. `schema` is None where neither the table's name nor the
    URL has one. The URL itself is not kept.
    """

    rdbms_type: str
    database: str
    table: str
    host: str = ""
    port: int | None = None
    schema: str | None = None
    columns: tuple[Column, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        place = f"{self.rdbms_type}://{self.host}:{self.port or ''}/{self.database}"
        return f"rdbms:{place}/{self.schema + '.' if self.schema else ''}{self.table}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HBaseDataset:
    """A table of HBase; `cluster` as in `TopicDataset` (SHC's option `atlas.cluster.name`)."""

    namespace: str
    table: str
    cluster: str | None = None
    columns: tuple[Column, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        return f"hbase:{self.cluster or ''}/{self.namespace}:{self.table}"


Dataset = PathDataset | TableDataset | TopicDataset | RdbmsDataset | HBaseDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A database (namespace) of a catalog; `properties` as in `TableDataset`."""

    name: str
    catalog: str | None = None
    location: str | None = None
    comment: str | None = None
    owner: str | None = None
    properties: tuple[tuple[str, str], ...] = ()


class Dependency(Enum):
    """How a source column bears on an output column. The first three are DIRECT: the value flows."""

    IDENTITY = "identity"
    TRANSFORMATION = "transformation"
    AGGREGATION = "aggregation"
    CONDITIONAL = "conditional"
    WINDOW = "window"
    JOIN = "join"
    FILTER = "filter"
    GROUP_BY = "group_by"
    SORT = "sort"

    @property
    def is_direct(self) -> bool:
        """True where the value of the source flows into the output."""
        return self in _DIRECT


_DIRECT = frozenset({Dependency.IDENTITY, Dependency.TRANSFORMATION, Dependency.AGGREGATION})


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """A column of an input dataset (`dataset` is its `key`) and how it is used."""

    dataset: str
    column: str
    dependency: Dependency


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLineage:
    """Where one column of the output dataset `dataset` (its `key`) comes from.

    `sources` is sorted and without duplicates; a column may be there several times, once a dependency. `expression` is
    the defining expression with literals as `?`, None for a plain copy.
    """

    dataset: str
    column: str
    sources: tuple[ColumnSource, ...]
    expression: str | None = None

    @property
    def values(self) -> tuple[ColumnSource, ...]:
        """The sources whose value flows into the column."""
        return tuple(s for s in self.sources if s.dependency.is_direct)

    @property
    def influences(self) -> tuple[ColumnSource, ...]:
        """The sources that decide which value there is: conditions, windows, what correlates a subquery."""
        return tuple(s for s in self.sources if not s.dependency.is_direct)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowClause:
    """A clause that decided which rows were written, or how they were grouped and sorted.

    `dependency` is JOIN, FILTER, GROUP_BY or SORT. `text` is its condition or its columns as SQL, literals as in
    `ColumnLineage.expression`, at most 1000 characters; a set operation or DISTINCT begins with its word. `sources` are
    the columns that it looks at, sorted, all under that dependency.
    """

    dependency: Dependency
    text: str
    sources: tuple[ColumnSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The Spark application, under the name of its job.

    `job` is what stays the same from run to run; `application_id` and `attempt` name this run. `started_ms` is epoch
    milliseconds.
    """

    job: str
    application_id: str
    name: str
    user: str
    spark_version: str = ""
    attempt: str | None = None
    started_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One execution of a flow. Times are epoch milliseconds; `query_text` is the user's own SQL statement, if it was SQL.

    `failure` is the class of the error (and its SQLSTATE) of a run that failed. `plan_text` is there only where
    settings ask for it; `user` is who asked for the execution where that is somebody else than the application's user
    (Connect, Thrift server). `rows_written`, `files_written` and `bytes_written` are what Spark counted, None where it did
    not. `executions` is how many executions of this application these figures are the sum of: those that wrote the parts
    of one dataset, or at the same time; the times are then from the first start to the last end.
    """

    execution_id: int
    started_ms: int | None = None
    ended_ms: int | None = None
    query_text: str | None = None
    failure: str | None = None
    rows_written: int | None = None
    files_written: int | None = None
    bytes_written: int | None = None
    executions: int = 1
    plan_text: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One user action that wrote something: the flow from `inputs` to `outputs`, both sorted by key.

    `columns` is the column lineage of all outputs. `row_level` are the columns that decided which rows were written (join,
    filter, group by, sort), once per process and not per column; `clauses` are these decisions one by one, from the
    leaves of the query up, at most 100. `columns_left_out` says why there is none of all this. `replaces_output` is
    True where the write replaced all rows that the output had (CREATE, overwrite of a whole table or directory).

    `defines_view` is True for the definition of a persisted view, its only output: the same whether a statement made the
    view or only read it, whatever the job, and told each time. Of its `run` nothing but the query's text is the view's.

    `other_sources` says in words where rows come from that no dataset holds ("rows of the driver"), sorted.
    """

    application: Application
    run: Run
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    columns: tuple[ColumnLineage, ...] = ()
    row_level: tuple[ColumnSource, ...] = ()
    clauses: tuple[RowClause, ...] = ()
    columns_left_out: str | None = None
    replaces_output: bool = False
    defines_view: bool = False
    other_sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDefined:
    """A table or view was created, replaced or altered: `table` is the whole definition as the catalog has it now."""

    table: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRenamed:
    """A table was renamed: of `old` only catalog, database and name count, `new` is the whole definition."""

    old: TableDataset
    new: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRenamed:
    """A column of a table was renamed; `table` is the whole definition, with the new name."""

    table: TableDataset
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDropped:
    """A table or view was dropped: of `table` only catalog, database and name count."""

    table: TableDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDefined:
    """A database was created or altered: `database` is the whole definition."""

    database: Database


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseDropped:
    """A database was dropped, with what was in it."""

    database: Database


Change = TableDefined | TableRenamed | ColumnRenamed | TableDropped | DatabaseDefined | DatabaseDropped
"""What happened to a catalog (DDL)."""

Outcome = Process | Change
"""What an event of Spark's means."""
