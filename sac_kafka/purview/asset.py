"""Define assets, the counterparts of datasets in Purview, and spell the parts of their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sac_kafka.atlas.qualified_name import quote

UNKNOWN_TYPE = "DataSet"
"""Type of assets that no scan creates and no rule names; built into every server."""


WORLDWIDE_SCHEMES = frozenset(
    {"gs", "oss", "obs", "cosn", "http", "https", "ftp", "sftp", "s3", "s3a", "s3n", "abfs", "abfss"}
)
"""Schemes of paths with globally unique names, which need no namespace."""
_TYPES_WITH_NAMESPACE = frozenset({"hive_table", "hive_view", "kafka_topic", "hbase_table"})


def has_namespace(type_name: str, qualified_name: str) -> bool:
    """Return True if the name of an asset ends with `@` and a namespace, as those of Atlas' own types do.

    >>> has_namespace("hive_table", "sales.orders@prod"), has_namespace("azure_datalake_gen2_path", "https://a/b@c.csv")
    (True, False)
    """
    is_worldwide = qualified_name.partition("://")[0] in WORLDWIDE_SCHEMES
    return "@" in qualified_name and (
        type_name in _TYPES_WITH_NAMESPACE or (type_name == UNKNOWN_TYPE and not is_worldwide)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """Counterpart of a dataset in Purview.

    Attributes:
        type_name: Type, as assigned by the scan of the source; with `qualified_name` the identity.
        qualified_name: Qualified name, as assigned by the scan.
        name: Display name.
        rule: Short description of the rule that named the asset ("ADLS Gen2 resource set", the title of a user's rule).
        is_known: False for a `DataSet` that no rule covers.
    """

    type_name: str
    qualified_name: str
    name: str
    rule: str
    is_known: bool = True


def unknown(qualified_name: str, *, name: str, rule: str) -> Asset:
    """Return a `DataSet`; `rule` states the reason briefly."""
    return Asset(type_name=UNKNOWN_TYPE, qualified_name=qualified_name, name=name, rule=rule, is_known=False)


_PRIVATE = "privatelink"
"""Label added by a private endpoint; the server is the same."""


def plain_host(host: str) -> str:
    """Return the host in lower case without a trailing dot and the label of a private endpoint.

    >>> plain_host("Sales.privatelink.database.windows.net.")
    'sales.database.windows.net'
    """
    labels = host.strip().lower().rstrip(".").split(".")
    return ".".join(label for label in labels if label != _PRIVATE)


def labels_before(host: str, suffixes: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of a host before the first matching suffix; empty if no suffix matches.

    >>> labels_before("mi.a1b2.database.windows.net", ("database.windows.net",))
    ('mi', 'a1b2')
    """
    suffix = next((known for known in suffixes if host.endswith(f".{known}")), None)
    return () if suffix is None else tuple(host.removesuffix(f".{suffix}").split("."))


def authority(host: str, port: int | None = None) -> str:
    """Return host and port as in a URL.

    >>> authority("db1", 5432), authority("::1", 5432), authority("db1")
    ('db1:5432', '[::1]:5432', 'db1')
    """
    address = f"[{host}]" if ":" in host else host
    return f"{address}:{port}" if port else address


_ESCAPE = re.compile(r"%(?=[0-9A-Fa-f]{2})|/")
_ESCAPES = {"%": "%25", "/": "%2F"}


def segment(text: str) -> str:
    """Encode the slashes of a name, and percent signs that look like an encoding, as in URLs.

    >>> segment("tablename.will.mark"), segment("in/out"), segment("in%2Fout")
    ('tablename.will.mark', 'in%2Fout', 'in%252Fout')
    """
    return _ESCAPE.sub(lambda found: _ESCAPES[found[0]], text)


def join(*parts: str) -> str:
    """Join the encoded names by slashes."""
    return "/".join(map(segment, parts))


def join_by_dots(*parts: str) -> str:
    """Join names by dots; names that contain a dot are enclosed in backquotes, as in Spark.

    >>> join_by_dots("sales", "orders"), join_by_dots("sales", "orders.v2")
    ('sales.orders', 'sales.`orders.v2`')
    """
    return ".".join(map(quote, parts))
