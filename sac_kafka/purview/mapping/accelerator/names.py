"""Return the namespace and name of a dataset in OpenLineage, as expected by the accelerator's mappings.

The accelerator was built for releases of OpenLineage in which the namespace contains the database of a server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from sac_kafka.purview.mapping.dataset_fields import DatasetFields, DatasetKind

AcceleratorName = tuple[str, str]

_DIVIDES = re.compile(r"[./\[\]]")
_KEYS_WITHOUT_SLASH = frozenset({"abfss", "wasbs", "s3", "gs"})
"""Schemes of object stores, whose keys do not begin with a slash."""


def _path(values: Mapping[str, str]) -> AcceleratorName:
    scheme, path = values.get("scheme", "file"), values["path"]
    host = _host(values)
    container = values.get("container", "")
    authority = f"{container}@{host}" if container and host and container.lower() != host else container or host
    name = path if scheme in _KEYS_WITHOUT_SLASH else f"/{path}"
    return (f"{scheme}://{authority}" if authority else scheme), name


def _database(values: Mapping[str, str]) -> AcceleratorName:
    scheme, host, database = values["scheme"], _host(values), values.get("database", "")
    table, schema = values["table"], values.get("schema")
    if scheme == "snowflake":
        # Snowflake stores unquoted names in upper case.
        return f"snowflake://{host}", ".".join(filter(None, (database.upper(), schema, table)))
    namespace = f"{scheme}://{host};database={database}" if scheme == "sqlserver" else f"{scheme}://{host}/{database}"
    if schema is None:
        return namespace, f"[{table}]" if _DIVIDES.search(table) else table
    has_brackets = _DIVIDES.search(f"{schema}{table}")
    return namespace, f"[{schema}].[{table}]" if has_brackets else f"{schema}.{table}"


def _topic(values: Mapping[str, str]) -> AcceleratorName:
    return f"kafka://{_host(values)}", values["topic"]


def _other(values: Mapping[str, str]) -> AcceleratorName:
    connector, host = values["connector"], _host(values)
    database, _, below = values["path"].partition("/")
    if connector == "kusto":
        return f"azurekusto://{host}/{database}", below
    if connector == "cosmos":
        return f"azurecosmos://{host}/dbs/{database}", f"colls/{below}"
    return f"{connector}://{host}", values["path"].replace("/", ".")


def _host(values: Mapping[str, str]) -> str:
    port = values.get("port")
    return f"{values.get('host', '')}{f':{port}' if port else ''}"


_NAMES: Mapping[DatasetKind, Callable[[Mapping[str, str]], AcceleratorName]] = MappingProxyType(
    {DatasetKind.PATH: _path, DatasetKind.DATABASE: _database, DatasetKind.TOPIC: _topic, DatasetKind.OTHER: _other}
)


def open_lineage_name(fields: DatasetFields) -> AcceleratorName | None:
    """Return the namespace and name of a dataset; None for tables of Spark's catalogs, which OpenLineage names by location."""
    name_of = _NAMES.get(fields.kind)
    return name_of(fields.values) if name_of else None
