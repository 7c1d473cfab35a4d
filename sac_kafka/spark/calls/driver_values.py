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
from sac_kafka.spark.calls.instrumentor import Instrumentor
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

    def gave(by: Any, frame: Any, given: Any) -> Any:  # noqa: ANN401 as it comes
        values, noted = _noting(given, instrumentor)
        number = rows.add(by, frame.sparkSession, given, values)
        if number is not None:
            listener.note(ROWS_READ, json.dumps({"read": number}), frame._jdf)
        return noted

    def read(query: Any, _arguments: object, _named: object, given: Any, _held: object) -> Any:  # noqa: ANN401
        return gave(query, query, given)

    def read_rdd(rdd: Any, _arguments: object, _named: object, given: Any, _held: object) -> Any:  # noqa: ANN401
        session = rows.session  # an RDD has none: most likely the one that its rows return to
        session = SparkSession._instantiatedSession if session is None else session
        if session is None or not follows_rdds:
            return None
        values, noted = _noting(given, instrumentor)
        number = rows.add(rdd, session, given, values, is_whole=False)
        if number is not None:
            listener.note_rows(RDD_READ, _made(rdd), json.dumps({"read": number}))
        return noted

    def observes(_query: object, arguments: tuple[Any, ...], named: dict[str, Any], given: Any, _held: object) -> None:  # noqa: ANN401
        observation = arguments[0] if arguments else named.get("observation")
        if isinstance(observation, Observation):
            observed[observation] = given

    def metrics(observation: Any, _arguments: object, _named: object, given: Any, _held: object) -> None:  # noqa: ANN401
        if observation in observed:
            gave(observation, observed[observation], [given])

    def uses(session: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[RowsUsed, ...]:  # noqa: ANN401
        data = _data(arguments, named)
        if isinstance(data, RDD):  # `toDF` uses the session that was created last, whichever the rows were read with
            session = rows.session or session
        return rows.uses(data, session)

    def made(_session: object, arguments: tuple[Any, ...], named: dict[str, Any], given: Any, used: Any) -> None:  # noqa: ANN401
        if used:
            text = {"uses": [asdict(each) for each in used], "is_rdd": isinstance(_data(arguments, named), RDD)}
            listener.note(ROWS_MADE, json.dumps(text), given._jdf)

    def transposed(frame: Any, _arguments: object, _named: object, given: Any, _held: object) -> None:  # noqa: ANN401
        number = rows.number()
        listener.note(ROWS_READ, json.dumps({"read": number}), frame._jdf)
        listener.note(ROWS_MADE, json.dumps({"uses": [asdict(RowsUsed(number, TRANSPOSED))]}), given._jdf)

    def source(_object: object, _arguments: object, _named: object) -> None:
        rows.names_a_source()

    def source_of(session: Any, _arguments: object, _named: object) -> None:  # noqa: ANN401 a session of PySpark
        rows.names_a_source()
        rows.works_in(session)

    def source_of_reader(_reader: object, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        source_of(arguments[0] if arguments else named["spark"], (), {})

    def rdd_of(frame: Any, _arguments: object, _named: object) -> None:  # noqa: ANN401 a DataFrame of PySpark
        rows.works_in(frame.sparkSession)

    for name, after in (*((name, read) for name in _READING), ("observe", observes), ("transpose", transposed)):
        for kind in frames.__mro__:
            if name in kind.__dict__:
                instrumentor.wrap(kind, name, after)
                break
    instrumentor.wrap_property(Observation, "get", metrics)
    instrumentor.wrap(SparkSession, "createDataFrame", made, before=uses)
    for name in _READING_RDDS:
        instrumentor.wrap(RDD, name, read_rdd, before=source)
    instrumentor.wrap_property(frames, "rdd", before=rdd_of)
    instrumentor.wrap(frames, "toJSON", before=rdd_of)
    for kind, name, before in (
        (SparkSession, "sql", source_of),
        (SparkSession, "table", source_of),
        (DataFrameReader, "__init__", source_of_reader),
    ):
        instrumentor.wrap(kind, name, before=before)
    statements.watch(instrumentor, listener, rows, statement_values, frames)


def _noting(given: object, instrumentor: Instrumentor) -> tuple[SeenValues | None, object]:
    """Return the values of a generator's rows, filled while they are read, and the replacing generator; None for other rows."""
    return noting(given, instrumentor.guarded) if isinstance(given, GeneratorType) else (None, None)


def _made(rdd: Any) -> Any:  # noqa: ANN401 an RDD of PySpark
    """Return the RDD's object in the JVM, else that of its parent: reading the attribute would create one."""
    return next(made for name in ("_jrdd_val", "_prev_jrdd", "_jrdd") if (made := getattr(rdd, name, None)) is not None)


def _data(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:  # noqa: ANN401 whatever becomes rows
    return arguments[0] if arguments else named.get("data")
