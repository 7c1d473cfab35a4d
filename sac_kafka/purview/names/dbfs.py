"""Name paths of DBFS, the file system of a Databricks workspace: mounts, managed tables, volumes and its root."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sac_kafka.purview.asset import Asset, plain_host, unknown
from sac_kafka.purview.names.location import DataLocation, parse_location
from sac_kafka.purview.names.metastores import hive_table
from sac_kafka.purview.naming_context import NamingContext

IN_DBFS = "DBFS"
"""The rule of a path that is in no known mount."""


def behind_mount(location: DataLocation, naming_context: NamingContext) -> DataLocation | None:
    """Return the location behind the longest mount point above a DBFS path; None if it is not below a mount.

    If a sub-directory of a container is mounted, it precedes the rest of the path.
    """
    best: tuple[int, str] | None = None
    for point, source in naming_context.mounts:
        folders = parse_location(point).segments
        is_above = folders == location.segments[: len(folders)]
        if folders and is_above and "://" in source and (best is None or len(folders) > best[0]):
            best = len(folders), source
    if best is None:
        return None
    behind = parse_location(best[1])
    return dataclasses.replace(behind, segments=(*behind.segments, *location.segments[best[0] :]))


_FUSE = "dbfs"
_VOLUMES = "Volumes"
_WAREHOUSE = ("user", "hive", "warehouse")
_DATABASE_SUFFIX = ".db"
_DEFAULT_DATABASE = "default"


def in_dbfs(location: DataLocation) -> DataLocation | None:
    """Return the DBFS path of `dbfs:/…`, or of the driver's local `/dbfs/…`, `/Volumes/…` and `/mnt/…`; else None."""
    if location.authority:
        return None
    first = location.segments[:1]
    if location.scheme == _FUSE:
        # dbfs:/dbfs/… results from a scheme added to the local path.
        return location if first != (_FUSE,) else _dbfs(location.segments[1:])
    if location.scheme in {"", "file"} and first == (_FUSE,):
        return _dbfs(location.segments[1:])
    if location.scheme in {"", "file"} and first == (_VOLUMES,):
        return _dbfs(location.segments)
    if not location.scheme and first == ("mnt",):
        return _dbfs(location.segments)
    return None


def managed_table(location: DataLocation, naming_context: NamingContext) -> Asset | None:
    """Return the Hive metastore table at `dbfs:/user/hive/warehouse/db.db/t`; None for other paths."""
    below = location.segments[len(_WAREHOUSE) :]
    if location.segments[: len(_WAREHOUSE)] != _WAREHOUSE or not below or not naming_context.workspace_host:
        return None
    names = _table(below)
    if names is None:
        return None
    return hive_table(*names, plain_host(naming_context.workspace_host), rule="Databricks Hive metastore")


def dbfs(location: DataLocation, naming_context: NamingContext) -> Asset:
    """Return the asset of an unscanned DBFS path: a `DataSet` with the workspace, or else the namespace, in its name."""
    is_volume = location.segments[:1] == (_VOLUMES,)
    return unknown(
        f"dbfs:/{'/'.join(location.segments)}@{plain_host(naming_context.workspace_host) or naming_context.namespace}",
        name=location.segments[-1] if location.segments else "/",
        rule="Unity Catalog volume" if is_volume else IN_DBFS,
    )


def _dbfs(segments: Sequence[str]) -> DataLocation:
    return DataLocation(scheme=_FUSE, authority="", segments=tuple(segments))


def _table(below: Sequence[str]) -> tuple[str, str] | None:
    if below[0].endswith(_DATABASE_SUFFIX):
        return (below[0].removesuffix(_DATABASE_SUFFIX), below[1]) if len(below) == 2 else None
    return (_DEFAULT_DATABASE, below[0]) if len(below) == 1 else None
