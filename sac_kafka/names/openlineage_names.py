"""Map OpenLineage names of data to datasets under the hook's own names, and back.

An OpenLineage name consists of a namespace (system and server) and a name within it. `SYSTEMS` has a row for each system whose
names differ from those that its JDBC URL or its scheme gives. Source: OpenLineage, "Naming" (spec/naming.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sac_kafka.model import (
    Column,
    Dataset,
    HBaseDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.names.files import Patterns, paths
from sac_kafka.names.jdbc_forms import FORMS
from sac_kafka.names.jdbc_urls import bigquery_url, levels_of, name_parts, named_table, rdbms_table
from sac_kafka.names.other_datasets import host_of, other_dataset
from sac_kafka.names.paths import split

STORE_SCHEMES = frozenset(
    (
        *("abfs", "abfss", "adl", "bos", "cos", "cosn", "gs", "o3fs", "obs", "ofs", "oss"),
        *("s3", "s3a", "s3n", "swift", "wasb", "wasbs"),
    )
)
FILE_SCHEMES = STORE_SCHEMES | {"dbfs", "file", "hdfs", "viewfs", "webhdfs"}
_GLUE = "arn:aws:glue:"
_PATH = re.compile(r"(?i)(?:[a-z][a-z0-9]*:)?/(?!/)|file:")
"""A namespace that is a path: Spark's integration names the warehouse of a table so."""
_HOST_AND_PORT = re.compile(r"([a-z][a-z0-9-]*):(\d{2,5})")
_SNOWFLAKE = ".snowflakecomputing.com"
_SCHEMA_FIRST = frozenset({"sqlserver"})
"""Databases whose names of two parts have a schema; those of others have a database."""
_NOT_STORED = frozenset({"", "inmemory"})
"""Schemes of data that no other job can read."""
_NOT_A_TABLE = "COMPLEX"
"""The name of a query in Azure Data Explorer."""

_Columns = tuple[Column, ...]
_Read = Callable[[str, str, _Columns], Dataset | None]


class OpenLineageName(Protocol):
    """A dataset name in OpenLineage's form (`postgres://db1:5432`, `shop.sales.orders`); `tables` are its symlinks."""

    @property
    def namespace(self) -> str:
        """The system and server."""

    @property
    def name(self) -> str:
        """The name within the namespace."""

    @property
    def tables(self) -> Sequence[OpenLineageName]:
        """Names of the same data as a table."""


@dataclass(frozen=True, slots=True)
class LinkedName:
    """A name of a dataset with its symlinks (`OpenLineageName`)."""

    namespace: str
    name: str
    tables: tuple[OpenLineageName, ...] = ()


def _address(dataset: RdbmsDataset | OtherDataset) -> str:
    port = dataset.port if isinstance(dataset, RdbmsDataset) else None
    return f"{dataset.host}:{port}" if port is not None and dataset.host else dataset.host


def _parts(dataset: RdbmsDataset | OtherDataset) -> tuple[str, ...]:
    if isinstance(dataset, OtherDataset):
        return dataset.parts
    known = {"database": dataset.database, "schema": dataset.effective_schema, "table": dataset.table}
    return tuple(part for level in ("database", "schema", "table") if (part := known[level]))


def _joined_parts(dataset: RdbmsDataset | OtherDataset) -> str:
    return ".".join(_parts(dataset))


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """How a system is named.

    Attributes:
        schemes: The schemes of its namespaces; the first is the one to write.
        read: Returns the dataset: (what follows the scheme, name, columns) → dataset, None if the name is incomplete.
        models: The `rdbms_type` or `system` of its datasets; "" if their class or another row has them.
        place: Returns what follows the scheme of a dataset's namespace.
        name: Returns the name of a dataset.
    """

    schemes: tuple[str, ...]
    read: _Read
    models: str = ""
    place: Callable[[RdbmsDataset | OtherDataset], str] = _address
    name: Callable[[RdbmsDataset | OtherDataset], str] = _joined_parts


# ---- names to datasets


