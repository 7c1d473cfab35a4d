"""Observe calls after which an RDD does not show the sources of its rows.

PySpark makes an RDD of a DataFrame of the query's own RDD, which does not name what it reads; a checkpoint cuts an RDD off, as
soon as a job has run, and no job shows which RDD the checkpoint of a DataFrame is if it is not computed when it is made.
"""

from __future__ import annotations

import sys

from sac_kafka.spark.calls.instrumentor import Instrumentor, ObservedCall
from sac_kafka.spark.listener import Listener

RDD_OF_QUERY, RDD_CHECKPOINTED = "rdd of a query", "rdd to be checkpointed"
CHECKPOINT_MADE = "checkpoint that is not computed yet"
"""The kinds of the notes (`plan.driver_notes`)."""
_CHECKPOINTING = ("checkpoint", "localCheckpoint")


def watch(instrumentor: Instrumentor, listener: Listener, *, follows_rdds: bool = True) -> None:
    """Post a note of each `checkpoint(eager=False)` and `localCheckpoint(eager=False)`, with the plan of the DataFrame.

    With `follows_rdds`, also of `DataFrame.rdd` and `toJSON` with that plan, and of RDD checkpoints with their sources. Does
    nothing without PySpark.
    """
    kind = data_frame_class()
    if kind is None:
        return
    from pyspark import RDD

    def checkpoint_made(call: ObservedCall) -> None:
        if not call.first("eager", default=True):
            listener.note_checkpoint(CHECKPOINT_MADE, call.given._jdf, call.receiver._jdf)

    def made(call: ObservedCall) -> None:
        if call.held and not isinstance(call.given, kind):  # a setting of Spark 4 has toJSON give a DataFrame
            listener.note_rdd(RDD_OF_QUERY, call.given._jrdd, call.receiver._jdf)

    for name in _CHECKPOINTING:
        instrumentor.wrap(kind, name, checkpoint_made)
    if not follows_rdds:
        return
    for name in _CHECKPOINTING:
        instrumentor.wrap(RDD, name, lambda call: listener.note_rows(RDD_CHECKPOINTED, call.receiver._jrdd))
    instrumentor.wrap_property(kind, "rdd", made, before=lambda call: getattr(call.receiver, "_lazy_rdd", None) is None)
    instrumentor.wrap(kind, "toJSON", made, before=lambda _: True)


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
