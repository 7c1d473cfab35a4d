"""Observe queries that return rows to the driver's Python, and DataFrames created from rows of the driver.

Two notes report them, each with the plan of its DataFrame: `rows read`, with a number, and `rows made`, with the reads whose
values its rows contain (`uses`) and those that cannot be excluded (`in_question`). If the rows of a read are not used again,
its note has no effect.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from types import GeneratorType
from typing import Any
from weakref import WeakKeyDictionary

from sac_kafka.settings.declarations.choices import StatementValues
from sac_kafka.spark import processes
from sac_kafka.spark.calls import statements
from sac_kafka.spark.calls.constants import constants_of_callers
from sac_kafka.spark.calls.instrumentor import Instrumentor, ObservedCall
from sac_kafka.spark.calls.rdds import data_frame_class
from sac_kafka.spark.calls.reads import RowsInDriver, RowsMade, RowsUsed
from sac_kafka.spark.calls.values import SeenValues, noting
from sac_kafka.spark.listener import Listener

ROWS_READ, ROWS_MADE, RDD_READ = "rows read", "rows made", "rows of an rdd read"
"""The kinds of notes; `plan.driver_notes` defines their content."""
TRANSPOSED = "transposed"
"""Evidence that rows were made from a read: Spark collected and transposed them in `DataFrame.transpose`."""
_READING = ("collect", "tail", "toPandas", "_to_pandas", "toArrow", "toLocalIterator", "count")
"""Methods of a DataFrame that return rows, or their number; `first`, `head` and `take` call them on another DataFrame.

