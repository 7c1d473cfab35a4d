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
    observer = DriverRowsObserver(instrumentor, listener, SparkSession, RDD, Observation)
    observers = {"observe": observer.on_observe, "transpose": observer.on_transpose}
    for name, after in {**dict.fromkeys(_READING, observer.on_rows_returned), **observers}.items():
        for kind in frames.__mro__:
            if name in kind.__dict__:
                instrumentor.wrap(kind, name, after)
                break
    instrumentor.wrap_property(Observation, "get", observer.on_metrics_returned)
    on_created, before, failed = observer.on_frame_created, observer.before_frame_creation, observer.end_creation
    instrumentor.wrap(SparkSession, "createDataFrame", on_created, before=before, failed=failed)
    instrumentor.wrap(SparkContext, "parallelize", observer.on_parallelize)
    if follows_rdds:
        for name in _READING_RDDS:
            instrumentor.wrap(RDD, name, observer.on_rdd_rows_returned)
    rows = observer.rows
    instrumentor.wrap_property(frames, "rdd", before=lambda call: rows.works_in(call.receiver.sparkSession))
    instrumentor.wrap(frames, "toJSON", before=lambda call: rows.works_in(call.receiver.sparkSession))
    for name in ("sql", "table"):
        instrumentor.wrap(SparkSession, name, before=lambda call: rows.works_in(call.receiver))
    instrumentor.wrap(DataFrameReader, "__init__", before=lambda call: rows.works_in(call.first("spark")))
    statements.watch(instrumentor, listener, rows, statement_values, frames)


class DriverRowsObserver:
    """Remembers the rows that reach the driver, and posts notes of them; the classes are those of PySpark."""

    def __init__(
        self,
        instrumentor: Instrumentor,
        listener: Listener,
        session_class: Any,  # noqa: ANN401 SparkSession, for a private attribute
        rdd_class: type,
        observation_class: type,
    ) -> None:
        self.rows = RowsInDriver(processes.numbers())
        self._instrumentor = instrumentor
        self._listener = listener
        self._session_class = session_class
        self._rdd_class = rdd_class
        self._observation_class = observation_class
        self._observed: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # the DataFrame of each Observation
        self._parallelized: WeakKeyDictionary[Any, RowsMade] = WeakKeyDictionary()

    def on_rows_returned(self, call: ObservedCall) -> object:
        """Note rows of a DataFrame; return what replaces a generator of them."""
        return self._note_read(call.receiver, call.receiver, call.given)

    def on_observe(self, call: ObservedCall) -> None:
        """Remember which DataFrame has the metrics of an Observation."""
        observation = call.first("observation")
        if isinstance(observation, self._observation_class):
            self._observed[observation] = call.given

    def on_metrics_returned(self, call: ObservedCall) -> None:
        """Note the metrics of an Observation as a row of its DataFrame."""
        if call.receiver in self._observed:
            self._note_read(call.receiver, self._observed[call.receiver], [call.given])

    def on_rdd_rows_returned(self, call: ObservedCall) -> object:
        """Note rows of an RDD; return what replaces a generator of them."""
        session = self._session_of_rdds()
        if session is None:
            return None
        values, replacement = _noting(call.given, self._instrumentor)
        number = self.rows.add(call.receiver, session, call.given, values)
        if number is not None:
            self._listener.note_rows(RDD_READ, _made(call.receiver), json.dumps({"read": number}))
        return replacement

    def on_parallelize(self, call: ObservedCall) -> None:
        """Remember which rows an RDD is made of, unless `createDataFrame` makes it."""
        if not (self.rows.is_empty or self.rows.is_making):
            made = self.rows.made_of(call.first("c"), self._session_of_rdds(), constants_of_callers)
            self._parallelized[call.given] = made

    def before_frame_creation(self, call: ObservedCall) -> RowsMade:
        """Return which rows a DataFrame is about to be made of: before the call, which may consume them."""
        data = call.first("data")
        if isinstance(data, self._rdd_class):
            made = self._made_of_rdd(data)
        else:
            names = names_of_schema(*call.arguments[1:2], **call.named)
            made = self.rows.made_of(data, call.receiver, constants_of_callers, names)
        self.rows.makes(is_making=True)
        return made

    def on_frame_created(self, call: ObservedCall) -> None:
        """Note a DataFrame made of rows that were read."""
        self.end_creation(call)
        made = call.held
        if made is not None and (made.uses or made.in_question):
            text = {**asdict(made), "is_rdd": isinstance(call.first("data"), self._rdd_class)}
            self._listener.note(ROWS_MADE, json.dumps(text), call.given._jdf)

    def end_creation(self, _call: ObservedCall) -> None:
        """End a call of `createDataFrame`, also one that has failed."""
        self.rows.makes(is_making=False)

    def on_transpose(self, call: ObservedCall) -> None:
        """Note both: Spark has collected the rows in the JVM and made a DataFrame of them."""
        number = self.rows.number()
        self._listener.note(ROWS_READ, json.dumps({"read": number}), call.receiver._jdf)
        text = asdict(RowsMade((RowsUsed(number, TRANSPOSED),)))
        self._listener.note(ROWS_MADE, json.dumps(text), call.given._jdf)

    def _note_read(self, reader: Any, frame: Any, given: Any) -> object:  # noqa: ANN401 objects of PySpark
        values, replacement = _noting(given, self._instrumentor)
        number = self.rows.add(reader, frame.sparkSession, given, values)
        if number is not None:
            self._listener.note(ROWS_READ, json.dumps({"read": number}), frame._jdf)
        return replacement

    def _made_of_rdd(self, rdd: Any) -> RowsMade:  # noqa: ANN401 an RDD of PySpark
        ancestor: Any = rdd
        while ancestor is not None and ancestor not in self._parallelized:
            ancestor = getattr(ancestor, "prev", None)  # the RDD whose rows functions have mapped to this one
        if ancestor is None:
            return self.rows.made_of(iter(()), self._session_of_rdds())
        return self._parallelized[ancestor]

    def _session_of_rdds(self) -> Any:  # noqa: ANN401 a session of PySpark
        # An RDD has none. `toDF` uses the one that was created last, whichever the rows were read with.
        return self._session_class._instantiatedSession if self.rows.session is None else self.rows.session


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
