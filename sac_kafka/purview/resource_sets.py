"""Name the resource sets that Purview's scan creates for groups of files, by its built-in patterns.

Each segment of a path becomes one segment of the name, so the two can be compared by index. The replacers are those of an
account's default rule set, version 5; the behaviour of `SparkPath` is not published (docs/purview/names.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

SPARK_PARTITIONS = "{SparkPartitions}"

_AFTER = r"(?<![^-.=_@])"  # at the beginning, or after one of - . = _ @
_BEFORE = r"(?![^-.=_@])"
_MONTH, _DAY_OF_MONTH = r"(?:0[1-9]|1[012])", r"(?:0[1-9]|[12][0-9]|3[01])"
_DATE = rf"20[1-9][0-9]([-._@]?){_MONTH}([-._@]?){_DAY_OF_MONTH}"
_HOUR, _MINUTE = r"(?:2[0-3]|[01]?[0-9])", r"[0-5][0-9]"
_VERSION = rf"{_AFTER}v[0-9]+[.][0-9]+(?:[.][0-9]+)?{_BEFORE}"
_ENCODED = "(?<=%)7(?=[BD])"
"""The digit of an encoded curly bracket (`%7B`, `%7D`), which is no number to replace."""
_MAX_CACHED_SEGMENTS = 4096
"""Size of the cache of replaced segments; the paths of a dataset share most of their segments."""
_MAX_CACHED_LENGTH = 256
"""Maximum characters of a cached segment."""

_LANGUAGE = (
    r"ar[-_](?:eg|sa)|cy[-_]gb|da[-_]dk|de[-_](?:at|ch|de)|en[-_](?:au|ca|gb|ie|in|my|nz|ph|sg|us|ww|xa|za)|"
    r"es[-_](?:ar|cl|es|mx|us|xl)|fi[-_]fi|fr[-_](?:be|ca|ch|fr)|gu[-_]in|hi[-_]in|id[-_]id|it[-_]it|ja[-_]jp|"
    r"nb[-_]no|nl[-_](?:nl|be)|pt[-_](?:br|pt)|pl[-_]pl|ru[-_]ru|sv[-_]se|ta[-_]in|te[-_]in|zh[-_](?:cn|hk|tw)|"
    r"ko[-_]kr|tr[-_]tr"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacer:
    """A built-in replacer of patterns within a segment.

    Attributes:
        name: Name in Purview.
        pattern: Text to replace.
        replacement: Replacement, as of `re.sub`.
        unless: Text that is not replaced.
        in_files: True if it applies to file names only.
        is_last: True if no further replacer applies to a segment that it changed.
    """

    name: str
    pattern: re.Pattern[str]
    replacement: str
    unless: re.Pattern[str] | None = None
    in_files: bool = False
    is_last: bool = False

    def apply(self, segment: str) -> str:
        """Return the segment with the pattern replaced."""
        if self.unless is None:
            return self.pattern.sub(self.replacement, segment)
        protected = {i for found in self.unless.finditer(segment) for i in range(*found.span())}
        return self.pattern.sub(lambda m: m[0] if m.start() in protected else self.replacement, segment)


REPLACERS: tuple[Replacer, ...] = (
    Replacer(
        name="Guid",
        pattern=re.compile(
            r"(?<!%)(?<!%7)(?:[0-9A-F]{32}|[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12})",
            re.IGNORECASE | re.ASCII,
        ),
        replacement="{GUID}",
    ),
    Replacer(name="Number", pattern=re.compile(r"\A[0-9]+\Z"), replacement="{N}", is_last=True),
    Replacer(
        name="yyyy-mm-ddThh-MM-ss",
        pattern=re.compile(rf"{_DATE}T{_HOUR}([-._@]?){_MINUTE}([-._@]?){_MINUTE}(Z?)"),
        replacement=r"{Year}\1{Month}\2{Day}T{Hour}\3{Minute}\4{Second}\5",
    ),
    Replacer(
        name="yyyy-mm-ddThh",
        pattern=re.compile(rf"{_DATE}T{_HOUR}(Z?)"),
        replacement=r"{Year}\1{Month}\2{Day}T{Hour}\3",
    ),
    Replacer(name="yyyy-mm-ddZ", pattern=re.compile(rf"{_DATE}Z"), replacement=r"{Year}\1{Month}\2{Day}Z"),
    Replacer(
        name="yyyy-mm-dd-hhZ",
        pattern=re.compile(rf"{_DATE}([-._@]?){_HOUR}Z"),
        replacement=r"{Year}\1{Month}\2{Day}\3{Hour}Z",
    ),
    Replacer(
        name="yyyy-mm-dd",
        pattern=re.compile(rf"([-.=_@]|\A)20[1-9][0-9]([-._@]){_MONTH}([-._@]){_DAY_OF_MONTH}([-.=_@]|\Z)"),
        replacement=r"\1{Year}\2{Month}\3{Day}\4",
    ),
    Replacer(
        name="NumberBetweenDelimiter",
        pattern=re.compile(rf"{_AFTER}[0-9]+{_BEFORE}"),
        replacement="{N}",
        unless=re.compile(_VERSION, re.IGNORECASE),
    ),
    Replacer(
        name="4ByteHex",
        pattern=re.compile(r"(?<![^-._@])[0-9A-F]{8,16}(?![^-._@])", re.IGNORECASE | re.ASCII),
        replacement="{HEX}",
        unless=re.compile(_VERSION, re.IGNORECASE),
    ),
    Replacer(
        name="NumberInFile",
        pattern=re.compile(r"[0-9]+"),
        replacement="{N}",
        unless=re.compile(rf"{_VERSION}|(?<=b)2(?=b)|{_ENCODED}", re.IGNORECASE),
        in_files=True,
    ),
    Replacer(
        name="Localization",
        pattern=re.compile(rf"(?<![^-._@])(?:{_LANGUAGE})(?![^-._@])", re.IGNORECASE),
        replacement="{LOC}",
    ),
)
"""Purview's replacers in the order in which it applies them to a segment."""

