"""From what connectors call their data themselves, in OpenLineage's way, to datasets under the names that the hook has for them.

OpenLineage's names are a namespace, which says the system and mostly where it is, and a name within it. One row a system in
`_SYSTEMS`, where JDBC calls it otherwise or does not have it; what neither has is of the system that its namespace begins with.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from sac_kafka.lineage.datasets.files import Patterns, paths
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.systems.jdbc_forms import FORMS
from sac_kafka.lineage.datasets.systems.jdbc_urls import name_parts, named_table, rdbms_table
from sac_kafka.lineage.datasets.systems.others import host_of, other
from sac_kafka.lineage.model import Column, Dataset, PathDataset, TableDataset, TopicDataset
from sac_kafka.plan.own_names import NAME, NAMESPACE, OwnName

_FILES = frozenset(
    {
        "abfs",
        "abfss",
        "adl",
        "bos",
        "cos",
        "cosn",
        "dbfs",
        "file",
        "gs",
        "hdfs",
        "o3fs",
        "obs",
        "ofs",
        "oss",
        "s3",
        "s3a",
    }
    | {"s3n", "swift", "viewfs", "wasb", "wasbs", "webhdfs"}
)
_GLUE = "arn:aws:glue:"
_Columns = tuple[Column, ...]
_Naming = Callable[[str, str, _Columns], Dataset | None]


def own_dataset(own: OwnName, of: _Columns, patterns: Patterns) -> Dataset | None:
    """The dataset of a name; a path that has a table is that table. None where the name says nothing."""
    found = _dataset(own, of, patterns)
    if not isinstance(found, PathDataset):
        return found
    tables = (each for link in own.tables if isinstance(each := _dataset(link, of, patterns), TableDataset))
    table = next(tables, None)
    return found if table is None else dataclasses.replace(table, location=found.path)


def own_reading(names: tuple[OwnName, ...], of: _Columns, patterns: Patterns) -> Reading | None:
    """What is read under these names; None for none."""
    found = tuple(d for name in names if (d := own_dataset(name, of, patterns)) is not None)
    return Reading(datasets=found) if found else None


def own_name_of(properties: Mapping[str, str] | None) -> OwnName | None:
    """The name that the properties of a table say; None where they do not."""
    said = properties or {}
    namespace, name = said.get(NAMESPACE), said.get(NAME)
    return OwnName(namespace=namespace, name=name) if namespace and name else None


def _dataset(own: OwnName, of: _Columns, patterns: Patterns) -> Dataset | None:
    namespace, name = own.namespace.strip().rstrip("/"), own.name.strip()
    if not name:
        return None
    scheme, _, place = namespace.partition("://")
    scheme = scheme.lower()
    if scheme in _FILES:
        below = name.lstrip("/")
        path = f"file:/{below}" if scheme == "file" else f"{namespace}/{below}"
        return paths((path,), "", of, patterns)[0]
    if namespace.startswith(_GLUE):
        return _glue(name, of)
    made = _SYSTEMS.get(scheme) or (_jdbc(scheme) if scheme in FORMS else None)
    found = None if made is None else made(_authority(place), name, of)
    return found or _any(scheme, _authority(place), name, of)


def _authority(place: str) -> str:
    """Host and port, without a log-in before them and what stands behind."""
    return place.partition("/")[0].rpartition("@")[2]


def _jdbc(kind: str, suffix: str = "", before: str = "") -> _Naming:
    """A table of a database that JDBC reaches too, as its URL names it: both ways lead to one name."""

    def table(authority: str, name: str, of: _Columns) -> Dataset | None:
        return named_table(f"jdbc:{kind}:{before}//{authority}{suffix}/", name, of) if authority else None

    return table


def _topic(authority: str, name: str, of: _Columns) -> Dataset:
    return TopicDataset(topic=name, servers=authority, columns=of)


def _table(authority: str, name: str, of: _Columns) -> Dataset | None:
    """`db.table` of a metastore, `catalog.db.table` of catalogs that have several."""
    del authority
    catalog, database, table = ("", "", *name_parts(name))[-3:]
    return TableDataset(catalog=catalog or None, database=database, name=table, columns=of) if database else None


def _athena(authority: str, name: str, of: _Columns) -> Dataset | None:
    """`AwsDataCatalog.db.table`: Athena's tables are those of Glue."""
    return _table(authority, ".".join(name_parts(name)[-2:]), of)


def _glue(name: str, of: _Columns) -> Dataset | None:
    """`table/db/name`."""
    return _table("", ".".join(name.split("/")[1:]), of)


def _bigquery(authority: str, name: str, of: _Columns) -> Dataset | None:
    """`project.dataset.table` of the one BigQuery that there is."""
    del authority
    project, *within = name_parts(name)
    url = f"jdbc:bigquery://https://www.googleapis.com/bigquery/v2:443;ProjectId={project}"
    return rdbms_table(url, within, of) if len(within) == 2 else None


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


def _any(scheme: str, authority: str, name: str, of: _Columns) -> Dataset | None:
    """A system that has no row: milvus://host:port with db.collection."""
    words = f"of {scheme}, as its connector names it"
    return other(scheme, name_parts(name), words, of, host=host_of(authority)) if scheme else None
