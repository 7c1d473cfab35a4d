"""Instrument methods of PySpark whose calls Spark posts no event for."""

from __future__ import annotations

from sac_kafka.guard import Guard
from sac_kafka.settings.declarations.choices import StatementValues
from sac_kafka.spark.calls import driver_values as through_driver
from sac_kafka.spark.calls import models, rdds, sessions
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.listener import Listener


def instrument(
    listener: Listener,
    guard: Guard,
    *,
    follows_rdds: bool = True,
    statement_values: StatementValues = StatementValues.STRONG,
) -> Instrumentor:
    """Instrument the methods and post a note to the listener for each relevant call, until `restore` is called.

    Args:
        listener: Posts the notes.
        guard: Runs the hook's part of each call.
        follows_rdds: False if RDDs are not followed.
        statement_values: Which values of a statement prove that it was made from rows of a read.
    """
    instrumentor = Instrumentor(guard)
    sessions.watch(instrumentor, listener)
    models.watch(instrumentor, listener)
    rdds.watch(instrumentor, listener, follows_rdds=follows_rdds)
    through_driver.watch(instrumentor, listener, statement_values, follows_rdds=follows_rdds)
    return instrumentor
