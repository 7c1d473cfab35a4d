"""Observe calls after which an RDD does not show the sources of its rows.

PySpark makes an RDD of a DataFrame of the query's own RDD, which does not name what it reads; a checkpoint cuts an RDD off, as
soon as a job has run, and no job shows which RDD the checkpoint of a DataFrame is if it is not computed when it is made.
"""

from __future__ import annotations

import sys
from typing import Any

from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import Listener

RDD_OF_QUERY, RDD_CHECKPOINTED = "rdd of a query", "rdd to be checkpointed"
CHECKPOINT_MADE = "checkpoint that is not computed yet"
"""The kinds of the notes (`plan.driver_notes`)."""
_CHECKPOINTING = ("checkpoint", "localCheckpoint")


def watch(instrumentor: Instrumentor, listener: Listener) -> None:
    """Post notes of `DataFrame.rdd` and `toJSON` with the plan of the DataFrame, and of RDD checkpoints with their sources.

    Nothing where there is no PySpark.
    """
    kind = data_frame_class()
    if kind is None:
        return

    def made(frame: Any, _arguments: object, _named: object, rdd: Any, is_new: bool) -> None:  # noqa: ANN401 as `After`
        if is_new and not isinstance(rdd, kind):  # a setting of Spark 4 has toJSON give a DataFrame
            listener.note_rdd(RDD_OF_QUERY, rdd._jrdd, frame._jdf)

    instrumentor.wrap_property(kind, "rdd", made, before=lambda frame, *_: getattr(frame, "_lazy_rdd", None) is None)
    instrumentor.wrap(kind, "toJSON", made, before=lambda *_: True)

    def cut_off(rdd: Any, *_: object) -> None:  # noqa: ANN401 an RDD
        listener.note_rows(RDD_CHECKPOINTED, rdd._jrdd)

    for name in _CHECKPOINTING:
        instrumentor.wrap(_rdd(), name, cut_off)


def watch_checkpoints(instrumentor: Instrumentor, listener: Listener) -> None:
    """Post a note of each `checkpoint(eager=False)` and `localCheckpoint(eager=False)`, with the plan of the DataFrame.

    Does nothing without PySpark.
    """
    kind = data_frame_class()
    if kind is None:
        return

    def made(frame: Any, arguments: tuple[Any, ...], named: dict[str, Any], given: Any, _held: object) -> None:  # noqa: ANN401 as `After`
        is_eager = arguments[0] if arguments else named.get("eager", True)
        if not is_eager:
            listener.note_checkpoint(CHECKPOINT_MADE, given._jdf, frame._jdf)

    for name in _CHECKPOINTING:
        instrumentor.wrap(kind, name, made)


def _rdd() -> type:
    """Return PySpark's class of RDDs."""
    from pyspark import RDD

    return RDD


def data_frame_class() -> type | None:
    """Return the class of DataFrames of a driver; Spark 4 has another one for Connect. None without PySpark."""
    if "pyspark" not in sys.modules:
        return None
    try:
        from pyspark.sql.classic.dataframe import DataFrame as Classic
    except ImportError:
        from pyspark.sql import DataFrame

        return DataFrame
    return Classic
