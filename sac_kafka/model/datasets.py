"""Datasets that a query reads or writes, identified by the names that their systems use.

`KINDS_OF_DATASET` has a row per class; what a package does with a dataset is in a table by class there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

SESSION_CATALOG = "spark_catalog"
"""Spark's name of the session catalog, which a `TableDataset` omits."""

_DEFAULT_SCHEMAS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("postgresql", "redshift", "opengauss", "vertica", "h2", "hsqldb"), "public"),
        **dict.fromkeys(("sqlserver", "sybase"), "dbo"),
        **dict.fromkeys(("duckdb", "sqlite"), "main"),
    }
)
"""Default schema by `rdbms_type`, for systems where it does not depend on the user: with it, `orders` of one job and
`public.orders` of another have the same key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a dataset as Spark declares it.

    `type` is Spark's `DataType.catalogString` (`bigint`, `struct<a:int>`), "" if unknown.
    """

    name: str
    type: str = ""
    nullable: bool = True
    comment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathDataset:
    """A directory or file that is not a table of a catalog.

    `path` is the *root* of the dataset (`names.paths.root`), in the form of Hadoop's `Path.toString`
    (`file:/data/orders`, `hdfs://nn1/data/orders`); `locations` are the concrete paths of this run. A streaming query has no
    `locations`, but one of its paths as `example`. `is_replaced` is True if a write replaced all data, so that `columns` is
    complete. `partitions` are the partition columns that Spark inferred from directory names or writes by, in order.
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
        """The known concrete paths: all of this run, or the example."""
        return self.locations or ((self.example,) if self.example else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDataset(PathDataset):
    """A Spark ML model or unfitted pipeline, identified by the directory that it is saved in, or this directory itself.

    `uid` is assigned by Spark and differs in every run; `pipeline_uid` is that of the estimator that fitted the model. `uri`
    is MLflow's name of the model if the path reveals it.
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
    `properties` are sorted and exclude Spark's internal ones and secrets; `view_text` is the SQL text of a view.
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
        return f"table:{self.catalog or SESSION_CATALOG}.{self.database}.{self.name}"

    @property
    def is_view(self) -> bool:
        """True if the table is known to be a view."""
        return self.table_type is not None and self.table_type.endswith("VIEW")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDataset:
    """A Kafka topic. `servers` is `bootstrap.servers`, "" if unknown.

    `cluster` is the Atlas namespace that the job sets for the topic (SAC's option `kafka.atlas.cluster.name`).
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
    """A table of a relational database, read or written over JDBC.

    `rdbms_type` is the sub-protocol of the JDBC URL (`postgresql`, `sqlserver`, `h2`); `host` is "" for an embedded
    database, `port` that of the URL or the default of the type. `schema` is None if neither the table name nor the URL
    contains one. The URL itself is not stored.

    The following are not part of its identity; some naming schemes use them. `product` is the system more precisely if the
    connector determines it (`synapse`). `instance` is the name of the SQL Server instance that a port stands for. `quoted`
    holds the name levels (`database`, `schema`, `table`) that were quoted, with the quoted text, for systems that fold
    unquoted names. `has_default_port` is True if the URL has no port.
    """

    rdbms_type: str
    database: str
    table: str
    host: str = ""
    port: int | None = None
    schema: str | None = None
    columns: tuple[Column, ...] = ()
    owner: str | None = None
    comment: str | None = None
    product: str = field(default="", compare=False)
    instance: str = field(default="", compare=False)
    quoted: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    has_default_port: bool = field(default=False, compare=False)

    @property
    def key(self) -> str:
        """The identity of the dataset within a process."""
        place = f"{self.rdbms_type}://{self.host}:{self.port or ''}/{self.database}"
        schema = self.effective_schema
        return f"rdbms:{place}/{schema + '.' if schema else ''}{self.table}"

    @property
    def effective_schema(self) -> str | None:
        """The schema, else the default one of the system; None if the default depends on the user."""
        default = _DEFAULT_SCHEMAS.get(self.rdbms_type.lower())
        return default if not self.schema or self.schema.lower() == default else self.schema


@dataclass(frozen=True, slots=True, kw_only=True)
class HBaseDataset:
    """An HBase table; `cluster` as in `TopicDataset` (SHC's option `atlas.cluster.name`)."""

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
    """A dataset of a system without an Atlas type, or of an unknown connector: a collection, an index, a table.

    `system` is the scheme of its name (`mongodb`; for an unknown connector the first parts of its Java package), `host` the
    server, with a port if one is given, "" if unknown. `parts` are the levels of its name from the outside in;
    `description` describes the kind of dataset for people.
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


def shown_name(dataset: Dataset) -> str:
    """Return the name of a dataset for people: its key without the kind and the session catalog.

    >>> shown_name(TableDataset(database="sales", name="orders"))
    'sales.orders'
    """
    return dataset.key.partition(":")[2].removeprefix(f"{SESSION_CATALOG}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A database (namespace) of a catalog; `properties` as in `TableDataset`."""

    name: str
    catalog: str | None = None
    location: str | None = None
    comment: str | None = None
    owner: str | None = None
    properties: tuple[tuple[str, str], ...] = ()


# ---- kinds of dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class KindOfDataset:
    """What all packages know about the datasets of a class; what one does with them is in a table there (`row_of`).

    Attributes:
        dataset: The class.
        word: The kind in rules (`topic:*-dlq`), and in the output of commands. Kinds without a subject in
            `settings.declarations.rules` share `other`.
        types: The Atlas types of its entities, whatever the names; a type follows those that it references.
    """

    dataset: type[Dataset]
    word: str = "other"
    types: tuple[str, ...]


KINDS_OF_DATASET = (
    KindOfDataset(
        dataset=TableDataset,
        word="table",
        types=("spark_db", "spark_table", "spark_storagedesc", "spark_column", "hive_db", "hive_table", "hive_column"),
    ),
    KindOfDataset(
        dataset=PathDataset,
        word="path",
        types=(
            *("fs_path", "hdfs_path", "aws_s3_v2_bucket", "aws_s3_v2_directory"),
            *("aws_s3_bucket", "aws_s3_pseudo_dir", "aws_s3_object"),
            *("adls_gen2_account", "adls_gen2_container", "adls_gen2_directory"),
            *("gcp_storage_bucket", "gcp_storage_virtual_directory", "ozone_volume", "ozone_bucket", "ozone_key"),
        ),
    ),
    KindOfDataset(dataset=TopicDataset, word="topic", types=("kafka_topic",)),
    KindOfDataset(
        dataset=RdbmsDataset, word="jdbc", types=("rdbms_instance", "rdbms_db", "rdbms_table", "rdbms_column")
    ),
    KindOfDataset(dataset=HBaseDataset, word="hbase", types=("hbase_namespace", "hbase_table")),
    KindOfDataset(dataset=OtherDataset, types=("DataSet",)),
    KindOfDataset(
        dataset=ModelDataset, word="path", types=("spark_ml_model", "spark_ml_pipeline", "spark_ml_directory")
    ),
)
_KIND_BY_CLASS: Mapping[type, KindOfDataset] = MappingProxyType({each.dataset: each for each in KINDS_OF_DATASET})
_Row = TypeVar("_Row")


def kind_of(dataset: Dataset) -> KindOfDataset:
    """Return the row of a dataset. Raises TypeError: its class has no row."""
    return _KIND_BY_CLASS.get(type(dataset)) or row_of(_KIND_BY_CLASS, dataset, "KINDS_OF_DATASET")


def row_of(table: Mapping[type, _Row], dataset: Dataset, name: str) -> _Row:
    """Return the row of a dataset in a table by class, which is called `name`.

    Raises:
        TypeError: Its class has no row.
    """
    row = table.get(type(dataset))
    if row is None:
        raise TypeError(f"no row in {name} for a dataset of class {type(dataset).__name__}")
    return row
