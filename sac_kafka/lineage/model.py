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


@dataclass(frozen=True, slots=True, kw_only=True)
class PathDataset:
    """A directory or file that is no table of a catalog.

    `path` is the *root* of the data set (`lineage.paths.root`), in the form of Hadoop's `Path.toString`
    (`file:/data/orders`, `hdfs://nn1/data/orders`); `locations` are the concrete paths of this run.
    """

    path: str
    format: str
    columns: tuple[Column, ...] = ()
    locations: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        return f"path:{self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDataset:
    """A table of a catalog; `catalog` is None for the session catalog (`spark_catalog`).

    `created_ms` is epoch milliseconds; `table_type` is Spark's `CatalogTableType` (MANAGED, EXTERNAL, VIEW).
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

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        return f"table:{self.catalog or 'spark_catalog'}.{self.database}.{self.name}"


Dataset = PathDataset | TableDataset


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

    `sources` is sorted and without duplicates. `expression` is the defining expression with literals as `?`, None for
    a plain copy.
    """

    dataset: str
    column: str
    sources: tuple[ColumnSource, ...]
    expression: str | None = None


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
    """One execution of a flow. Times are epoch milliseconds; `query_text` is the user's own SQL statement, if it was SQL."""

    execution_id: int
    started_ms: int | None = None
    ended_ms: int | None = None
    query_text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One user action that wrote something: the flow from `inputs` to `outputs`, both sorted by key.

    `columns` is the column lineage of all outputs, `row_level` the columns that decided which rows were written
    (join, filter, group by, sort), once per process and not per column.
    """

    application: Application
    run: Run
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]
    columns: tuple[ColumnLineage, ...] = ()
    row_level: tuple[ColumnSource, ...] = ()
