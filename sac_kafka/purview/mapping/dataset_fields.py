"""Describe a dataset to naming rules: its kind, and its named text fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any

from sac_kafka import model

MAX_FIELD_LENGTH = 4_096
"""Maximum characters of a field. Longer datasets match no rule, as no asset of Purview has such a name."""

_URI = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/]*))?(.*)", re.DOTALL)
_PORT = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([0-9]+))?")
_ONE_STORE = MappingProxyType({"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs"})
_BUCKETS = frozenset({"s3", "gs", "oss", "cosn", "obs"})
"""Schemes whose URIs contain a bucket instead of a host."""


class DatasetKind(str, Enum):
    """Kind of a dataset, as written in rules."""

    PATH = "path"
    TABLE = "table"
    DATABASE = "database"
    TOPIC = "topic"
    OTHER = "other"


FIELDS: Mapping[DatasetKind, tuple[str, ...]] = MappingProxyType(
    {
        DatasetKind.PATH: ("scheme", "host", "port", "account", "container", "path", "name", "connector"),
        DatasetKind.TABLE: ("catalog", "database", "table", "name", "connector"),
        DatasetKind.DATABASE: ("scheme", "host", "port", "account", "database", "schema", "table", "name", "connector"),
        DatasetKind.TOPIC: ("host", "port", "account", "topic", "name", "connector"),
        DatasetKind.OTHER: ("host", "port", "account", "path", "name", "connector"),
    }
)
"""Fields that a dataset of each kind can have."""

DRIVER_FIELDS = ("workspace", "metastore", "namespace")
"""Fields of the driver, available to templates for every dataset."""

GUARANTEED_FIELDS: Mapping[DatasetKind, frozenset[str]] = MappingProxyType(
    {
        DatasetKind.PATH: frozenset({"path", "name"}),
        DatasetKind.TABLE: frozenset({"catalog", "database", "table", "name"}),
        DatasetKind.DATABASE: frozenset({"scheme", "table", "name", "connector"}),
        DatasetKind.TOPIC: frozenset({"topic", "name", "connector"}),
        DatasetKind.OTHER: frozenset({"path", "name", "connector"}),
    }
)
"""Fields that every dataset of a kind has."""


@dataclass(frozen=True, slots=True)
class DatasetFields:
    """A dataset as seen by rules; `values` holds only the fields that it has."""

    kind: DatasetKind
    values: Mapping[str, str]

    @property
    def is_too_long(self) -> bool:
        """True if a field exceeds the maximum length, so that no rule may match."""
        return any(len(value) > MAX_FIELD_LENGTH for value in self.values.values())


def _fields(kind: DatasetKind, texts: Mapping[str, str | None]) -> DatasetFields:
    return DatasetFields(
        kind, {name: text for name, text in texts.items() if text or (name == "path" and text is not None)}
    )


def path(dataset: model.PathDataset) -> DatasetFields:
    """Return the fields of a path or model."""
    return path_fields(dataset.path, dataset.format)


def path_fields(uri: str, connector: str = "") -> DatasetFields:
    """Return the fields of a path or URI that is read or written in a format."""
    return _fields(DatasetKind.PATH, {**location_fields(uri), "connector": connector})


def location_fields(uri: str) -> dict[str, str | None]:
    """Return the fields of a path or URI, also those without a value."""
    found = _URI.fullmatch(uri)
    scheme, authority, path = (found[1] or "", found[2] or "", found[3]) if found else ("", "", uri)
    scheme = canonical_scheme(scheme)
    container, at, address = authority.rpartition("@")
    if not at and scheme in _BUCKETS:
        container = address
    below = path.strip("/")
    return {
        "scheme": scheme,
        **_server(address),
        "container": container,
        "path": below,
        "name": below.rpartition("/")[2] or container or address or "/",
    }


def canonical_scheme(scheme: str) -> str:
    """Return the canonical scheme of a store.

    >>> canonical_scheme("s3a"), canonical_scheme("abfs"), canonical_scheme("hdfs")
    ('s3', 'abfss', 'hdfs')
    """
    return _ONE_STORE.get(scheme.lower(), scheme.lower())


def _server(address: str) -> dict[str, str | None]:
    found = _PORT.fullmatch(address.lower())
    host, port = (found[1], found[2]) if found else (address.lower(), None)
    first, dot, _ = host.partition(".")
    return {"host": host, "port": port, "account": first if dot else None}


def table(dataset: model.TableDataset) -> DatasetFields:
    """Return the fields of a table of a catalog."""
    return _fields(
        DatasetKind.TABLE,
        {
            "catalog": dataset.catalog or model.SESSION_CATALOG,
            "database": dataset.database,
            "table": dataset.name,
            "name": dataset.name,
            "connector": dataset.provider,
        },
    )


def database(dataset: model.RdbmsDataset) -> DatasetFields:
    """Return the fields of a table of a relational database."""
    return _fields(
        DatasetKind.DATABASE,
        {
            "scheme": dataset.rdbms_type,
            **_server(dataset.host),
            "port": str(dataset.port) if dataset.port else None,
            "database": dataset.database,
            "schema": dataset.schema,
            "table": dataset.table,
            "name": dataset.table,
            "connector": dataset.rdbms_type,
        },
    )


def topic(dataset: model.TopicDataset) -> DatasetFields:
    """Return the fields of a topic."""
    first = dataset.servers.partition(",")[0].strip()
    return _fields(
        DatasetKind.TOPIC, {**_server(first), "topic": dataset.topic, "name": dataset.topic, "connector": "kafka"}
    )


def hbase_table(dataset: model.HBaseDataset) -> DatasetFields:
    """Return the fields of an HBase table."""
    below = f"{dataset.namespace}/{dataset.table}"
    return _fields(
        DatasetKind.OTHER, {"host": dataset.cluster, "path": below, "name": dataset.table, "connector": "hbase"}
    )


def other(dataset: model.OtherDataset) -> DatasetFields:
    """Return the fields of a dataset of another system."""
    name = dataset.parts[-1] if dataset.parts else dataset.system
    return _fields(
        DatasetKind.OTHER,
        {**_server(dataset.host), "path": "/".join(dataset.parts), "name": name, "connector": dataset.system},
    )


def by_key(dataset: model.Dataset) -> DatasetFields:
    """Return the fields of a dataset of any other kind, from its key `kind:path`."""
    kind, _, below = dataset.key.partition(":")
    return _fields(DatasetKind.OTHER, {"path": below, "name": below.rpartition("/")[2], "connector": kind})


FIELDS_BY_CLASS: Mapping[type[model.Dataset], Callable[[Any], DatasetFields]] = MappingProxyType(
    {
        model.TableDataset: table,
        model.PathDataset: path,
        model.TopicDataset: topic,
        model.RdbmsDataset: database,
        model.HBaseDataset: hbase_table,
        model.OtherDataset: other,
        model.ModelDataset: path,
    }
)
"""By class of dataset the function that returns its fields; `by_key` for any other class."""


def dataset_fields(dataset: model.Dataset) -> DatasetFields:
    """Return the fields of a dataset."""
    return FIELDS_BY_CLASS.get(type(dataset), by_key)(dataset)
