"""Observe statements and writes that contain values which their thread has read: `where(f"region = '{row.region}'")`.

Executions during such a call have a job tag that names the reads. Values are compared in this process. The literals of a plan
are fetched with one Py4J call, and only if the thread has read something. A statement that contains values of a read is
remembered, because its DataFrame may be written later, and its plan has neither its text nor its parameters.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from sac_kafka.settings.declarations.choices import StatementValues
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.calls.literals import Zone, is_strong, meanings, spoken, zone_named
from sac_kafka.spark.calls.reads import RowsInDriver
from sac_kafka.spark.calls.values import seen
from sac_kafka.spark.port import Listening

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
    instrumentor: Instrumentor, listener: Listening, rows: RowsInDriver, which: StatementValues, frames: type
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

    def of_statement(session: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> _Open | None:  # noqa: ANN401
        if rows.is_empty:
            return None
        reads = rows.found_in(seen(list(_values_of(_zone(session), *arguments, **named)), counts), session)
        return _Open(_tagged(session, reads), reads)

    def statement_made(_session: object, _arguments: object, _named: object, given: Any, of: _Open | None) -> None:  # noqa: ANN401
        if of is None:
            return
        of.close()
        if of.reads:
            listener.remember(given._jdf, "-".join((_REMEMBERED, *map(str, of.reads))))
            has_remembered.set()

    def of_write(writer: Any, _arguments: object, _named: object) -> _Open | None:  # noqa: ANN401
        return of_frame(writer._df, (), {})

    def of_frame(frame: Any, _arguments: object, _named: object) -> _Open | None:  # noqa: ANN401
        if rows.is_empty and not has_remembered.is_set():
            return None
        session = frame.sparkSession
        zone, literals = _zone(session), listener.literals(frame._jdf)
        remembered = [text for text in literals if text.startswith(_REMEMBERED)]
        values = [value for text in literals if text not in remembered for value in meanings(text, zone)]
        reads = {int(number) for text in remembered for number in text.split("-")[1:]}
        return _Open(_tagged(session, sorted(reads.union(rows.found_in(seen(values, counts), session)))))

    def written(_writer: object, _arguments: object, _named: object, _given: object, of: _Open | None) -> None:
        _over(of)

    instrumentor.wrap(SparkSession, "sql", statement_made, before=of_statement, failed=_over)
    for kind, names in ((DataFrameWriter, _WRITES), (DataFrameWriterV2, _WRITES_V2)):
        for name in names:
            instrumentor.wrap(kind, name, written, before=of_write, failed=_over)
    for name in _VIEWS:
        instrumentor.wrap(frames, name, written, before=of_frame, failed=_over)


@dataclass(frozen=True, slots=True)
class _Open:
    """A call in progress: `close` removes its tag; `reads` are those whose values a statement contains."""

    close: Callable[[], None]
    reads: tuple[int, ...] = ()


def _counts_always(_value: object) -> bool:
    return True


def _over(of: _Open | None) -> None:
    if of is not None:
        of.close()


def _nothing() -> None:
    return


def _tagged(session: Any, reads: Iterable[int]) -> Callable[[], None]:  # noqa: ANN401 a session of PySpark
    """Tag the jobs of this thread and return a function that removes the tag."""
    tag = "-".join((READS_TAG, *map(str, reads)))
    context = session.sparkContext
    if tag == READS_TAG or tag in context.getJobTags():  # no read, or a write within a write
        return _nothing
    context.addJobTag(tag)
    return lambda: context.removeJobTag(tag)


def _zone(session: Any) -> Zone:  # noqa: ANN401 a session of PySpark
    """Return a function that reads a session's time zone, at most once."""
    return cache(lambda: zone_named(session.conf.get("spark.sql.session.timeZone")))


def _values_of(zone: Zone, /, sqlQuery: object = None, args: object = None, **named: object) -> Iterator[object]:  # noqa: N803 as PySpark's
    """Yield the values of a statement: its text and literals, its parameters, and those for the `{name}` in its text."""
    if isinstance(sqlQuery, str):
        yield sqlQuery
        yield from spoken(sqlQuery, zone)
    if isinstance(args, (dict, list, tuple)):
        yield from args.values() if isinstance(args, dict) else args
    yield from named.values()
