"""The root of a data set: the part of a path that stays the same from run to run.

Without it every day would be a dataset of its own and no lineage would join.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

_DATE = r"(?:19|20)\d{2}[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])"
_TIME = (
    r"(?:[T_-]|\s(?=\d{2}:\d{2}))?(?:[01]\d|2[0-3])[-_.:h]?(?:[0-5]\d)?[-_.:m]?(?:[0-5]\d)?(?:[.,]\d{1,9})?"
    r"(?:Z|[+-]\d{2}:?\d{2}|\s?[AP]M)?"
)
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_RUN = r"(?:app|application|attempt|job|local)[-_]\d{9,}(?:[-_]\d+)*"
_SHORTEST_RUN = r"(?:app|application|attempt|job|local)[-_]\d{9,}?(?:[-_]\d+?)*?"

STANDS_FOR: Mapping[str, str] = MappingProxyType(
    {"{date}": f"(?:{_DATE})(?:{_TIME})?", "{uuid}": f"(?:{_UUID}|[0-9a-fA-F]{{32}})", "{run}": f"(?:{_SHORTEST_RUN})"}
)
"""What a placeholder in a root stands for, as patterns; one that may be of any length is as short as what follows allows."""

_PARTITION = re.compile(r"[^=/?]+=[^/]*")
_PART_FILE = re.compile(r"part-\d.*|_temporary|_delta_log|_SUCCESS")
_OF_ITEMS = re.compile(r"(?i)//(?:[^@]*@)?(?:[a-z0-9-]+-)?onelake\.(?:dfs|blob)\.")
"""OneLake: the first folder is an item by its id, which is no run's."""
_YEAR = re.compile(r"(?:19|20)\d{2}")
_MONTH_OR_DAY = re.compile(r"0[1-9]|[12]\d|3[01]")
_HOUR_OR_MINUTE = re.compile(r"[0-5]\d")
_KEPT = 4096
"""Segments that are remembered: most paths of a data set have most of them."""
_QUERY = re.compile(r"\?[^/?=]*=.*", re.DOTALL)

_WHOLE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("{date}", re.compile(f"{_DATE}(?:{_TIME})?")),
    ("{date}", re.compile(r"(?:19|20)\d{2}[-_](?:0[1-9]|1[0-2])")),
    ("{uuid}", re.compile(f"{_UUID}|[0-9a-fA-F]{{32}}")),
    ("{run}", re.compile(f"{_RUN}|\\d{{10}}|\\d{{13}}")),
)
"""Segments that name a run, and what stands for them where they are not at the end of a path."""

_WITHIN: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("{uuid}", re.compile(_UUID)),
    ("{date}", re.compile(rf"(?<![0-9A-Za-z]){_DATE}(?:{_TIME})?(?![0-9A-Za-z])")),
    ("{run}", re.compile(rf"(?<![0-9A-Za-z]){_RUN}(?![0-9A-Za-z])")),
)
"""Parts of segments likewise: `orders_2026-11-21.csv`."""

_OF_A_RUN = re.compile(r"(?:19|20)\d{2}|[0-9a-fA-F]{8}|\d{9}")
"""What every one of these has."""

_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_IN_NAMES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(rf"(?<![0-9A-Za-z])(?:{pattern})(?![0-9A-Za-z])")
    for pattern in (
        rf"(?:(?:19|20)\d{{2}}/{_DAY}/{_DAY}|{_DAY}(?P<between>[./]){_DAY}(?P=between)(?:19|20)\d{{2}})(?:{_TIME})?",
        r"(?:spark-)?[0-9a-f]{32}",  # a UUID without hyphens, and what Spark calls an application on Kubernetes
        r"1[5-9]\d{8}(?:\d{3})?",  # seconds or milliseconds since 1970
    )
)
"""What names a run in a text that is no path."""


