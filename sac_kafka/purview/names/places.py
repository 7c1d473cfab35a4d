"""Determine the places of a dataset as seen by a scan: paths that differ between runs only in parts replaced by scans.

A `PathDataset` has a root (`path`), whose variable parts are cut off or are placeholders (`{date}`), and the paths of this run
(`locations`). Purview knows only files and the patterns of their paths. So the name is derived from the paths of this run,
compared with the root: parts that vary between runs must be replaced by Purview's patterns. Otherwise the root is used.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from dataclasses import dataclass

from sac_kafka.model import PathDataset
from sac_kafka.purview.names.containers import ContainedKind, is_data_file
from sac_kafka.purview.names.location import DataLocation, is_placeholder, located_root, parse_location, translate
from sac_kafka.purview.normalisation import encoded_brackets
from sac_kafka.purview.resource_sets import replace_patterns
from sac_kafka.settings.declarations.choices import PartitionFolders

LAKE_FORMATS = frozenset({"delta", "iceberg", "hudi"})
"""Table formats, whose directories are one dataset regardless of partition folders."""
_WITHIN = re.compile(r"[^=/?]+=.*|part-[0-9]+.*|_temporary|_delta_log|_spark_metadata|_SUCCESS|.*[*].*", re.DOTALL)
"""First segment within a directory written by Spark: a partition, a part file, metadata, or a glob."""
_PARTITION = re.compile(r"([^=/?]+)=(.*)", re.DOTALL)
_PATTERN = re.compile(r"\{[A-Za-z]+\}")
_DIGIT = re.compile(r"[0-9]")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_TWO_DIGITS = re.compile(r"[0-9]{2}")


@dataclass(frozen=True, slots=True)
class DataPlace:
    """A location and its kind.

    `partitions` are the columns of the partition folders in a directory written by Spark; `day=` is a folder without a value.
    """

    location: DataLocation
    kind: ContainedKind
    partitions: tuple[str, ...] = ()


def partition_folders(place: DataPlace, form: PartitionFolders) -> tuple[str, ...]:
    """Return the partition folders as they appear in a name; a folder without a value is unchanged."""
    if form is PartitionFolders.NONE:
        return ()
    template = "{{{0}}}" if form is PartitionFolders.COLUMN else "{0}={{{0}}}"
    names = map(encoded_brackets, place.partitions)
    return tuple(name if name.endswith("=") else template.format(name) for name in names)


def places(dataset: PathDataset, *, is_output: bool) -> tuple[DataPlace, ...]:
    """Return the places of this run that a scan could name differently, in a deterministic order.

    If a dataset consists of unrelated files, its place is their common folder.
    """
    root = located_root(dataset.path)
    is_directory = is_output or dataset.format in LAKE_FORMATS
    partitions = None if dataset.format in LAKE_FORMATS else dataset.partitions
    found: dict[tuple[str, ...], _RelativePlace] = {}
    for location in sorted(set(dataset.known_locations)):
        relative = _relative_place(parse_location(location), root, is_directory=is_directory, partitions=partitions)
        found.setdefault(relative.names, relative)
    if not found:
        return (_without_locations(root, partitions or (), is_directory=is_directory),)
    if len(found) > 1 and any(
        each.is_below and each.place.kind is not ContainedKind.SPARK_DIRECTORY for each in found.values()
    ):
        return (DataPlace(fixed_part(root), ContainedKind.FOLDER),)
    return tuple(found[names].place for names in sorted(found, key=lambda names: (len(names), names)))


def place_of(uri: str, *, is_output: bool, partitions: tuple[str, ...] = ()) -> DataPlace:
    """Return the place of a location without a root, such as that of a table with these partition columns."""
    location = parse_location(uri)
    return _relative_place(location, location, is_directory=is_output, partitions=partitions).place


def fixed_part(root: DataLocation) -> DataLocation:
    """Return the part of a root before its first placeholder: a folder common to all runs."""
    end = next((i for i, each in enumerate(root.segments) if is_placeholder(each)), len(root.segments))
    return dataclasses.replace(root, segments=root.segments[:end])


@dataclass(frozen=True, slots=True, kw_only=True)
class _RelativePlace:
    """A place relative to the root of its dataset; `names` are its segments after a scan's replacements.

    `is_below` is True if the path continues below the root with segments that are the same in every run.
    """

    place: DataPlace
    names: tuple[str, ...]
    is_below: bool = False


def _relative_place(
    location: DataLocation,
    root: DataLocation,
    *,
    is_directory: bool,
    partitions: tuple[str, ...] | None = (),
) -> _RelativePlace:
    """Compare a location with the root; `partitions` are the columns known to Spark, None to ignore partition folders."""
    within = next((i for i, each in enumerate(location.segments) if _WITHIN.fullmatch(each)), None)
    if within is not None and not is_directory:
        partitioned_file = _in_partitions(location, within)
        if partitioned_file is not None:
            return partitioned_file
    segments = location.segments[:within]
    is_file = within is None and not is_directory and bool(segments) and is_data_file(segments[-1])
    names = replace_patterns(segments, has_file=is_file)
    kept, is_cut, is_below = list(segments), False, False
    if (location.scheme, location.authority) == (root.scheme, root.authority):
        kept, is_cut, is_below = _compare(segments, names, root.segments)
    has_glob = within is not None and "*" in location.segments[within]
    kind = (
        ContainedKind.FOLDER if is_cut or has_glob else ContainedKind.FILE if is_file else ContainedKind.SPARK_DIRECTORY
    )
    return _RelativePlace(
        place=DataPlace(
            dataclasses.replace(location, segments=tuple(kept)),
            kind,
            () if partitions is None else _partitions(location.segments[len(segments) :], partitions),
        ),
        names=replace_patterns(tuple(kept), has_file=kind is ContainedKind.FILE),
        is_below=is_below,
    )


def _partitions(within: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the partition columns of the folders in a directory, then further ones known to Spark.

    >>> _partitions(("year=2026", "country=", "part-00000"), ("Year", "month"))
    ('year', 'country=', 'month')
    """
    matched = itertools.takewhile(bool, map(_PARTITION.fullmatch, within))
    of_path = [m[1] if m[2] else m[0] for m in matched if m]
    names = {each.rstrip("=").lower() for each in of_path}
    return (*of_path, *(each for each in known if each.lower() not in names))


