"""Resolve mounts of DBFS (`dbfs:/mnt/raw`) by the workspace's mount table."""

from __future__ import annotations

import dataclasses

from sac_kafka.purview.names.location import DataLocation, located
from sac_kafka.purview.naming_context import NamingContext


def behind_mount(location: DataLocation, naming_context: NamingContext) -> DataLocation | None:
    """Return the location behind the longest mount point above a DBFS path; None if it is not below a mount.

    If a sub-directory of a container is mounted, it precedes the rest of the path.
    """
    best: tuple[int, str] | None = None
    for point, source in naming_context.mounts:
        folders = located(point).segments
        is_above = folders == location.segments[: len(folders)]
        if folders and is_above and "://" in source and (best is None or len(folders) > best[0]):
            best = len(folders), source
    if best is None:
        return None
    behind = located(best[1])
    return dataclasses.replace(behind, segments=(*behind.segments, *location.segments[best[0] :]))
