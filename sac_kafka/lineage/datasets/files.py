"""Files as datasets: one a root, whatever the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sac_kafka.lineage.datasets.folding import roots
from sac_kafka.lineage.datasets.paths import Patterns, within_base
from sac_kafka.lineage.model import Column, PathDataset

__all__ = ["MAX_LOCATIONS", "BasePath", "Patterns", "format_name", "paths"]

MAX_LOCATIONS = 1_000
"""Concrete paths of a dataset that are kept: the first ones, as Spark has them."""


@dataclass(frozen=True, slots=True)
class BasePath:
    """A reader's base path, below which Spark looks for partitions, and the partition columns that it found there."""

    path: str
    partitions: tuple[str, ...]


def paths(
    locations: Sequence[str], file_format: str, of: tuple[Column, ...], patterns: Patterns, base: BasePath | None = None
) -> tuple[PathDataset, ...]:
    """One dataset a root: a glob or a list of dated directories is usually one."""
    found = roots(locations, patterns) if base is None else _below_base(locations, base, patterns)
    return tuple(
        PathDataset(path=path, format=format_name(file_format), columns=of, locations=tuple(there[:MAX_LOCATIONS]))
        for path, there in found.items()
    )


def _below_base(locations: Sequence[str], base: BasePath, patterns: Patterns) -> Mapping[str, Sequence[str]]:
    """Return the concrete paths by root, each without the partitions that Spark finds in it."""
    concrete: dict[str, list[str]] = {}
    for location in locations:
        concrete.setdefault(within_base(location, base.path, base.partitions), []).append(location)
    return {
        path: tuple(location for each in there for location in concrete[each])
        for path, there in roots(concrete, patterns).items()
    }


def format_name(file_format: str) -> str:
    """`parquet`; of the class of a format without a short name its simple name, `org.x.FooFileFormat` → `foo`."""
    return file_format.rpartition(".")[2].removesuffix("FileFormat").lower() or file_format