def dataset_of(name: OpenLineageName, columns: _Columns, patterns: Patterns) -> Dataset | None:
    """Return the dataset of a name, preferably the table linked to a path; None if the name cannot be mapped."""
    found = _dataset(name, columns, patterns)
    if not isinstance(found, PathDataset):
        return found
    tables = (each for link in name.tables if isinstance(each := _follow_link(link, columns, patterns), TableDataset))
    table = next(tables, None)
    return found if table is None else replace(table, location=found.path)


def _follow_link(link: OpenLineageName, columns: _Columns, patterns: Patterns) -> Dataset | None:
    """Return the table of a symlink. A namespace that is a path is not trusted: of some statements, it is a wrong one."""
    is_path = _PATH.match(link.namespace) or link.namespace.partition("://")[0].lower() in FILE_SCHEMES
    return _table("", link.name, columns) if is_path and "/" not in link.name else _dataset(link, columns, patterns)


def _dataset(own: OpenLineageName, columns: _Columns, patterns: Patterns) -> Dataset | None:
    namespace, name = own.namespace.strip(), own.name.strip()
    if "://" in name and "://" not in namespace:  # a version of dbt's integration has swapped them
        namespace, name = name, namespace
    scheme, _, place = namespace.partition("://")
    scheme, place = scheme.rstrip(":/").lower(), place.rstrip("/")
    if not name or scheme in _NOT_STORED:
        return None
    if scheme in FILE_SCHEMES:
        authority = f"//{place}" if place else ""
        path = f"{scheme}:{authority}/{name.lstrip('/')}"
        return paths((path,), "", columns, patterns)[0]
    if namespace.startswith(_GLUE):
        return _table("", ".".join(name.split("/")[1:]) if "/" in name else name, columns)  # dbt writes `db.table`
    without_scheme = _HOST_AND_PORT.fullmatch(scheme)  # `trino:8080`, as Trino's own listener writes it
    if without_scheme and without_scheme[1] in {*_BY_SCHEME, *FORMS}:
        scheme, place = without_scheme[1], scheme
    read = _BY_SCHEME.get(scheme) or (_database(scheme) if scheme in FORMS else None)
    found = None if read is None else read(place, name, columns)
    return found or (
        None if read is not None and scheme in _STRICT else _by_scheme(namespace, scheme, place, name, columns)
    )


