"""Literals of statements and plans as values of Python, and which of these a program hardly has by chance."""

from __future__ import annotations

import datetime
import decimal
import itertools
import re
import uuid
import zoneinfo
from collections.abc import Callable, Iterator
from functools import lru_cache

from sac_kafka.spark.calls.values import MAX_VALUES

MAX_CHARACTERS = 100_000
"""Of a statement's text so many are looked at."""
LONG_TEXT = 16
"""Characters of a text that is evidence."""
LONG_NUMBER, EXACT_NUMBER = 9, 6
"""Digits of a number that is evidence, and those of them before the zeros at its end."""
_LITERAL = re.compile(r"""'([^']{1,200})'|"([^"]{1,200})"|(?<![\w.])(\d{1,40}(?:\.\d{1,40})?)(?![\w.])""")
_NUMBER = re.compile(r"-?\d{1,40}(\.\d{1,40})?")
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d| ?[A-Za-z][\w/+:-]{0,40})?)?"
)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-]\d\d):?(\d\d)")
_INSTANT = "\x01"
"""Begins what a plan has as microseconds since 1970."""

Zone = Callable[[], "datetime.tzinfo | None"]
"""Gives the time zone of the session that times without one are in, None where that is not known."""


def no_zone() -> None:
    """Give no time zone."""
    return


def spoken(text: str, zone: Zone = no_zone) -> Iterator[object]:
    """Yield what the literals of a statement's text may be as values of Python."""
    for found in itertools.islice(_LITERAL.finditer(text[:MAX_CHARACTERS]), MAX_VALUES):
        yield from meanings(found[1] or found[2] or found[3], zone)


def meanings(text: str, zone: Zone = no_zone) -> Iterator[object]:
    """Yield the values of Python that a literal may be; times without a zone are those of this process, or of `zone`.

    >>> list(meanings("EU")), list(meanings("1200")), list(meanings("2026-11-23"))
    (['EU'], ['1200', Decimal('1200')], ['2026-11-23', datetime.date(2026, 11, 23)])
    """
    if text.startswith(_INSTANT):
        yield from _local(int(text.removeprefix(_INSTANT)))
        return
    yield text
    if _NUMBER.fullmatch(text):
        yield decimal.Decimal(text)
    elif (time := time_of(text)) is not None:
        yield time
        if isinstance(time, datetime.datetime) and time.tzinfo is None and (of_session := zone()) is not None:
            yield time.replace(tzinfo=of_session)


def time_of(text: str) -> datetime.date | None:
    """Parse a date, or a time with its zone if it has one; return None for other texts.

    >>> time_of("2026-11-23T04:05:06.5Z")
    datetime.datetime(2026, 11, 23, 4, 5, 6, 500000, tzinfo=datetime.timezone.utc)
    >>> time_of("2026-11-23"), time_of("2026-11-23 04:05"), time_of("2026-13-01")
    (datetime.date(2026, 11, 23), datetime.datetime(2026, 11, 23, 4, 5), None)
    """
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    day, minutes, seconds, fraction, zone = found.groups()
    try:
        if minutes is None:
            return datetime.date.fromisoformat(day)
        micros = (fraction or "")[:6].ljust(6, "0")  # fewer digits are read since Python 3.11
        time = datetime.datetime.fromisoformat(f"{day} {minutes}{seconds or ':00'}.{micros}")
    except ValueError:
        return None
    if zone is None:
        return time
    known = zone_named(zone.strip())
    return None if known is None else time.replace(tzinfo=known)


@lru_cache(maxsize=64)
def zone_named(name: str) -> datetime.tzinfo | None:
    """Return the time zone of a name or an offset as Spark has them, None where it is not known.

    >>> zone_named("UTC"), zone_named("+02:00"), zone_named("Nowhere/At_All")
    (datetime.timezone.utc, datetime.timezone(datetime.timedelta(seconds=7200)), None)
    """
    if name in ("Z", "UTC", "GMT"):
        return datetime.timezone.utc
    if (offset := _OFFSET.fullmatch(name)) is not None:
        hours = int(offset[1])
        minutes = int(offset[2]) * (-1 if offset[1].startswith("-") else 1)
        whole = datetime.timedelta(hours=hours, minutes=minutes)
        return datetime.timezone(whole) if abs(whole) < datetime.timedelta(hours=24) else None
    try:
        return zoneinfo.ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def is_strong(value: object) -> bool:
    """Return whether a value in a statement is evidence: the constants of programs are hardly ever so long or so exact.

    >>> [is_strong(v) for v in ("EU", 1000, "2026-01-01 10:30:00", datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1))]
    [False, False, False, False, False]
    >>> [is_strong(v) for v in ("customer-000-4711-x", 1764112341, "2026-01-01T10:31Z", datetime.datetime(2026, 1, 1, 10, 31))]
    [True, True, True, True]
    """
    if isinstance(value, datetime.datetime):
        return bool(value.second or value.microsecond or value.minute % 15)  # midnight is no midnight in another zone
    if isinstance(value, (int, float, decimal.Decimal)):
        digits = re.sub(r"[-.]", "", str(value).partition("e")[0]).lstrip("0")
        return len(digits) >= LONG_NUMBER and len(digits.rstrip("0")) >= EXACT_NUMBER
    if isinstance(value, str) and _TIME.fullmatch(value):
        return is_strong(time_of(value))
    return len(value) >= LONG_TEXT if isinstance(value, (str, bytes)) else isinstance(value, uuid.UUID)


def _local(micros: int) -> Iterator[datetime.datetime]:
    """Yield a timestamp as PySpark gives it in rows: without a zone, in the one of this process."""
    try:
        yield datetime.datetime.fromtimestamp(micros // 1_000_000).replace(microsecond=micros % 1_000_000)
    except (ValueError, OverflowError, OSError):
        return
