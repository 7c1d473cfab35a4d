"""Derive the root of a dataset: the part of a path that stays the same from run to run.

Without it, every day would be a separate dataset, and lineage would not connect. The root excludes what Spark reads as one
dataset: part files, and the partition directories (`k=v`) at the end of the path. A plain directory below a `k=v` is a separate
dataset, because Spark's partition discovery stops at it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

_DATE = r"(?:19|20)\d{2}[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])"
_TIME = (
    r"(?:[T_-]|\s(?=\d{2}:\d{2}))?(?:[01]\d|2[0-3])[-_.:h]?(?:[0-5]\d)?[-_.:m]?(?:[0-5]\d)?(?:[.,]\d{1,9})?"
    r"(?:Z|[+-]\d{2}:?\d{2}|\s?[AP]M)?"
)
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_RUN = r"(?:app|application|attempt|job|local)[-_]\d{9,}(?:[-_]\d+)*"
_SHORTEST_RUN = r"(?:app|application|attempt|job|local)[-_]\d{9,}?(?:[-_]\d+?)*?"
_EPOCH = r"1[5-9]\d{8}(?:\d{3})?"
"""Epoch seconds or milliseconds from 2017 to 2033; other numbers of that length are ids."""

PLACEHOLDER_PATTERNS: Mapping[str, str] = MappingProxyType(
    {"{date}": f"(?:{_DATE})(?:{_TIME})?", "{uuid}": f"(?:{_UUID}|[0-9a-fA-F]{{32}})", "{run}": f"(?:{_SHORTEST_RUN})"}
)
"""Patterns of the texts that the placeholders in a root replace; patterns of variable length are non-greedy."""


class SegmentPattern(NamedTuple):
    """A user's pattern of whole segments, which are kept unchanged (`is_kept`) or replaced as the identifier of a run."""

    pattern: re.Pattern[str]
    is_kept: bool = False


Patterns = tuple[SegmentPattern, ...]
"""User's patterns; the first one that matches a segment applies."""

_PARTITION = re.compile(r"[^=/?]+=[^/]*")
_PART_FILE = re.compile(r"part-(?:[mr]-)?\d{5,7}(?:[-._].*)?|_temporary|_delta_log|_SUCCESS")
"""Spark's `part-00000-….parquet`, Hadoop's `part-r-00000`: five to seven digits, but not the eight of a date."""
_ONELAKE = re.compile(r"(?i)//(?:[^@]*@)?(?:[a-z0-9-]+-)?onelake\.(?:dfs|blob)\.")
"""Authority of OneLake, where the first segment is the id of an item and not of a run."""
_PORTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("hdfs:", "webhdfs:", "swebhdfs:"), ""),
        **dict.fromkeys(("abfs:", "wasb:"), ":80"),
        **dict.fromkeys(("abfss:", "wasbs:", "adl:"), ":443"),
    }
)
"""Schemes whose authority is a host, without case (Hadoop's `FileSystem.Cache.Key`), with its default port if that is known."""
_TEMPORARY = re.compile(
    r"((?:private/)?(?:tmp|(?:var|usr)/tmp|var/folders/[^/]+/[^/]+/T))/(tmp(?!_[a-z]{7}(?:/|$))[a-z0-9_]{8})(?=/|$)"
)
"""A directory of Python's `tempfile.mkdtemp` in the system's temporary directory; `tmp_invoice` is probably not one."""
_TEMPORARY_NAME = "tmp{run}"
_YEAR = re.compile(r"(?:19|20)\d{2}")
_MONTH_OR_DAY = re.compile(r"0[1-9]|[12]\d|3[01]")
_HOUR_OR_MINUTE = re.compile(r"[0-5]\d")
_CACHE_SIZE = 4096
"""Number of cached segments; the paths of a dataset share most of theirs."""
_QUERY = re.compile(r"\?[^/?=]*=.*", re.DOTALL)

