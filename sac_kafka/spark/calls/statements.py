"""Statements and writes that hold values which their thread has read before: `where(f"region = '{row.region}'")`.

What runs meanwhile has a job tag that names these reads. Values are compared in this process; of a plan its literals are asked
for, by one call of Py4J, and only where the thread has read something.
"""

from __future__ import annotations

import datetime
import decimal
import itertools
import os
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sac_kafka.config.choices import StatementValues
from sac_kafka.spark.calls.reads import RowsInDriver
from sac_kafka.spark.calls.values import MOST_VALUES, seen
from sac_kafka.spark.calls.wrapping import Wrapping
from sac_kafka.spark.port import Listening

READS_TAG = "sac_kafka-reads"
"""Begins the tag; what follows stands in `plan.driver_notes`."""
MOST_CHARACTERS = 100_000
"""Of a statement's text so many are looked at."""
LONG_TEXT = 16
"""Characters of a text that is evidence."""
LONG_NUMBER, EXACT_NUMBER = 9, 6
"""Digits of a number that is evidence, and those of them before the zeros at its end."""
_LITERAL = re.compile(r"""'([^']{1,200})'|"([^"]{1,200})"|(?<![\w.])(\d{1,40}(?:\.\d{1,40})?)(?![\w.])""")
_NUMBER = re.compile(r"-?\d{1,40}(\.\d{1,40})?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d:\d\d(\.\d{1,6})?)?")
_INSTANT = "\x01"
"""Begins what a plan has as microseconds since 1970."""
_WRITES = ("save", "insertInto", "saveAsTable", "parquet", "csv", "json", "orc", "text", "xml", "jdbc")
_WRITES_V2 = ("create", "replace", "createOrReplace", "append", "overwrite", "overwritePartitions")


def watch(wrapping: Wrapping, listener: Listening, rows: RowsInDriver, which: StatementValues) -> None:
    """Tag the jobs of statements and writes with the reads of the thread whose values they contain."""
    if which is StatementValues.OFF:
        return
    counts = is_strong if which is StatementValues.STRONG else _counts_always
    from pyspark.sql import DataFrameWriter, SparkSession
    from pyspark.sql.readwriter import DataFrameWriterV2

    if os.environ.get("PYSPARK_PIN_THREAD", "true").lower() == "false":
        return  # a tag belongs to a thread of the JVM, which then is none of this one

    def of_statement(session: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Callable[[], None] | None:  # noqa: ANN401
        if rows.is_empty:
            return None
        return _tagged(session, rows.said_in(seen(list(_said(*arguments, **named)), counts), session))

    def of_write(writer: Any, _arguments: object, _named: object) -> Callable[[], None] | None:  # noqa: ANN401
        if rows.is_empty:
            return None
        frame = writer._df
        values = seen([value for text in listener.literals(frame._jdf) for value in meanings(text)], counts)
        return _tagged(frame.sparkSession, rows.said_in(values, frame.sparkSession))

    wrapping.wrap(SparkSession, "sql", _ended, before=of_statement, failed=_over)
    for kind, names in ((DataFrameWriter, _WRITES), (DataFrameWriterV2, _WRITES_V2)):
        for name in names:
            wrapping.wrap(kind, name, _ended, before=of_write, failed=_over)


def is_strong(value: object) -> bool:
    """Return whether a value in a statement is evidence: the constants of programs are hardly ever so long or so exact.

    >>> [is_strong(v) for v in ("EU", 1000, datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1))]
    [False, False, False, False]
    >>> [is_strong(v) for v in ("customer-000-4711-x", 1764112341, datetime.datetime(2026, 1, 1, 10, 31))]
    [True, True, True]
    """
    if isinstance(value, datetime.datetime):
        return bool(value.second or value.microsecond or value.minute % 15)  # midnight is no midnight in another zone
    if isinstance(value, (int, float, decimal.Decimal)):
        digits = re.sub(r"[-.]", "", str(value).partition("e")[0]).lstrip("0")
        return len(digits) >= LONG_NUMBER and len(digits.rstrip("0")) >= EXACT_NUMBER
    if isinstance(value, (str, bytes)):
        return len(value) >= LONG_TEXT and not (isinstance(value, str) and _DATE.fullmatch(value))
    return isinstance(value, uuid.UUID)


def _counts_always(_value: object) -> bool:
    return True


def _ended(_object: object, _arguments: object, _named: object, _given: object, tag: Any) -> None:  # noqa: ANN401
    _over(tag)


def _over(remove: Callable[[], None] | None) -> None:
    if remove is not None:
        remove()


def _tagged(session: Any, reads: tuple[int, ...]) -> Callable[[], None] | None:  # noqa: ANN401 a session of PySpark
    """Tag what this thread runs; what takes the tag away again."""
    if not reads:
        return None
    tag = "-".join((READS_TAG, *map(str, reads)))
    context = session.sparkContext
    if tag in context.getJobTags():  # a write within a write
        return None
    context.addJobTag(tag)
    return lambda: context.removeJobTag(tag)


def _said(sqlQuery: object = None, args: object = None, **named: object) -> Iterator[object]:  # noqa: N803 as PySpark's
    """What a statement has of values: in its text, as parameters, and by name for the `{name}` of its text."""
    if isinstance(sqlQuery, str):
        yield from _spoken(sqlQuery)
    if isinstance(args, (dict, list, tuple)):
        yield from args.values() if isinstance(args, dict) else args
    yield from named.values()


def _spoken(text: str) -> Iterator[object]:
    """What the literals of a statement's text may be as values of Python."""
    for found in itertools.islice(_LITERAL.finditer(text[:MOST_CHARACTERS]), MOST_VALUES):
        yield from meanings(found[1] or found[2] or found[3])


def meanings(text: str) -> Iterable[object]:
    """The values of Python that a literal may be.

    >>> list(meanings("EU")), list(meanings("1200")), list(meanings("2026-11-23"))
    (['EU'], ['1200', Decimal('1200')], ['2026-11-23', datetime.date(2026, 11, 23)])
    """
    if text.startswith(_INSTANT):
        yield from _local(int(text.removeprefix(_INSTANT)))
        return
    yield text
    if _NUMBER.fullmatch(text):
        yield decimal.Decimal(text)
    elif match := _DATE.fullmatch(text):
        try:
            yield datetime.datetime.fromisoformat(text) if match[1] else datetime.date.fromisoformat(text)
        except ValueError:
            return


def _local(micros: int) -> Iterator[datetime.datetime]:
    """Return a timestamp as PySpark gives it in rows: without a zone, in the one of this process."""
    try:
        yield datetime.datetime.fromtimestamp(micros // 1_000_000).replace(microsecond=micros % 1_000_000)
    except (ValueError, OverflowError, OSError):
        return