def _in_partitions(location: DataLocation, within: int) -> _RelativePlace | None:
    """Return the place of a file with a custom name in replaceable partition folders; None for other paths."""
    *partitions, file = location.segments[within:]
    names = replace_patterns(location.segments, has_file=True)
    is_custom = bool(partitions) and is_data_file(file) and not _WITHIN.fullmatch(file)
    if not is_custom or not all(_PARTITION.fullmatch(name) and _is_replaced(name, "") for name in names[within:-1]):
        return None
    return _RelativePlace(place=DataPlace(location, ContainedKind.FILE), names=names, is_below=True)


def _compare(segments: tuple[str, ...], names: tuple[str, ...], root: tuple[str, ...]) -> tuple[list[str], bool, bool]:
    """Compare the segments with those of the root; a scan must replace the parts that vary between runs.

    Return those that are the same in every run after a scan's replacements, whether others were cut off, and whether the path
    continues below the root with segments that are the same in every run.
    """
    kept: list[str] = []
    at, is_below = 0, False
    for i, segment in enumerate(segments):
        expected = root[at] if at < len(root) else None
        if expected == segment:
            kept.append(segment)
            at += 1
        elif expected is not None and is_placeholder(expected):
            kept.append(segment if _is_replaced(names[i], expected) else translate(expected))
            # One placeholder covers the folders of year, month and day; hours below them have none.
            at += not _goes_on(segments, i)
        elif _is_replaced(names[i], ""):
            kept.append(segment)
            is_below |= expected is None and is_data_file(segment)
        elif expected is None:
            return kept, True, True
        else:  # a different path, for example because only one of the two uses an alias
            return list(segments), False, False
    return kept, False, is_below


def _goes_on(segments: tuple[str, ...], i: int) -> bool:
    """Return True if a date continues in the next folder."""
    is_begun = _YEAR.fullmatch(segments[i]) or (
        _TWO_DIGITS.fullmatch(segments[i]) and i > 0 and _YEAR.fullmatch(segments[i - 1])
    )
    return bool(is_begun) and i + 1 < len(segments) and _TWO_DIGITS.fullmatch(segments[i + 1]) is not None


def _is_replaced(name: str, expected: str) -> bool:
    """Return True if a scan replaces the variable parts, leaving no more digits than the root has."""
    own = _DIGIT.findall(_PATTERN.sub("", name))
    return "{" in name and len(own) <= len(_DIGIT.findall(expected))


def _without_locations(root: DataLocation, partitions: tuple[str, ...], *, is_directory: bool) -> DataPlace:
    segments = tuple(translate(segment) for segment in root.segments)
    is_file = not is_directory and bool(segments) and is_data_file(segments[-1])
    return DataPlace(
        dataclasses.replace(root, segments=segments),
        ContainedKind.FILE if is_file else ContainedKind.SPARK_DIRECTORY,
        partitions,
    )