_WHOLE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("{date}", re.compile(f"{_DATE}(?:{_TIME})?")),
    ("{date}", re.compile(r"(?:19|20)\d{2}[-_](?:0[1-9]|1[0-2])")),
    ("{uuid}", re.compile(f"{_UUID}|[0-9a-fA-F]{{32}}")),
    ("{run}", re.compile(f"{_RUN}|{_EPOCH}")),
)
"""Placeholders for whole segments that identify a run and are not at the end of a path."""

_WITHIN: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("{uuid}", re.compile(_UUID)),
    ("{date}", re.compile(rf"(?<![0-9A-Za-z]){_DATE}(?:{_TIME})?(?![0-9A-Za-z])")),
    ("{run}", re.compile(rf"(?<![0-9A-Za-z]){_RUN}(?![0-9A-Za-z])")),
)
"""Placeholders for parts of segments: `orders_2026-11-21.csv`."""

_TIME_BY_KEY = re.compile(
    r"(?i)(?:[^=/?]*[_.-])?(?:"
    r"(?:y|yr|yyyy|year)=(?:19|20)\d{2}"
    r"|(?:mm|mon|month)=(?:0?[1-9]|1[0-2])"
    r"|(?:dd|day)=(?:0?[1-9]|[12]\d|3[01])"
    r"|(?:hh|hr|hour)=(?:[01]?\d|2[0-3])"
    r"|(?:mi|minute)=[0-5]?\d"
    r"|(?:wk|week)=(?:0?[1-9]|[1-4]\d|5[0-3]))"
)
"""Partition directories whose key denotes a part of a time: `month=11`, `event_hour=05`."""
_AFTER_A_DATE = re.compile(r"(?i)(?:m|d|h)=[0-5]?\d")
"""One-letter keys, which denote a part of a time only after a date: `y=2026/m=11/d=21`."""

_MAY_NAME_RUN = re.compile(r"(?:19|20)\d{2}|[0-9a-fA-F]{8}|\d{9}")
"""Fast pre-check: contained in every text that identifies a run."""

_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_IN_NAMES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(rf"(?<![0-9A-Za-z])(?:{pattern})(?![0-9A-Za-z])")
    for pattern in (
        rf"(?:(?:19|20)\d{{2}}/{_DAY}/{_DAY}|{_DAY}(?P<between>[./]){_DAY}(?P=between)(?:19|20)\d{{2}})(?:{_TIME})?",
        r"(?:spark-)?[0-9a-f]{32}",  # a UUID without hyphens, or the id of an application on Kubernetes
        _EPOCH,
    )
)
"""Identifiers of runs in texts other than paths."""

_PLACEHOLDERS = frozenset(PLACEHOLDER_PATTERNS)


def root(path: str, patterns: Patterns = ()) -> str:
    """Return the root of the dataset at `path`.

    The path is truncated at the first part file, and partition directories (`k=v`), dates, hours, UUIDs and identifiers of
    runs are removed from its end. Elsewhere, dates and identifiers are replaced by placeholders (`{date}`), also as the value
    of a `k=v`; any other `k=v` remains. The user's `patterns` mark segments to be kept, or as identifiers of a run.

    >>> root("file:/out/report/2026-11-21/05")
    'file:/out/report'
    >>> root("hdfs://nn1/landing/2026/11/21/orders.csv")
    'hdfs://nn1/landing/{date}/orders.csv'
    >>> root("s3a://b/sales/dt=2026-11-21/hour=05/part-00000.parquet")
    's3a://b/sales'
    >>> root("s3a://b/lake/env=prod/orders/dt=2026-11-21")
    's3a://b/lake/env=prod/orders'
    >>> root("s3a://b/events/day=2026-11-21/raw")
    's3a://b/events/day={date}/raw'
    >>> root("abfss://w@onelake.dfs.fabric.microsoft.com/cccccccc-1111-2222-3333-dddddddddddd/Files/in/2026-11-21")
    'abfss://w@onelake.dfs.fabric.microsoft.com/cccccccc-1111-2222-3333-dddddddddddd/Files/in'
    >>> root("file:/in/orders_20261121.csv")
    'file:/in/orders_{date}.csv'
    >>> root("file:/tmp/tmpab12cd34/model")
    'file:/tmp/tmp{run}/model'
    """
    scheme, authority, segments = split(_QUERY.sub("", path))
    below = next((i for i, s in enumerate(segments) if is_part_file(s, patterns)), len(segments))
    folded = without_end(_fold_segments(authority, segments[:below], patterns), patterns)
    # A path of only partitions and dates keeps its first segment, because a root needs a name.
    if len(folded) < 2 and segments and _PARTITION.fullmatch(segments[0]):
        folded = segments[:1]
    if folded[-1:] == [_TEMPORARY_NAME]:  # Only names within a temporary directory distinguish datasets.
        folded = segments[: len(folded)]
    return f"{scheme}{authority}/{'/'.join(folded or segments[:1])}"