_YEAR = re.compile(r"20[1-9][0-9]")
_MONTH_FOLDER = re.compile(_MONTH)
_DAY_FOLDER = re.compile(_DAY_OF_MONTH)
_CALENDAR_NAMES = ("{Year}", "{Month}", "{Day}")
_CALENDAR_FOLDERS = (_YEAR, _MONTH_FOLDER, _DAY_FOLDER)


def _replace_segment(segment: str, is_file: bool) -> str:
    for replacer in REPLACERS:
        if replacer.in_files and not is_file:
            continue
        after = replacer.apply(segment)
        if after != segment and replacer.is_last:
            return after
        segment = after
    return segment


_replaced_cached = lru_cache(maxsize=_MAX_CACHED_SEGMENTS)(_replace_segment)


def replace_patterns(segments: tuple[str, ...], *, has_file: bool) -> tuple[str, ...]:
    """Return the segments of a path with dates, numbers and other patterns replaced.

    Args:
        segments: The segments of the path.
        has_file: The last segment is a file name.

    >>> replace_patterns(("data", "22", "Queries_2020-05-01_1-2-3.tsv"), has_file=True)
    ('data', '{N}', 'Queries_{Year}-{Month}-{Day}_{N}-{N}-{N}.tsv')
    >>> replace_patterns(("logs", "2024", "03", "09"), has_file=False)
    ('logs', '{Year}', '{Month}', '{Day}')
    """
    found: list[str] = []
    while len(found) < len(segments):
        i = len(found)
        if _is_calendar(segments[i : i + 3]):
            found += _CALENDAR_NAMES
        else:
            is_file = has_file and i == len(segments) - 1
            replace = _replaced_cached if len(segments[i]) <= _MAX_CACHED_LENGTH else _replace_segment
            found.append(replace(segments[i], is_file))
    return tuple(found)


def resource_set(
    segments: tuple[str, ...],
    *,
    is_spark_directory: bool,
    partitions: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Return the segments of the resource set of a file, or of the files in a directory written by Spark.

    `partitions` are the folders between the directory and its files.

    >>> "/".join(resource_set(("out", "2024-03-09"), is_spark_directory=True, partitions=("{hour}",)))
    'out/{Year}-{Month}-{Day}/{hour}/{SparkPartitions}'
    """
    if is_spark_directory:
        folder = replace_patterns(segments, has_file=False)
        return (*folder, *partitions, SPARK_PARTITIONS)
    return replace_patterns(segments, has_file=True)


def _is_calendar(folders: tuple[str, ...]) -> bool:
    return len(folders) == len(_CALENDAR_FOLDERS) and all(
        pattern.fullmatch(folder) for pattern, folder in zip(_CALENDAR_FOLDERS, folders, strict=True)
    )