def _by_scheme(namespace: str, scheme: str, place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a dataset of any other system, such as `db.collection` of `milvus://host:port`, or `name` of `project/team`."""
    words = f"of {scheme}, named by its connector"
    if "://" not in namespace and ("/" in namespace or ":" in namespace):
        return other_dataset(namespace, (name,), f"of {namespace}", columns)
    return other_dataset(scheme, name_parts(name), words, columns, host=host_of(_authority(place)))


def _authority(place: str) -> str:
    """Return host and port, without user information and path."""
    return place.partition("/")[0].rpartition("@")[2]


def _database(kind: str, suffix: str = "", before: str = "") -> _Read:
    """Return a reader of tables of a JDBC database, so that both ways of access lead to the same name."""

    def table(place: str, name: str, columns: _Columns) -> Dataset | None:
        server, _, parameters = _authority(place).partition(";")
        if not server:
            return None
        url = f"jdbc:{kind}:{before}//{server.removesuffix(suffix)}{suffix}{f';{parameters}' if parameters else '/'}"
        parts = name_parts(name)
        if len(parts) == 2 and len(levels_of(kind)) == 3 and kind not in _SCHEMA_FIRST:
            database, within = parts
            found = named_table(url, f"{database}.schema.{within}" if name == ".".join(parts) else name, columns)
            return found and replace(found, schema=None)
        return named_table(url, name, columns)

    return table


def _embedded_reader(kind: str) -> _Read:
    """Return a reader of tables of a database in a file, which is the database; the name may repeat it.

    A database with another name is attached. Its file is not known, so it is named within that of the main one.
    """

    def table(place: str, name: str, columns: _Columns) -> Dataset | None:
        database, *within = ("", "", *name_parts(name))[-3:]
        file = place.rpartition("/")[2].removeprefix("md:")
        own_names = (file, file.partition(".")[0], file.strip(":"))  # the last for `:memory:`
        is_main = database.lower() in ("", "main", *map(str.lower, own_names))
        url = f"jdbc:{kind}:{place}" if is_main else f"jdbc:{kind}:{place}/{database}"
        return rdbms_table(url, [*filter(None, within)], columns) if place else None

    return table


def _table(place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of a metastore (`db.table`) or of one of several catalogs (`catalog.db.table`)."""
    del place
    catalog, database, table = ("", "", *name_parts(name))[-3:]
    return TableDataset(catalog=catalog or None, database=database, name=table, columns=columns) if database else None


def _databricks(place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of Databricks; one of the workspace's Hive metastore is in the session catalog, as the hook reports it."""
    catalog, database, table = ("", "", *name_parts(name))[-3:]
    is_hive = catalog.lower() in _HIVE_CATALOGS
    return _table(place, f"{database}.{table}" if is_hive else name, columns)


_HIVE_CATALOGS = frozenset({"hive_metastore", "spark_catalog"})


def _athena(place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of Athena (`AwsDataCatalog.db.table`), which is one of Glue."""
    return _table(place, ".".join(name_parts(name)[-2:]), columns)


def _topic(place: str, name: str, columns: _Columns) -> Dataset:
    return TopicDataset(topic=name, servers=_authority(place), columns=columns)


def _hbase(place: str, name: str, columns: _Columns) -> Dataset:
    namespace, _, table = name.rpartition(":")
    return HBaseDataset(
        namespace=namespace or "default", table=table, cluster=_authority(place) or None, columns=columns
    )


def _bigquery(place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of BigQuery (`project.dataset.table`), which has no host."""
    del place
    project, *within = name_parts(name)
    return rdbms_table(bigquery_url(project), within, columns) if len(within) == 2 else None


def _spanner(place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of Spanner (`project:instance`, `database.schema.table`)."""
    project, _, instance = _authority(place).partition(":")
    database, *within = name_parts(name)
    url = f"jdbc:cloudspanner:/projects/{project}/instances/{instance}/databases/{database}"
    return rdbms_table(url, within, columns) if within and project and instance else None


def _cosmos(place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a container of Cosmos DB (`host/dbs/database`, `colls/container`)."""
    host, _, database = place.partition("/dbs/")
    levels = (database.strip("/"), name.lstrip("/").removeprefix("colls/"))
    return other_dataset("cosmos", levels, "container of Azure Cosmos DB", columns, host=host.removesuffix(":443"))


def _kusto(place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of Azure Data Explorer (`cluster/database`, `table`, or `cluster`, `database/table`)."""
    *host, database, table = f"{place}/{name}".split("/")
    levels = (database, table if table != _NOT_A_TABLE else None)
    return (
        other_dataset("kusto", levels, "table of Azure Data Explorer", columns, host=host_of(host[0])) if host else None
    )


def _collection(place: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a collection of MongoDB (`database.collection`); that of a collection may have dots."""
    database, _, collection = name.partition(".")
    host = host_of(_authority(place))
    return other_dataset("mongodb", (database, collection), "collection of MongoDB", columns, host=host)


# ---- datasets to names


def name_of(dataset: Dataset, metastore: str = "hive") -> LinkedName:
    """Return the OpenLineage name of a dataset; `metastore` is the namespace of tables (`hive://host:9083`, an ARN of Glue).

    A table with a location has the name of the location, and its own as a symlink.
    """
    match dataset:
        case TableDataset(location=location):
            own = LinkedName(metastore, ".".join(filter(None, (dataset.catalog, dataset.database, dataset.name))))
            glue = LinkedName(metastore, f"table/{dataset.database}/{dataset.name}")
            table = glue if metastore.startswith(_GLUE) else own
            return replace(_name_of_path(location), tables=(table,)) if location else table
        case PathDataset():
            return _name_of_path(dataset.path)
        case TopicDataset():
            return LinkedName(f"kafka://{dataset.servers.partition(',')[0]}", dataset.topic)
        case HBaseDataset():
            return LinkedName(f"hbase://{dataset.cluster or ''}", f"{dataset.namespace}:{dataset.table}")
    kind = dataset.rdbms_type if isinstance(dataset, RdbmsDataset) else dataset.system
    row = next((each for each in SYSTEMS if each.models == kind), None)
    if row is not None:
        place = row.place(dataset)
        return LinkedName(f"{row.schemes[0]}://{place}" if place else row.schemes[0], row.name(dataset))
    if isinstance(dataset, OtherDataset) and not dataset.host and ("/" in kind or ":" in kind):
        return LinkedName(kind, ".".join(dataset.parts))
    return LinkedName(f"{kind}://{_address(dataset)}", ".".join(_parts(dataset)))


def _name_of_path(path: str) -> LinkedName:
    """Return the name of a path up to the first segment that differs from run to run."""
    scheme, authority, segments = split(path)
    scheme = {"s3a:": "s3:", "s3n:": "s3:"}.get(scheme, scheme)
    stable = segments[: next((at for at, each in enumerate(segments) if "{" in each), len(segments))]
    slash = "" if scheme.rstrip(":") in STORE_SCHEMES and stable else "/"
    return LinkedName(f"{scheme}{authority}" if authority else scheme.rstrip(":"), slash + "/".join(stable))


def _project_and_instance(dataset: RdbmsDataset | OtherDataset) -> str:
    parts = _parts(dataset)[0].split("/")
    return f"{parts[1]}:{parts[3]}" if len(parts) == 6 else ""


def _in_database(dataset: RdbmsDataset | OtherDataset) -> str:
    database, *within = _parts(dataset)
    return ".".join((database.rpartition("/")[2], *within))


def _in_file(dataset: RdbmsDataset | OtherDataset) -> str:
    return ".".join(_parts(dataset)[1:])


def _file(dataset: RdbmsDataset | OtherDataset) -> str:
    return _parts(dataset)[0]


SYSTEMS = (
    System(schemes=("awsathena",), read=_athena),
    System(
        schemes=("azurecosmos",),
        read=_cosmos,
        models="cosmos",
        place=lambda d: f"{_address(d)}/dbs/{_parts(d)[0]}",
        name=lambda d: f"colls/{_parts(d)[-1]}",
    ),
    System(
        schemes=("azurekusto",),
        read=_kusto,
        models="kusto",
        place=lambda d: f"{_address(d)}/{_parts(d)[0]}",
        name=lambda d: _parts(d)[-1],
    ),
    System(schemes=("bigquery",), read=_bigquery, models="bigquery", place=lambda _: ""),
    System(schemes=("databricks", "spark"), read=_databricks),
    System(schemes=("duckdb",), read=_embedded_reader("duckdb"), models="duckdb", place=_file, name=_in_file),
    System(schemes=("hbase",), read=_hbase),
    System(schemes=("hive",), read=_table),
    System(schemes=("kafka",), read=_topic),
    System(schemes=("mongodb",), read=_collection, models="mongodb"),
    System(schemes=("oracle",), read=_database("oracle", before="thin:@"), models="oracle"),
    System(schemes=("postgres", "postgresql"), read=_database("postgresql"), models="postgresql"),
    System(
        schemes=("snowflake",),
        read=_database("snowflake", suffix=_SNOWFLAKE),
        models="snowflake",
        place=lambda d: d.host.removesuffix(_SNOWFLAKE),
    ),
    System(schemes=("spanner",), read=_spanner, models="spanner", place=_project_and_instance, name=_in_database),
    System(schemes=("sqlite",), read=_embedded_reader("sqlite"), models="sqlite", place=_file, name=_in_file),
    System(schemes=("sqlserver", "mssql", "fabric-warehouse"), read=_database("sqlserver"), models="sqlserver"),
    System(schemes=("unitycatalog", "unity-catalog"), read=_table),
)
"""One row per system, in alphabetical order."""
_BY_SCHEME: Mapping[str, _Read] = {scheme: each.read for each in SYSTEMS for scheme in each.schemes}
_STRICT = frozenset({"azurekusto"})
"""Systems of which a name that cannot be read is that of no dataset."""