def within_base(path: str, base: str, partitions: Collection[str]) -> str:
    """Return the path without the directories that Spark treats as partitions below a reader's base path.

    From the end upwards, Spark skips directories until it finds a `k=v`, and takes it and the adjacent `k=v` above it.
    `partitions` are the names of the partition columns that Spark found, possibly also below the path.

    >>> within_base("s3a://b/lake/env=prod/orders", "s3a://b/lake", {"env"})
    's3a://b/lake'
    >>> within_base("s3a://b/lake/env=prod/orders", "s3a://b/lake", {"day"})
    's3a://b/lake/env=prod/orders'
    """
    scheme, authority, segments = split(path)
    base_scheme, base_authority, above = split(base)
    is_below = segments[: len(above)] == above and (
        not base_scheme or (base_scheme, base_authority) == (scheme, authority)
    )
    columns = {partition.lower() for partition in partitions}

    def is_found(at: int) -> bool:
        key, is_partition, _ = segments[at].partition("=")
        return bool(is_partition) and key.lower() in columns

    end = len(segments) if is_below else 0
    while end > len(above) and not _PARTITION.fullmatch(segments[end - 1]):
        end -= 1
    begin = end
    while begin > len(above) and is_found(begin - 1):
        begin -= 1
    return path if begin == end or not is_below else f"{scheme}{authority}/{'/'.join(segments[:begin])}"


def without_end(folded: list[str], patterns: Patterns = ()) -> list[str]:
    """Return the segments without partition directories and placeholders at the end, but at least one segment."""
    while len(folded) > 1:
        last = folded[-1]
        if last not in _PLACEHOLDERS and (_PARTITION.fullmatch(last) is None or _is_kept(last, patterns)):
            break
        folded.pop()
    return folded


def is_part(segment: str) -> bool:
    """Return True for a segment within a dataset: a partition directory or a part file."""
    return bool(_PARTITION.fullmatch(segment)) or is_part_file(segment)


@lru_cache(maxsize=_CACHE_SIZE)
def is_part_file(segment: str, patterns: Patterns = ()) -> bool:
    """Return True for a file or directory that Spark or Hadoop creates within a dataset."""
    return _PART_FILE.fullmatch(segment) is not None and not _is_kept(segment, patterns)


def _is_kept(segment: str, patterns: Patterns) -> bool:
    return any(each.is_kept and each.pattern.fullmatch(segment) for each in patterns)


def split(path: str) -> tuple[str, str, list[str]]:
    """Split a path into scheme, authority and segments: `file:`, "", [`data`, `a`].

    >>> split("HDFS://NN1/data"), split("abfss://raw@Lake.dfs.core.windows.net:443/in")[:2]
    (('hdfs:', '//nn1', ['data']), ('abfss:', '//raw@lake.dfs.core.windows.net'))
    """
    m = re.match(r"([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/]*)?", path)
    scheme, authority = canonical_place(m[1] or "", m[2] or "") if m else ("", "")
    if authority == "//":  # file:///x equals file:/x, which is how Hadoop's Path prints it
        authority = ""
    return scheme, authority, [s for s in path[len(m[0]) if m else 0 :].split("/") if s]


