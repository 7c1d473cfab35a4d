"""Calls of PySpark's own methods that Spark posts no event of, seen where they are made: in the driver's Python."""

from __future__ import annotations

from sac_kafka.config.choices import StatementValues
from sac_kafka.guard import Guard
from sac_kafka.spark.calls import checkpoints, models, rdds, through_driver
from sac_kafka.spark.calls.wrapping import Wrapping
from sac_kafka.spark.port import Listening


def watched(
    listener: Listening,
    guard: Guard,
    *,
    follows_rdds: bool = True,
    statement_values: StatementValues = StatementValues.STRONG,
) -> Wrapping:
    """Have the listener told of these calls, until the wrapping is taken back.

    Args:
        listener: Who is told.
        guard: What our part of a call runs under.
        follows_rdds: False where nobody wants to know of RDDs.
        statement_values: Which values of a statement show that it was made of a read.
    """
    wrapping = Wrapping(guard)
    models.watch(wrapping, listener)
    checkpoints.watch(wrapping, listener)
    if follows_rdds:
        rdds.watch(wrapping, listener)
    through_driver.watch(wrapping, listener, statement_values, follows_rdds=follows_rdds)
    return wrapping
