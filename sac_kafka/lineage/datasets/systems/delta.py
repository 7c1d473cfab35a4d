"""Delta Lake: directories and tables as they are or were, and what changed in them."""

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

_OF_CHANGES = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})
"""What the change data feed says of each row: no columns of the table."""


@relation_reading.register
def _(found: TahoeFileIndex, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    is_asked_for = isinstance(found, TahoeLogFileIndex) and found.is_time_travel and found.version >= 0
    version = f"version {found.version}" if is_asked_for and isinstance(found, TahoeLogFileIndex) else None
    return Reading(datasets=paths((found.path,), FORMAT, of, patterns), version=version)


@relation_reading.register
def _(found: DeltaChangesRelation, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    first, last = found.from_version, found.to_version
    parts = ("changes", first is not None and f"from version {first}", last is not None and f"to version {last}")
    shown = tuple(c for c in of if c.name not in _OF_CHANGES)
    return Reading(
        datasets=paths((found.path,), FORMAT, shown, patterns),
        version=" ".join(part for part in parts if part),
        hidden=_OF_CHANGES,
    )


@relation_reading.register
def _(found: CloneSource, of: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    location = found.name.partition("`")[2].rstrip("`")
    return Reading(datasets=paths((location,), found.format, of, patterns)) if location else None


@relation_reading.register
def _(found: CloneDeltaSource, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    version = None if found.asked_for is None else f"version {found.version}"
    return Reading(datasets=paths((found.path,), FORMAT, of, patterns), version=version)
