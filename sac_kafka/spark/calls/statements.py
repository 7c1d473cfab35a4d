"""Observe statements and writes that contain values which their thread has read: `where(f"region = '{row.region}'")`.

Executions during such a call have a job tag that names the reads. Values are compared in this process. The literals of a plan
are fetched with one Py4J call, and only if the thread has read something. A statement that contains values of a read is
remembered, because its DataFrame may be written later, and its plan has neither its text nor its parameters.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import os
import re
import threading
import uuid
import zoneinfo
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from sac_kafka.settings.declarations.choices import StatementValues
from sac_kafka.spark.calls.cells import MAX_VALUES
from sac_kafka.spark.calls.instrumentor import Instrumentor, ObservedCall
from sac_kafka.spark.calls.reads import RowsInDriver
from sac_kafka.spark.calls.values import seen
from sac_kafka.spark.listener import Listener

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
    known = find_zone(zone.strip())
    return None if known is None else time.replace(tzinfo=known)


@lru_cache(maxsize=64)
def find_zone(name: str) -> datetime.tzinfo | None:
    """Return the time zone of a name or an offset as Spark has them, None where it is not known.

    >>> find_zone("UTC"), find_zone("+02:00"), find_zone("Nowhere/At_All")
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


READS_TAG = "sac_kafka-reads"
"""Prefix of the tag; `plan.driver_notes` defines the rest."""
_REMEMBERED = uuid.uuid4().hex
"""Prefix of the text that the listener remembers for a plan; no literal starts like this by chance."""
_WRITES = ("save", "insertInto", "saveAsTable", "parquet", "csv", "json", "orc", "text", "xml", "jdbc")
_WRITES_V2 = ("create", "replace", "createOrReplace", "append", "overwrite", "overwritePartitions")
_VIEWS = (
    "createTempView",
    "createOrReplaceTempView",
    "createGlobalTempView",
    "createOrReplaceGlobalTempView",
    "registerTempTable",
)


def watch(
    instrumentor: Instrumentor, listener: Listener, rows: RowsInDriver, which: StatementValues, frames: type
) -> None:
    """Tag the jobs of statements, writes and definitions of views with the reads of the thread whose values they contain.

    `frames` is the class of the driver's DataFrames.
    """
    if which is StatementValues.OFF:
        return
    counts = is_strong if which is StatementValues.STRONG else _counts_always
    from pyspark.sql import DataFrameWriter, SparkSession
    from pyspark.sql.readwriter import DataFrameWriterV2

    if os.environ.get("PYSPARK_PIN_THREAD", "true").lower() == "false":
        return  # Tags belong to JVM threads, which then do not correspond to Python threads.

    has_remembered = threading.Event()

    def of_statement(call: ObservedCall) -> _Open | None:
        if rows.is_empty:
            return None
        session = call.receiver
        reads = rows.found_in(seen(list(_values_of(_zone(session), *call.arguments, **call.named)), counts), session)
        return _Open(_tag(session, reads), reads)

    def statement_made(call: ObservedCall) -> None:
        over(call)
        if call.held is not None and call.held.reads:
            listener.remember(call.given._jdf, "-".join((_REMEMBERED, *map(str, call.held.reads))))
            has_remembered.set()

    def over(call: ObservedCall) -> None:
        if call.held is not None:
            call.held.close()

    def of_frame(frame: Any) -> _Open | None:  # noqa: ANN401 a DataFrame of PySpark
        if rows.is_empty and not has_remembered.is_set():
            return None
        session = frame.sparkSession
        zone, literals = _zone(session), listener.literals(frame._jdf)
        remembered = [text for text in literals if text.startswith(_REMEMBERED)]
        values = [value for text in literals if text not in remembered for value in meanings(text, zone)]
        reads = {int(number) for text in remembered for number in text.split("-")[1:]}
        return _Open(_tag(session, sorted(reads.union(rows.found_in(seen(values, counts), session)))))

    instrumentor.wrap(SparkSession, "sql", statement_made, before=of_statement, failed=over)
    for kind, names in ((DataFrameWriter, _WRITES), (DataFrameWriterV2, _WRITES_V2)):
        for name in names:
            instrumentor.wrap(kind, name, over, before=lambda call: of_frame(call.receiver._df), failed=over)
    for name in _VIEWS:
        instrumentor.wrap(frames, name, over, before=lambda call: of_frame(call.receiver), failed=over)


@dataclass(frozen=True, slots=True)
class _Open:
    """A call in progress: `close` removes its tag; `reads` are those whose values a statement contains."""

    close: Callable[[], None]
    reads: tuple[int, ...] = ()


def _counts_always(_value: object) -> bool:
    return True


def _nothing() -> None:
    return


def _tag(session: Any, reads: Iterable[int]) -> Callable[[], None]:  # noqa: ANN401 a session of PySpark
    """Tag the jobs of this thread and return a function that removes the tag."""
    tag = "-".join((READS_TAG, *map(str, reads)))
    context = session.sparkContext
    if tag == READS_TAG or tag in context.getJobTags():  # no read, or a write within a write
        return _nothing
    context.addJobTag(tag)
    return lambda: context.removeJobTag(tag)


def _zone(session: Any) -> Zone:  # noqa: ANN401 a session of PySpark
    """Return a function that reads a session's time zone, at most once."""
    return cache(lambda: find_zone(session.conf.get("spark.sql.session.timeZone")))


def _values_of(zone: Zone, /, sqlQuery: object = None, args: object = None, **named: object) -> Iterator[object]:  # noqa: N803 as PySpark's
    """Yield the values of a statement: its text and literals, its parameters, and those for the `{name}` in its text."""
    if isinstance(sqlQuery, str):
        yield sqlQuery
        yield from spoken(sqlQuery, zone)
    if isinstance(args, (dict, list, tuple)):
        yield from args.values() if isinstance(args, dict) else args
    yield from named.values()
