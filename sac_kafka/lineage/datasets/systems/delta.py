"""Identify reads of Delta Lake: current and past versions of tables and directories, and change data feeds."""

from __future__ import annotations

from sac_kafka.lineage.datasets.files import Patterns, paths
from sac_kafka.lineage.datasets.leaves import relation_reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.model import Column
from sac_kafka.plan.systems.delta import (
    CloneDeltaSource,
    CloneSource,
    DeltaChangesRelation,
    TahoeFileIndex,
    TahoeLogFileIndex,
)

FORMAT = "delta"

_CHANGE_COLUMNS = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})
"""Columns that the change data feed adds: they are not columns of the table."""


@relation_reading.register
def _(found: TahoeFileIndex, columns: tuple[Column, ...], patterns: Patterns) -> Reading:
    is_requested = isinstance(found, TahoeLogFileIndex) and found.is_time_travel and found.version >= 0
    version = f"version {found.version}" if is_requested and isinstance(found, TahoeLogFileIndex) else None
    return Reading(datasets=paths((found.path,), FORMAT, columns, patterns), version=version)


@relation_reading.register
def _(found: DeltaChangesRelation, columns: tuple[Column, ...], patterns: Patterns) -> Reading:
    first, last = found.from_version, found.to_version
    parts = ("changes", first is not None and f"from version {first}", last is not None and f"to version {last}")
    own = tuple(c for c in columns if c.name not in _CHANGE_COLUMNS)
    return Reading(
        datasets=paths((found.path,), FORMAT, own, patterns),
        version=" ".join(part for part in parts if part),
        hidden=_CHANGE_COLUMNS,
    )


@relation_reading.register
def _(found: CloneSource, columns: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    location = found.name.partition("`")[2].rstrip("`")
    return Reading(datasets=paths((location,), found.format, columns, patterns)) if location else None


@relation_reading.register
def _(found: CloneDeltaSource, columns: tuple[Column, ...], patterns: Patterns) -> Reading:
    version = None if found.asked_for is None else f"version {found.version}"
    return Reading(datasets=paths((found.path,), FORMAT, columns, patterns), version=version)
