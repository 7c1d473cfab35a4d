"""The datasets that a query reads and writes, under the names of their systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


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
    (`file:/data/orders`, `hdfs://nn1/data/orders`); `locations` are the concrete paths of this run. Where those are not
    kept, as of a streaming query, `example` is one of them. `is_replaced` is True where a write replaced all there was,
    so that `columns` are all it has. `partitions` are the columns that Spark found in its folders, or writes it by, in order.
    """

    path: str
    format: str
    columns: tuple[Column, ...] = ()
    locations: tuple[str, ...] = ()
    is_replaced: bool = False
    example: str = ""
    partitions: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        return f"path:{self.path}"

    @property
    def known_locations(self) -> tuple[str, ...]:
        """The concrete paths as far as they are known: all of this run, or the example."""
        return self.locations or ((self.example,) if self.example else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDataset(PathDataset):
    """A model of Spark ML by the directory that it is saved in, or a pipeline that is not fitted, or this directory itself.

    `uid` is Spark's, another one in every run, `pipeline_uid` that of the estimator that a model was fitted by; `uri` is what
    MLflow calls the model where the path shows it.
    """

    format: str = "spark ml"
    is_fitted: bool = True
    is_directory: bool = False
    model_class: str = ""
    uid: str = ""
    pipeline_uid: str = ""
    uri: str = ""

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        kind = "model" if self.is_fitted else "pipeline"
        return f"{kind}{' directory' if self.is_directory else ''}:{self.path}"


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


_USUAL_SCHEMAS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("postgresql", "redshift", "opengauss", "vertica", "h2", "hsqldb"), "public"),
        **dict.fromkeys(("sqlserver", "sybase"), "dbo"),
        **dict.fromkeys(("duckdb", "sqlite"), "main"),
    }
)
"""The schema of a table that is named without one, by `rdbms_type`, where it does not depend on who asks: `orders` of one
job and `public.orders` of another are one table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RdbmsDataset:
    """A table of a relational database that is read or written through JDBC.

    `rdbms_type` is the sub-protocol of the JDBC URL (`postgresql`, `sqlserver`, `h2`); `host` is "" for an embedded
    database, `port` the URL's or the usual one of the type. `schema` is None where neither the table's name nor the
    URL has one. The URL itself is not kept.

    What only some namings look at, and is no part of its identity: `product` is what system of the type it is where its
    connector says so (`synapse`), `instance` the name of SQL Server's instance where a port finds it, `quoted` the levels
    (`database`, `schema`, `table`) that stood in quotes and what stood there, of systems that fold names without them;
    `has_default_port` is True where the URL has no port.
    """

    rdbms_type: str
    database: str
    table: str
    host: str = ""
    port: int | None = None
    schema: str | None = None
    columns: tuple[Column, ...] = ()
    product: str = field(default="", compare=False)
    instance: str = field(default="", compare=False)
    quoted: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    has_default_port: bool = field(default=False, compare=False)

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        place = f"{self.rdbms_type}://{self.host}:{self.port or ''}/{self.database}"
        schema = self.usual_schema
        return f"rdbms:{place}/{schema + '.' if schema else ''}{self.table}"

    @property
    def usual_schema(self) -> str | None:
        """The schema, where there is none the one that the system then takes; None where that depends on who asks."""
        usual = _USUAL_SCHEMAS.get(self.rdbms_type.lower())
        return usual if not self.schema or self.schema.lower() == usual else self.schema


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherDataset:
    """What a system holds that Atlas has no type for, or that nobody has heard of: a collection, an index, a table.

    `system` is the scheme of its name (`mongodb`; of an unknown connector the beginning of its classes' package), `host`
    the server, with a port where one is given, "" where it is not known. `parts` are the levels of its name, from the
    outside in; `description` says in words what it is.
    """

    system: str
    parts: tuple[str, ...]
    host: str = ""
    description: str = ""
    columns: tuple[Column, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        return f"other:{self.system}://{self.host}/{'/'.join(self.parts)}"


Dataset = PathDataset | ModelDataset | TableDataset | TopicDataset | RdbmsDataset | HBaseDataset | OtherDataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A database (namespace) of a catalog; `properties` as in `TableDataset`."""

    name: str
    catalog: str | None = None
    location: str | None = None
    comment: str | None = None
    owner: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