def canonical_place(scheme: str, authority: str) -> tuple[str, str]:
    """Return the one spelling of a scheme and an authority, with their punctuation (`hdfs:`, `//nn1`)."""
    port = _PORTS.get(scheme.lower())
    if port is None:
        return scheme, authority
    container, at, host = authority.rpartition("@")  # OneLake's workspaces have a case
    return scheme.lower(), f"{container}{at}{host.lower().removesuffix(port)}"


def _fold_segments(authority: str, segments: list[str], patterns: Patterns) -> list[str]:
    """Return the segments with placeholders for identifiers of runs."""
    kept = 1 if _ONELAKE.match(authority) else 0
    temporary = None if authority else _TEMPORARY.match("/".join(segments))
    if temporary is not None and not any(each.pattern.fullmatch(temporary[2]) for each in patterns):
        above = temporary[1].split("/")
        segments = [*above, _TEMPORARY_NAME, *segments[len(above) + 1 :]]
    return [*segments[:kept], *_fold(segments[kept:], patterns)]


def _fold(segments: list[str], patterns: Patterns) -> list[str]:
    folded: list[str] = []
    i = 0
    while i < len(segments):
        length = _calendar(segments, i, patterns) if _YEAR.fullmatch(segments[i]) else 0
        if length:
            folded.append("{date}")
            i += length
            continue
        segment = _name(segments[i], patterns)
        before = folded[-1] if folded else ""
        if before.endswith("{date}") and segment == segments[i] and not _is_kept(segment, patterns):
            if before == "{date}" and _HOUR_OR_MINUTE.fullmatch(segment):
                i += 1
                continue
            if _AFTER_A_DATE.fullmatch(segment):
                segment = _with_value(segment, "{date}")
        folded.append(segment)
        i += 1
    return folded


def _calendar(segments: list[str], i: int, patterns: Patterns) -> int:
    """Return the number of segments from the year at `i` on that are it, a month and optionally a day; 0 without a month."""
    if _is_kept(segments[i], patterns):
        return 0
    length = 1
    while length < 3 and i + length < len(segments) and _is_month_or_day(segments[i + length], patterns):
        length += 1
    return length if length > 1 else 0


def _is_month_or_day(segment: str, patterns: Patterns) -> bool:
    return _MONTH_OR_DAY.fullmatch(segment) is not None and not _is_kept(segment, patterns)


def without_run(text: str) -> str:
    """Return a text without dates, times, UUIDs and identifiers of runs."""
    for pattern in (*(each for _, each in _WITHIN), *_IN_NAMES):
        text = pattern.sub("", text)
    return text


@lru_cache(maxsize=_CACHE_SIZE)
def _name(segment: str, patterns: Patterns) -> str:
    """Return a segment with placeholders for identifiers of runs; for a partition directory, only in its value."""
    is_partition = _PARTITION.fullmatch(segment) is not None
    for each in patterns:
        if each.pattern.fullmatch(segment):
            return segment if each.is_kept else _with_value(segment, "{run}") if is_partition else "{run}"
    if not is_partition:
        return _without_runs(segment)
    if _TIME_BY_KEY.fullmatch(segment):
        return _with_value(segment, "{date}")
    value = segment.partition("=")[2].replace("%3A", ":")  # Spark escapes the colons of a time
    folded = _without_runs(value)
    return segment if folded == value else _with_value(segment, folded)


def _with_value(partition: str, value: str) -> str:
    return f"{partition.partition('=')[0]}={value}"


def _without_runs(text: str) -> str:
    if not _MAY_NAME_RUN.search(text):
        return text
    for placeholder, pattern in _WHOLE:
        if pattern.fullmatch(text):
            return placeholder
    for placeholder, pattern in _WITHIN:
        text = pattern.sub(placeholder, text)
    return text
