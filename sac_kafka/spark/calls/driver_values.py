"""Observe queries that return rows to the driver's Python, and DataFrames created from rows of the driver.

Two notes report them, each with the plan of its DataFrame: `rows read`, with a number, and `rows made`, with the reads whose
values its rows contain (`reads`). If the rows of a read are not used again, its note has no effect.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from types import GeneratorType
from typing import Any
from weakref import WeakKeyDictionary

from sac_kafka.settings.declarations.choices import StatementValues
from sac_kafka.spark import processes
from sac_kafka.spark.calls import statements
from sac_kafka.spark.calls.instrumentor import Instrumentor, ObservedCall
from sac_kafka.spark.calls.rdds import data_frame_class
from sac_kafka.spark.calls.reads import RowsInDriver, RowsUsed
from sac_kafka.spark.calls.values import SeenValues, noting
from sac_kafka.spark.listener import Listener

ROWS_READ, ROWS_MADE, RDD_READ = "rows read", "rows made", "rows of an rdd read"
"""The kinds of notes; `plan.driver_notes` defines their content."""
TRANSPOSED = "transposed"
"""Evidence that rows were made from a read: Spark collected and transposed them in `DataFrame.transpose`."""
_READING = ("collect", "tail", "toPandas", "_to_pandas", "toArrow", "toLocalIterator")
"""Methods of a DataFrame that return rows; `first`, `head` and `take` call them on another DataFrame.

The pandas API of Spark 4 calls `_to_pandas` as well as `toPandas`.
"""
_READING_RDDS = ("collect", "take", "toLocalIterator")
"""Methods of an RDD that return rows; `first`, `top`, `collectAsMap` and the aggregating methods call these."""


def watch(
    instrumentor: Instrumentor, listener: Listener, statement_values: StatementValues, *, follows_rdds: bool = True
) -> None:
    """Post notes of rows that reach the driver, and of DataFrames created from them.

    Without `follows_rdds`, rows of RDDs are from an unknown source.
    """
    try:
        from pyspark import RDD
        from pyspark.sql import DataFrame, DataFrameReader, Observation, SparkSession
    except ImportError:  # a PySpark without SQL
        return
    frames = data_frame_class() or DataFrame
    rows = RowsInDriver(processes.numbers())
    observed: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # the DataFrame of each Observation

    def gave(by: Any, frame: Any, given: Any) -> object:  # noqa: ANN401 as it comes
        values, noted = _noting(given, instrumentor)
        number = rows.add(by, frame.sparkSession, given, values)
        if number is not None:
            listener.note(ROWS_READ, json.dumps({"read": number}), frame._jdf)
        return noted

    def read(call: ObservedCall) -> object:
        return gave(call.of, call.of, call.given)

    def read_rdd(call: ObservedCall) -> object:
        session = rows.session  # an RDD has none: most likely the one that its rows return to
        session = SparkSession._instantiatedSession if session is None else session
        if session is None or not follows_rdds:
            return None
        values, noted = _noting(call.given, instrumentor)
        number = rows.add(call.of, session, call.given, values, is_whole=False)
        if number is not None:
            listener.note_rows(RDD_READ, _made(call.of), json.dumps({"read": number}))
        return noted

    def observes(call: ObservedCall) -> None:
        observation = call.first("observation")
        if isinstance(observation, Observation):
            observed[observation] = call.given

    def metrics(call: ObservedCall) -> None:
        if call.of in observed:
            gave(call.of, observed[call.of], [call.given])

    def uses(call: ObservedCall) -> tuple[RowsUsed, ...]:
        data = call.first("data")
        # `toDF` uses the session that was created last, whichever the rows were read with
        return rows.uses(data, (rows.session or call.of) if isinstance(data, RDD) else call.of)

    def made(call: ObservedCall) -> None:
        if call.held:
            text = {"uses": [asdict(each) for each in call.held], "is_rdd": isinstance(call.first("data"), RDD)}
            listener.note(ROWS_MADE, json.dumps(text), call.given._jdf)

    def transposed(call: ObservedCall) -> None:
        number = rows.number()
        listener.note(ROWS_READ, json.dumps({"read": number}), call.of._jdf)
        listener.note(ROWS_MADE, json.dumps({"uses": [asdict(RowsUsed(number, TRANSPOSED))]}), call.given._jdf)

    def source_of(session: Any) -> None:  # noqa: ANN401 a session of PySpark
        rows.names_a_source()
        rows.works_in(session)

    def rdd_of(call: ObservedCall) -> None:
        rows.works_in(call.of.sparkSession)

    for name, after in (*((name, read) for name in _READING), ("observe", observes), ("transpose", transposed)):
        for kind in frames.__mro__:
            if name in kind.__dict__:
                instrumentor.wrap(kind, name, after)
                break
    instrumentor.wrap_property(Observation, "get", metrics)
    instrumentor.wrap(SparkSession, "createDataFrame", made, before=uses)
    for name in _READING_RDDS:
        instrumentor.wrap(RDD, name, read_rdd, before=lambda _: rows.names_a_source())
    instrumentor.wrap_property(frames, "rdd", before=rdd_of)
    instrumentor.wrap(frames, "toJSON", before=rdd_of)
    for name in ("sql", "table"):
        instrumentor.wrap(SparkSession, name, before=lambda call: source_of(call.of))
    instrumentor.wrap(DataFrameReader, "__init__", before=lambda call: source_of(call.first("spark")))
    statements.watch(instrumentor, listener, rows, statement_values, frames)


def _noting(given: object, instrumentor: Instrumentor) -> tuple[SeenValues | None, object]:
    """Return the values of a generator's rows, filled while they are read, and the replacing generator; None for other rows."""
    return noting(given, instrumentor.guarded) if isinstance(given, GeneratorType) else (None, None)


def _made(rdd: Any) -> Any:  # noqa: ANN401 an RDD of PySpark
    """Return the RDD's object in the JVM, else that of its parent: reading the attribute would create one."""
    return next(made for name in ("_jrdd_val", "_prev_jrdd", "_jrdd") if (made := getattr(rdd, name, None)) is not None)