The pandas API of Spark 4 calls `_to_pandas` as well as `toPandas`.
"""
_READING_RDDS = ("collect", "take", "toLocalIterator")
"""Methods of an RDD that return rows; `first`, `top`, `collectAsMap` and the aggregating methods call these."""

_WIDTHS = re.compile(r"\([^()]{0,20}\)")
"""`(10, 2)` of a type."""


def watch(
    instrumentor: Instrumentor, listener: Listener, statement_values: StatementValues, *, follows_rdds: bool = True
) -> None:
    """Post notes of rows that reach the driver, and of DataFrames created from them.

    Without `follows_rdds`, rows of RDDs are from an unknown source.
    """
    try:
        from pyspark import RDD, SparkContext
        from pyspark.sql import DataFrame, DataFrameReader, Observation, SparkSession
    except ImportError:  # a PySpark without SQL
        return
    frames = data_frame_class() or DataFrame
    rows = RowsInDriver(processes.numbers())
    observed: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # the DataFrame of each Observation
    parallelized: WeakKeyDictionary[Any, RowsMade] = WeakKeyDictionary()

    def gave(by: Any, frame: Any, given: Any) -> object:  # noqa: ANN401 as it comes
        values, noted = _noting(given, instrumentor)
        number = rows.add(by, frame.sparkSession, given, values)
        if number is not None:
            listener.note(ROWS_READ, json.dumps({"read": number}), frame._jdf)
        return noted

    def read(call: ObservedCall) -> object:
        return gave(call.receiver, call.receiver, call.given)

    def read_rdd(call: ObservedCall) -> object:
        session = session_of_rdds()
        if session is None or not follows_rdds:
            return None
        values, noted = _noting(call.given, instrumentor)
        number = rows.add(call.receiver, session, call.given, values)
        if number is not None:
            listener.note_rows(RDD_READ, _made(call.receiver), json.dumps({"read": number}))
        return noted

    def session_of_rdds() -> Any:  # noqa: ANN401 a session of PySpark
        # An RDD has none. `toDF` uses the one that was created last, whichever the rows were read with.
        return SparkSession._instantiatedSession if rows.session is None else rows.session

    def observes(call: ObservedCall) -> None:
        observation = call.first("observation")
        if isinstance(observation, Observation):
            observed[observation] = call.given

    def metrics(call: ObservedCall) -> None:
        if call.receiver in observed:
            gave(call.receiver, observed[call.receiver], [call.given])

    def making(call: ObservedCall) -> RowsMade:
        data = call.first("data")
        if isinstance(data, RDD):
            found = made_of_rdd(data)
        else:
            found = rows.made_of(
                data, call.receiver, constants_of_callers, names_of_schema(*call.arguments[1:2], **call.named)
            )
        rows.makes(is_making=True)
        return found

    def made_of_rdd(rdd: Any) -> RowsMade:  # noqa: ANN401 an RDD of PySpark
        ancestor: Any = rdd
        while ancestor is not None and ancestor not in parallelized:
            ancestor = getattr(ancestor, "prev", None)  # of what it was made by functions
        return rows.made_of(iter(()), session_of_rdds()) if ancestor is None else parallelized[ancestor]

    def parallelizes(call: ObservedCall) -> None:
        if not (rows.is_empty or rows.is_making):
            parallelized[call.given] = rows.made_of(call.first("c"), session_of_rdds(), constants_of_callers)

    def made(call: ObservedCall) -> None:
        making_is_over(call)
        found = call.held
        if found is not None and (found.uses or found.in_question):
            text = {**asdict(found), "is_rdd": isinstance(call.first("data"), RDD)}
            listener.note(ROWS_MADE, json.dumps(text), call.given._jdf)

    def making_is_over(_call: ObservedCall) -> None:
        rows.makes(is_making=False)

    def on_transpose(call: ObservedCall) -> None:
        number = rows.number()
        listener.note(ROWS_READ, json.dumps({"read": number}), call.receiver._jdf)
        text = asdict(RowsMade((RowsUsed(number, TRANSPOSED),)))
        listener.note(ROWS_MADE, json.dumps(text), call.given._jdf)

    def rdd_of(call: ObservedCall) -> None:
        rows.works_in(call.receiver.sparkSession)

    for name, after in (*((name, read) for name in _READING), ("observe", observes), ("transpose", on_transpose)):
        for kind in frames.__mro__:
            if name in kind.__dict__:
                instrumentor.wrap(kind, name, after)
                break
    instrumentor.wrap_property(Observation, "get", metrics)
    instrumentor.wrap(SparkSession, "createDataFrame", made, before=making, failed=making_is_over)
    instrumentor.wrap(SparkContext, "parallelize", parallelizes)
    for name in _READING_RDDS:
        instrumentor.wrap(RDD, name, read_rdd)
    instrumentor.wrap_property(frames, "rdd", before=rdd_of)
    instrumentor.wrap(frames, "toJSON", before=rdd_of)
    for name in ("sql", "table"):
        instrumentor.wrap(SparkSession, name, before=lambda call: rows.works_in(call.receiver))
    instrumentor.wrap(DataFrameReader, "__init__", before=lambda call: rows.works_in(call.first("spark")))
    statements.watch(instrumentor, listener, rows, statement_values, frames)


def _noting(given: object, instrumentor: Instrumentor) -> tuple[SeenValues | None, object]:
    """Return the values of a generator's rows, filled while they are read, and the replacing generator; None for other rows."""
    return noting(given, instrumentor.under_guard) if isinstance(given, GeneratorType) else (None, None)


def _made(rdd: Any) -> Any:  # noqa: ANN401 an RDD of PySpark
    """Return the RDD's object in the JVM, else that of its parent: reading the attribute would create one."""
    return next(made for name in ("_jrdd_val", "_prev_jrdd", "_jrdd") if (made := getattr(rdd, name, None)) is not None)


def names_of_schema(schema: Any = None, **_others: object) -> tuple[str, ...]:  # noqa: ANN401 whatever a user gives
    """Return the names of the columns of a schema: a list of names, a type, or its text if that has no nested types."""
    names = getattr(schema, "names", schema)
    if isinstance(names, str):
        fields = [field.split() for field in _WIDTHS.sub("", names).replace(":", " ").split(",")]
        names = [] if "<" in schema else [field[0].strip("`") for field in fields if len(field) > 1]
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, (list, tuple)) else ()
