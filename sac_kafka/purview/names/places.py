"""Determine the places of a dataset as seen by a scan: paths that differ between runs only in parts replaced by scans.

A `PathDataset` has a root (`path`), in which what changes is cut off or stands as `{date}`, and the paths of this run
(`locations`). Purview knows neither roots nor runs: it knows files, and patterns in their paths. So a name is made of this
run's paths, laid beside the root: what changes must be something that Purview replaces. Where it is not, the root speaks.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from dataclasses import dataclass

from sac_kafka.config.choices import PartitionFolders
from sac_kafka.lineage.model import PathDataset
from sac_kafka.purview.names.containers import ContainedKind
from sac_kafka.purview.names.data_files import is_data_file
from sac_kafka.purview.names.location import DataLocation, is_placeholder, located, located_root, translated
from sac_kafka.purview.normalisation import encoded_brackets
from sac_kafka.purview.resource_sets import replaced

LAKE_FORMATS = frozenset({"delta", "iceberg", "hudi"})
"""Formats whose directories are one thing, whatever folders of partitions are in them."""
_WITHIN = re.compile(r"[^=/?]+=.*|part-[0-9]+.*|_temporary|_delta_log|_spark_metadata|_SUCCESS|.*[*].*", re.DOTALL)
"""The first segment of what is within a directory of Spark's: a partition, a part file; and a glob, which stands for some."""
_PARTITION = re.compile(r"([^=/?]+)=(.*)", re.DOTALL)
_PATTERN = re.compile(r"\{[A-Za-z]+\}")
_DIGIT = re.compile(r"[0-9]")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_TWO_DIGITS = re.compile(r"[0-9]{2}")


@dataclass(frozen=True, slots=True)
class DataPlace:
    """A location and its kind.

    `partitions` are the columns whose folders lie between a directory of Spark's and its files; `day=` is one without a value.
    """

    location: DataLocation
    kind: ContainedKind
    partitions: tuple[str, ...] = ()


def partition_folders(place: DataPlace, form: PartitionFolders) -> tuple[str, ...]:
    """Return what the folders of partitions are in a name.

    Scans replace the value of a partition and the column before it; a folder without a value stays as it is.
    """
    if form is PartitionFolders.NONE:
        return ()
    shown = "{{{0}}}" if form is PartitionFolders.COLUMN else "{0}={{{0}}}"
    names = map(encoded_brackets, place.partitions)
    return tuple(each if each.endswith("=") else shown.format(each) for each in names)


def places(
    dataset: PathDataset, *, is_output: bool, switched_off: frozenset[str] = frozenset()
) -> tuple[DataPlace, ...]:
    """Return the places of this run that a scan could name differently, in a deterministic order.

    Where files that have nothing in common are one dataset, it is the folder that they are in. `switched_off` are Purview's
    replacers that an account does without.
    """
    root = located_root(dataset.path)
    is_directory = is_output or dataset.format in LAKE_FORMATS
    partitions = None if dataset.format in LAKE_FORMATS else dataset.partitions
    found: dict[tuple[str, ...], _RelativePlace] = {}
    for each in sorted(set(dataset.known_locations)):
        relative = _relative_place(
            located(each), root, is_directory=is_directory, switched_off=switched_off, partitions=partitions
        )
        found.setdefault(relative.names, relative)
    if not found:
        return (_without_locations(root, partitions or (), is_directory=is_directory),)
    if len(found) > 1 and any(
        each.is_below and each.place.kind is not ContainedKind.SPARK_DIRECTORY for each in found.values()
    ):
        return (DataPlace(steady(root), ContainedKind.FOLDER),)
    return tuple(found[names].place for names in sorted(found, key=lambda names: (len(names), names)))


def place_of(uri: str, *, is_output: bool, partitions: tuple[str, ...] = ()) -> DataPlace:
    """Return what is at a location by itself, as of a table with these partition columns."""
    location = located(uri)
    return _relative_place(location, location, is_directory=is_output, partitions=partitions).place


def steady(root: DataLocation) -> DataLocation:
    """Return the part of a root before its first placeholder: a folder common to all runs."""
    changes = next((i for i, each in enumerate(root.segments) if is_placeholder(each)), len(root.segments))
    return dataclasses.replace(root, segments=root.segments[:changes])


@dataclass(frozen=True, slots=True, kw_only=True)
class _RelativePlace:
    """A place relative to the root of its dataset; `names` are its segments after a scan's replacements.

    `is_below`: the path goes on below the root with what does not belong to a run.
    """

    place: DataPlace
    names: tuple[str, ...]
    is_below: bool = False


