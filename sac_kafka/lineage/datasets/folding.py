"""The roots of many paths at once: a glob, a year of directories, thousands of files are one data set.

Nobody reads so many paths as so many datasets, and their names change from run to run: more than a few that no date or
partition tells apart are the directory that they are in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sac_kafka.lineage.datasets.paths import Patterns, folded_name, in_directory, root, split, without_end

MAX_ROOTS = 20
"""So many data sets in one directory, or below it, are told apart."""

_MAX_FILES = 1_000
"""Of more than so many data sets no files are told apart, only directories."""
_LEAST_SEGMENTS = {"ofs:": 3}
"""How many segments a directory has at least that stands for what is in it, by scheme: `ofs` has a volume and a bucket there."""


def roots(locations: Iterable[str], patterns: Patterns = ()) -> Mapping[str, Sequence[str]]:
    """The concrete paths by the root of their data set (`paths.root`), those of more than a few together.

    >>> list(roots(f"file:/in/{name}.csv" for name in ("a", "b")))
    ['file:/in/a.csv', 'file:/in/b.csv']
    >>> list(roots(f"file:/in/part_{n}.csv" for n in range(100)))
    ['file:/in']
    """
    by_directory: dict[str, list[str]] = {}
    for location in locations:
        by_directory.setdefault(location.rpartition("/")[0], []).append(location)
    found = _found(by_directory, patterns, most=_MAX_FILES)
    if found is None:
        found = _found(by_directory, patterns, most=0) or {}
    return found if len(found) <= MAX_ROOTS else _gathered(found, patterns)


def _found(by_directory: Mapping[str, list[str]], patterns: Patterns, *, most: int) -> dict[str, list[str]] | None:
    """The paths by root; with `most` 0 a directory has one; None where there are more than `most`."""
    by_root: dict[str, list[str]] = {}
    for directory, there in by_directory.items():
        for found, locations in _in_directory(directory, there, patterns, is_one=not most).items():
            by_root.setdefault(found, []).extend(locations)
        if most and len(by_root) > most:
            return None
    return by_root


def _in_directory(directory: str, locations: list[str], patterns: Patterns, *, is_one: bool) -> dict[str, list[str]]:
    """The paths of one directory by root: its own where that is a part of a data set, or where there are more than a few."""
    begins = in_directory(directory, patterns)
    if begins == "":
        return {root(directory, patterns): locations}
    if begins is None:
        return _by_root((root(location, patterns), location) for location in locations)
    own = _named(_place(begins), patterns)
    by_root: dict[str, list[str]] = {}
    for location in locations:
        last = folded_name(location.rpartition("/")[2], patterns)
        whole = _path(own) if last == "" else f"{begins}/{last}"
        by_root.setdefault(root(location, patterns) if last is None else whole, []).append(location)
        if (is_one or len(by_root) > MAX_ROOTS) and _stands_for_all(own):
            return {_path(own): locations}
    return by_root


def _by_root(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_root: dict[str, list[str]] = {}
    for path, location in found:
        by_root.setdefault(path, []).append(location)
    return by_root


def _stands_for_all(place: tuple[str, ...]) -> bool:
    return len(place) - 2 >= _LEAST_SEGMENTS.get(place[0].lower(), 1)


def _gathered(by_root: Mapping[str, list[str]], patterns: Patterns) -> Mapping[str, Sequence[str]]:
    """Roots by the directories above them, wherever there are more than a few: from the deepest up."""
    below: dict[int, dict[tuple[str, ...], list[tuple[str, ...]]]] = {}
    members: dict[tuple[str, ...], list[str]] = {}
    for found, locations in by_root.items():
        place = _place(found)
        members[place] = locations
        below.setdefault(len(place) - 1, {}).setdefault(place[:-1], []).append(place)
    for depth in range(max(below), 2, -1):
        for directory, places in below.pop(depth, {}).items():
            kept = places
            if len(places) > MAX_ROOTS and _stands_for_all(directory):
                kept = [_named(directory, patterns)]
                gathered = [location for place in places for location in members.pop(place, [])]
                members.setdefault(kept[0], []).extend(gathered)
            below.setdefault(depth - 1, {}).setdefault(directory[:-1], []).extend(kept)
    return {_path(place): locations for place, locations in members.items()}


def _place(path: str) -> tuple[str, ...]:
    scheme, authority, segments = split(path)
    return (scheme, authority, *segments)


def _path(place: tuple[str, ...]) -> str:
    return f"{place[0]}{place[1]}/{'/'.join(place[2:])}"


def _named(directory: tuple[str, ...], patterns: Patterns) -> tuple[str, ...]:
    """Return a directory as a root: without the partitions and dates at its end."""
    return (*directory[:2], *without_end(list(directory[2:]), patterns))
