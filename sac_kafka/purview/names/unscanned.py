"""Paths that no scan of Purview makes an asset of: a `DataSet` by the location itself.

`hdfs_path` and `fs_path` are in Purview's base model, but no scan makes them, and both demand an attribute, `path`, without
which a message is dropped: every account has `DataSet`, and it demands nothing.
"""

from __future__ import annotations

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.location import DataLocation
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.naming_context import NamingContext

_WORLDWIDE = frozenset(
    {"gs", "oss", "obs", "cosn", "http", "https", "ftp", "sftp", "s3", "s3a", "s3n", "abfs", "abfss"}
)
"""Schemes under which a name means the same everywhere: it needs no namespace."""


def unscanned(location: DataLocation, naming_context: NamingContext) -> Asset:
    """Return the asset of a location, without user information; local locations include the namespace."""
    scheme = location.scheme or "file"
    host = f"//{_authority(location)}" if location.authority else ""
    path = f"{scheme}:{host}/{'/'.join(location.segments)}"
    is_worldwide = scheme in _WORLDWIDE and location.authority
    return unknown(
        path if is_worldwide else f"{path}@{naming_context.namespace}",
        name=location.segments[-1] if location.segments else location.host or "/",
        rule=f"{scheme}: is not scanned",
    )


def _authority(location: DataLocation) -> str:
    """The host; of names before it (`container@host`) those that hold no password."""
    before = location.authority.rpartition("@")[0]
    return f"{before}@{location.host}" if before and ":" not in before else location.host
