"""Map OpenLineage names of data to datasets under the hook's own names.

An OpenLineage name consists of a namespace (system and server) and a name within it. `_SYSTEMS` has a row for each system
whose namespace differs from its JDBC URL, or which JDBC does not know; any other system is named by the scheme of its namespace.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from sac_kafka.model import Column, Dataset, PathDataset, TableDataset, TopicDataset
from sac_kafka.names.files import Patterns, paths
from sac_kafka.names.jdbc_forms import FORMS
from sac_kafka.names.jdbc_urls import bigquery_url, name_parts, named_table, rdbms_table
from sac_kafka.names.other_datasets import host_of, other_dataset

_FILES = frozenset(
    (
        *("abfs", "abfss", "adl", "bos", "cos", "cosn", "dbfs", "file", "gs", "hdfs", "o3fs", "obs", "ofs", "oss"),
        *("s3", "s3a", "s3n", "swift", "viewfs", "wasb", "wasbs", "webhdfs"),
    )
)
_GLUE = "arn:aws:glue:"
_Columns = tuple[Column, ...]
_Naming = Callable[[str, str, _Columns], Dataset | None]


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


def dataset_of(name: OpenLineageName, columns: _Columns, patterns: Patterns) -> Dataset | None:
    """Return the dataset of a name, preferably the table linked to a path; None if the name cannot be mapped."""
    found = _dataset(name, columns, patterns)
    if not isinstance(found, PathDataset):
        return found
    tables = (each for link in name.tables if isinstance(each := _dataset(link, columns, patterns), TableDataset))
    table = next(tables, None)
    return found if table is None else dataclasses.replace(table, location=found.path)


def _jdbc(kind: str, suffix: str = "", before: str = "") -> _Naming:
    """Return a naming function for tables of a JDBC database, so that both ways of access lead to the same name."""

    def table(authority: str, name: str, columns: _Columns) -> Dataset | None:
        return named_table(f"jdbc:{kind}:{before}//{authority}{suffix}/", name, columns) if authority else None

    return table


def _topic(authority: str, name: str, columns: _Columns) -> Dataset:
    return TopicDataset(topic=name, servers=authority, columns=columns)


def _table(authority: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of a metastore (`db.table`) or of one of several catalogs (`catalog.db.table`)."""
    del authority
    catalog, database, table = ("", "", *name_parts(name))[-3:]
    return TableDataset(catalog=catalog or None, database=database, name=table, columns=columns) if database else None


def _athena(authority: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of Athena (`AwsDataCatalog.db.table`), which is one of Glue."""
    return _table(authority, ".".join(name_parts(name)[-2:]), columns)


def _bigquery(authority: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a table of BigQuery (`project.dataset.table`), which has no host."""
    del authority
    project, *within = name_parts(name)
    return rdbms_table(bigquery_url(project), within, columns) if len(within) == 2 else None


_SYSTEMS: Mapping[str, _Naming] = {
    "awsathena": _athena,
    "bigquery": _bigquery,
    "hive": _table,
    "kafka": _topic,
    "mssql": _jdbc("sqlserver"),
    "oracle": _jdbc("oracle", before="thin:@"),
    "postgres": _jdbc("postgresql"),
    "snowflake": _jdbc("snowflake", suffix=".snowflakecomputing.com"),
    "unitycatalog": _table,
}


def _dataset(own: OpenLineageName, columns: _Columns, patterns: Patterns) -> Dataset | None:
    namespace, name = own.namespace.strip().rstrip("/"), own.name.strip()
    if not name:
        return None
    scheme, _, place = namespace.partition("://")
    scheme = scheme.lower()
    if scheme in _FILES:
        below = name.lstrip("/")
        path = f"file:/{below}" if scheme == "file" else f"{namespace}/{below}"
        return paths((path,), "", columns, patterns)[0]
    if namespace.startswith(_GLUE):
        return _table("", ".".join(name.split("/")[1:]), columns)
    made = _SYSTEMS.get(scheme) or (_jdbc(scheme) if scheme in FORMS else None)
    found = None if made is None else made(_authority(place), name, columns)
    return found or _by_scheme(scheme, _authority(place), name, columns)


def _authority(place: str) -> str:
    """Return host and port, without user information and path."""
    return place.partition("/")[0].rpartition("@")[2]


def _by_scheme(scheme: str, authority: str, name: str, columns: _Columns) -> Dataset | None:
    """Name a dataset of any other system, such as `db.collection` of `milvus://host:port`."""
    words = f"of {scheme}, named by its connector"
    return other_dataset(scheme, name_parts(name), words, columns, host=host_of(authority)) if scheme else None