def _relative_place(
    location: DataLocation,
    root: DataLocation,
    *,
    is_directory: bool,
    switched_off: frozenset[str] = frozenset(),
    partitions: tuple[str, ...] | None = (),
) -> _RelativePlace:
    """Compare a location with the root; `partitions` are those known to Spark, None if their folders do not matter."""
    within = next((i for i, each in enumerate(location.segments) if _WITHIN.fullmatch(each)), None)
    if within is not None and not is_directory:
        of_others = _in_partitions(location, within, switched_off)
        if of_others is not None:
            return of_others
    segments = location.segments[:within]
    is_file = within is None and not is_directory and bool(segments) and is_data_file(segments[-1])
    names = replaced(segments, has_file=is_file, switched_off=switched_off)
    laid = _laid(segments, names, root.segments) if _is_same_store(location, root) else _Laid(list(segments))
    if laid.is_cut:
        kind = ContainedKind.FOLDER
    elif is_file:
        kind = ContainedKind.FILE
    else:
        has_glob = within is not None and "*" in location.segments[within]
        kind = ContainedKind.FOLDER if has_glob else ContainedKind.SPARK_DIRECTORY
    kept = tuple(laid.segments)
    return _RelativePlace(
        place=DataPlace(
            dataclasses.replace(location, segments=kept),
            kind,
            () if partitions is None else _partitions(location.segments[len(segments) :], partitions),
        ),
        names=replaced(kept, has_file=kind is ContainedKind.FILE, switched_off=switched_off),
        is_below=laid.is_below,
    )


def _partitions(within: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the partition columns of the folders in a directory, then those that Spark knows beside them.

    >>> _partitions(("year=2026", "country=", "part-00000"), ("Year", "month"))
    ('year', 'country=', 'month')
    """
    matched = itertools.takewhile(bool, map(_PARTITION.fullmatch, within))
    of_path = [m[1] if m[2] else m[0] for m in matched if m]
    names = {each.rstrip("=").lower() for each in of_path}
    return (*of_path, *(each for each in known if each.lower() not in names))


def _in_partitions(location: DataLocation, within: int, switched_off: frozenset[str]) -> _RelativePlace | None:
    """Return the place of a file in partitions that Spark has not named; None for others."""
    *partitions, file = location.segments[within:]
    names = replaced(location.segments, has_file=True, switched_off=switched_off)
    is_one = bool(partitions) and is_data_file(file) and not _WITHIN.fullmatch(file)
    if not is_one or not all(_PARTITION.fullmatch(each) and _is_steady(each, "") for each in names[within:-1]):
        return None
    return _RelativePlace(place=DataPlace(location, ContainedKind.FILE), names=names, is_below=True)


@dataclass(slots=True)
class _Laid:
    """Segments that stay the same between runs except for a scan's replacements; `is_cut` if others were removed."""

    segments: list[str]
    is_cut: bool = False
    is_below: bool = False


def _laid(segments: tuple[str, ...], names: tuple[str, ...], root: tuple[str, ...]) -> _Laid:
    """Compare the segments with those of the root; changing parts must be replaceable by a scan."""
    laid = _Laid([])
    at = 0
    for i, segment in enumerate(segments):
        meant = root[at] if at < len(root) else None
        if meant == segment:
            laid.segments.append(segment)
            at += 1
        elif meant is not None and is_placeholder(meant):
            laid.segments.append(segment if _is_steady(names[i], meant) else translated(meant))
            # Year, month and day are three folders, and one placeholder; hours below them have none.
            at += not _goes_on(segments, i)
        elif _is_steady(names[i], ""):
            laid.segments.append(segment)
            laid.is_below |= meant is None and is_data_file(segment)
        elif meant is None:
            return _Laid(laid.segments, is_cut=True, is_below=True)
        else:  # another path than the root's: an alias that only one of them has
            return _Laid(list(segments))
    return laid


def _goes_on(segments: tuple[str, ...], i: int) -> bool:
    """Return True if a date continues in the next folder."""
    is_begun = _YEAR.fullmatch(segments[i]) or (
        _TWO_DIGITS.fullmatch(segments[i]) and i > 0 and _YEAR.fullmatch(segments[i - 1])
    )
    return bool(is_begun) and i + 1 < len(segments) and _TWO_DIGITS.fullmatch(segments[i + 1]) is not None


def _is_steady(name: str, meant: str) -> bool:
    """Return True if a scan replaces all that changes, so that the remaining digits also occur in the root."""
    own = _DIGIT.findall(_PATTERN.sub("", name))
    return "{" in name and len(own) <= len(_DIGIT.findall(meant))


def _without_locations(root: DataLocation, partitions: tuple[str, ...], *, is_directory: bool) -> DataPlace:
    segments = tuple(translated(each) for each in root.segments)
    is_file = not is_directory and bool(segments) and is_data_file(segments[-1])
    return DataPlace(
        dataclasses.replace(root, segments=segments),
        ContainedKind.FILE if is_file else ContainedKind.SPARK_DIRECTORY,
        partitions,
    )


def _is_same_store(location: DataLocation, root: DataLocation) -> bool:
    return (location.scheme, location.authority) == (root.scheme, root.authority)
