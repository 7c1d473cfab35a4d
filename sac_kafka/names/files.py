"""Create datasets for files: one per root, for any format.

A glob, a year of directories, or thousands of files are one dataset: many paths are rarely read as separate datasets, and their
names change from run to run. So if a directory contains more than MAX_ROOTS roots, the directory itself is the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sac_kafka.model import Column, PathDataset
from sac_kafka.names.paths import Patterns, root, split, within_base, without_end

MAX_ROOTS = 20
"""Maximum number of separate roots in or below one directory."""

_MIN_SEGMENTS = {"ofs:": 3}
"""Minimum number of segments of a directory that replaces its content, by scheme: `ofs` begins with volume and bucket."""


def roots(locations: Iterable[str], patterns: Patterns = ()) -> Mapping[str, Sequence[str]]:
    """Return the concrete paths by the root of their dataset (`paths.root`), at most MAX_ROOTS per directory.

    >>> list(roots(f"file:/in/{name}.csv" for name in ("a", "b")))
    ['file:/in/a.csv', 'file:/in/b.csv']
    >>> list(roots(f"file:/in/part_{n}.csv" for n in range(100)))
    ['file:/in']
    """
    found: dict[str, list[str]] = {}
    for location in locations:
        found.setdefault(root(location, patterns), []).append(location)
    return found if len(found) <= MAX_ROOTS else _merged_upwards(found, patterns)


def _merged_upwards(by_root: Mapping[str, list[str]], patterns: Patterns) -> Mapping[str, Sequence[str]]:
    """Replace roots by their parent directory wherever that contains too many, from the deepest level up."""
    by_depth: dict[int, dict[tuple[str, ...], list[tuple[str, ...]]]] = {}
    members: dict[tuple[str, ...], list[str]] = {}
    for found, locations in by_root.items():
        place = _split_path(found)
        members[place] = locations
        by_depth.setdefault(len(place) - 1, {}).setdefault(place[:-1], []).append(place)
    for depth in range(max(by_depth), 2, -1):
        for directory, places in by_depth.pop(depth, {}).items():
            kept = places
            if len(places) > MAX_ROOTS and len(directory) - 2 >= _MIN_SEGMENTS.get(directory[0].lower(), 1):
                kept = [(*directory[:2], *without_end(list(directory[2:]), patterns))]
                gathered = [location for place in places for location in members.pop(place, [])]
                members.setdefault(kept[0], []).extend(gathered)
            by_depth.setdefault(depth - 1, {}).setdefault(directory[:-1], []).extend(kept)
    return {f"{place[0]}{place[1]}/{'/'.join(place[2:])}": locations for place, locations in members.items()}


def _split_path(path: str) -> tuple[str, ...]:
    scheme, authority, segments = split(path)
    return (scheme, authority, *segments)


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
        path: tuple(location for member in members for location in concrete[member])
        for path, members in roots(concrete, patterns).items()
    }


def format_name(file_format: str) -> str:
    """Return the short name of a format (`parquet`), or one derived from its class: `org.x.FooFileFormat` → `foo`."""
    return file_format.rpartition(".")[2].removesuffix("FileFormat").lower() or file_format
