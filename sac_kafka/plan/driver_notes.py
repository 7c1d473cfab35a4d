"""Notes of the driver's Python: what it does that Spark posts no event of."""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.rdds import RddRows

RDD_OF_QUERY = "rdd of a query"
"""The kind that tells of `DataFrame.rdd`: its text is the id of the query's own RDD."""
RDD_CHECKPOINTED = "rdd to be checkpointed"
"""The kind that tells of `RDD.checkpoint` and `localCheckpoint`: its text is the id of the RDD, `rows` what it is made of."""
CHECKPOINT_MADE = "checkpoint that is not computed yet"
"""The kind that tells of a DataFrame's `checkpoint(eager=False)` and `localCheckpoint(eager=False)`: its text is the id of the
checkpoint's RDD, its plan that of the DataFrame which the checkpoint is of.
"""
ROWS_READ = "rows read"
"""Rows came to the driver: `{"read": 7}`, with the plan that gave them."""
RDD_READ = "rows of an rdd read"
"""Rows of an RDD came to the driver: `{"read": 7}`; `rows` is what it is made of."""
ROWS_MADE = "rows made"
"""A DataFrame was made of rows of the driver: `{"uses": [{"read": 7, "how": …, "columns": [0, null]}]}`, with its plan.

`"is_rdd": true` where it was made of an RDD, which may be made of such rows or not; `"may_miss": true` in a use where the rows
have values of no read, and there are reads that they show nothing of.
"""

READS_TAG = "sac_kafka-reads"
"""Begins the job tag of what a thread runs while a statement holds values that it has read: `sac_kafka-reads-7-9`."""


def tagged_reads(tags: Iterable[str]) -> tuple[int, ...]:
    """The numbers of the reads that job tags name.

    >>> tagged_reads(("nightly", "sac_kafka-reads-7-9"))
    (7, 9)
    """
    numbers = (tag.removeprefix(READS_TAG).split("-") for tag in tags if tag.startswith(READS_TAG))
    return tuple(int(number) for each in numbers for number in each if number.isdecimal())


@spark_class("sackafka.DriverNote")
class DriverNote:
    """A note, by its `kind`: `text` is JSON that the kind has a meaning for, `plan` the analyzed plan of a DataFrame.

    Nothing of the user's data is in the text: names, identifiers, paths.
    """

    kind: str
    text: str
    plan: LogicalPlan | None = accessor("plan", default=None)
    rows: RddRows | None = accessor("rows", default=None)
