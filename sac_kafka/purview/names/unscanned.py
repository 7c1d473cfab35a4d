"""Name paths that Purview does not scan: a `DataSet` named by the location.

The types `hdfs_path` and `fs_path` are not used: no scan creates them, and Purview drops messages without their required
attribute `path`. `DataSet` is built into every account and has no required attributes.
"""

from __future__ import annotations

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.location import DataLocation
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.naming_context import NamingContext

_WORLDWIDE = frozenset(
    {"gs", "oss", "obs", "cosn", "http", "https", "ftp", "sftp", "s3", "s3a", "s3n", "abfs", "abfss"}
)
"""Schemes with globally unique names, which need no namespace."""


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
    """Return the host with the container before it (`container@host`); user information with a password is removed."""
    before = location.authority.rpartition("@")[0]
    return f"{before}@{location.host}" if before and ":" not in before else location.host
