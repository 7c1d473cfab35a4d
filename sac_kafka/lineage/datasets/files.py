"""Create datasets for files: one per root, for any format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sac_kafka.lineage.datasets.folding import roots
from sac_kafka.lineage.datasets.paths import Patterns, within_base
from sac_kafka.lineage.model import Column, PathDataset

__all__ = ["MAX_LOCATIONS", "BasePath", "Patterns", "format_name", "paths"]

MAX_LOCATIONS = 1_000
"""Maximum number of concrete paths per dataset; the first ones are kept, in Spark's order."""


@dataclass(frozen=True, slots=True)
class BasePath:
    """A reader's base path (option `basePath`), and the partition columns that Spark found below it."""

    path: str
    partitions: tuple[str, ...]


def paths(
    locations: Sequence[str],
    file_format: str,
    columns: tuple[Column, ...],
    patterns: Patterns,
    base: BasePath | None = None,
) -> tuple[PathDataset, ...]:
    """Return one dataset per root; a glob or a list of dated directories usually has one root."""
    found = roots(locations, patterns) if base is None else _below_base(locations, base, patterns)
    return tuple(
        PathDataset(
            path=path, format=format_name(file_format), columns=columns, locations=tuple(members[:MAX_LOCATIONS])
        )
        for path, members in found.items()
    )


def _below_base(locations: Sequence[str], base: BasePath, patterns: Patterns) -> Mapping[str, Sequence[str]]:
    """Return the concrete paths by root, where a root excludes the partitions that Spark found below the base path."""
    concrete: dict[str, list[str]] = {}
    for location in locations:
        concrete.setdefault(within_base(location, base.path, base.partitions), []).append(location)
    return {
        path: tuple(location for each in members for location in concrete[each])
        for path, members in roots(concrete, patterns).items()
    }


def format_name(file_format: str) -> str:
    """Return the short name of a format (`parquet`), or one derived from its class: `org.x.FooFileFormat` → `foo`."""
    return file_format.rpartition(".")[2].removesuffix("FileFormat").lower() or file_format