def root(path: str, patterns: Iterable[re.Pattern[str]] = ()) -> str:
    """The root of the data set at `path`.

    Everything from the first partition directory (`k=v`) or part file on is cut off; dates, hours, UUIDs and identifiers
    of runs are cut off at the end of the path and replaced by a placeholder (`{date}`) elsewhere. A segment that one of
    the user's `patterns` matches as a whole is treated as a run's identifier.

    >>> root("file:/out/report/2026-11-21/05")
    'file:/out/report'
    >>> root("hdfs://nn1/landing/2026/11/21/orders.csv")
    'hdfs://nn1/landing/{date}/orders.csv'
    >>> root("s3a://b/sales/dt=2026-11-21/hour=05/part-00000.parquet")
    's3a://b/sales'
    >>> root("abfss://w@onelake.dfs.fabric.microsoft.com/cccccccc-1111-2222-3333-dddddddddddd/Files/in/2026-11-21")
    'abfss://w@onelake.dfs.fabric.microsoft.com/cccccccc-1111-2222-3333-dddddddddddd/Files/in'
    >>> root("file:/in/orders_20261121.csv")
    'file:/in/orders_{date}.csv'
    """
    scheme, authority, segments = split(_QUERY.sub("", path))
    below = next(
        (i for i, s in enumerate(segments) if _PARTITION.fullmatch(s) or _PART_FILE.fullmatch(s)), len(segments)
    )
    # A path that is nothing but partitions and dates keeps its first segment: a root needs a name.
    folded = _folded(authority, segments[:below], tuple(patterns)) or segments[:1]
    return f"{scheme}{authority}/{'/'.join(without_end(folded))}"


def without_end(folded: list[str], least: int = 1) -> list[str]:
    """The segments without the placeholders at their end; `least` of them stay."""
    while len(folded) > least and folded[-1] in _PLACEHOLDERS:
        folded.pop()
    return folded


@lru_cache(maxsize=_KEPT)
def is_part(segment: str) -> bool:
    """True for the first segment of what is within a data set: a partition directory, a part file."""
    return bool(_PARTITION.fullmatch(segment) or _PART_FILE.fullmatch(segment))


def in_directory(path: str, patterns: tuple[re.Pattern[str], ...]) -> str | None:
    """What the roots of what is in the directory `path` begin with; "" where they are the directory's own.

    None where that depends on each: at the top of a file system.
    """
    scheme, authority, segments = split(path)
    if not segments or "?" in path:
        return None
    return (
        "" if any(map(is_part, segments)) else f"{scheme}{authority}/{'/'.join(_folded(authority, segments, patterns))}"
    )


def folded_name(segment: str, patterns: tuple[re.Pattern[str], ...]) -> str | None:
    """The last segment of a root; "" where the root ends before it.

    None where that depends on the segments before: a date may go on in it.
    """
    if len(segment) <= _CALENDAR_DIGITS or "?" in segment:
        return None
    name = _name(segment, patterns)
    return "" if name in _PLACEHOLDERS or is_part(segment) else name


_CALENDAR_DIGITS = 4
_PLACEHOLDERS = frozenset(STANDS_FOR)


def split(path: str) -> tuple[str, str, list[str]]:
    """Scheme, authority and segments: `file:`, "", [`data`, `a`]."""
    m = re.match(r"([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/]*)?", path)
    scheme, authority = (m[1] or "", m[2] or "") if m else ("", "")
    if authority == "//":  # file:///x and file:/x are one path; Hadoop's Path prints the latter
        authority = ""
    return scheme, authority, [s for s in path[len(m[0]) if m else 0 :].split("/") if s]


def _folded(authority: str, segments: list[str], patterns: tuple[re.Pattern[str], ...]) -> list[str]:
    """Segments with placeholders for what names a run."""
    kept = 1 if _OF_ITEMS.match(authority) else 0
    return [*segments[:kept], *_fold(segments[kept:], patterns)]


def _fold(segments: list[str], patterns: tuple[re.Pattern[str], ...]) -> list[str]:
    folded: list[str] = []
    i = 0
    while i < len(segments):
        length = _calendar(segments, i)
        if length:
            folded.append("{date}")
            i += length
            continue
        segment = _name(segments[i], patterns)
        hour = folded and folded[-1] == "{date}" and _HOUR_OR_MINUTE.fullmatch(segment)
        if not hour:
            folded.append(segment)
        i += 1
    return folded


def _calendar(segments: list[str], i: int) -> int:
    """How many segments from `i` on are a year, a month, a day: at least the first two, else 0."""
    if not _YEAR.fullmatch(segments[i]):
        return 0
    length = 1
    while length < 3 and i + length < len(segments) and _MONTH_OR_DAY.fullmatch(segments[i + length]):
        length += 1
    return length if length > 1 else 0


def without_run(text: str) -> str:
    """A text without the dates, times, UUIDs and identifiers of runs within it."""
    for pattern in (*(each for _, each in _WITHIN), *_IN_NAMES):
        text = pattern.sub("", text)
    return text


@lru_cache(maxsize=_KEPT)
def _name(segment: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    if any(p.fullmatch(segment) for p in patterns):
        return "{run}"
    if not _OF_A_RUN.search(segment):
        return segment
    for placeholder, pattern in _WHOLE:
        if pattern.fullmatch(segment):
            return placeholder
    for placeholder, pattern in _WITHIN:
        segment = pattern.sub(placeholder, segment)
    return segment
