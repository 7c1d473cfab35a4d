"""Declare the notes of the driver's Python about actions for which Spark posts no event."""

from __future__ import annotations

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.rdds import RddRows

RDD_OF_QUERY = "rdd of a query"
"""Kind of a note about `DataFrame.rdd`: the text is the id of the query's own RDD."""
RDD_CHECKPOINTED = "rdd to be checkpointed"
"""Kind of a note about `RDD.checkpoint` and `localCheckpoint`: the text is the id of the RDD, `rows` its origin."""
CHECKPOINT_MADE = "checkpoint that is not computed yet"
"""Kind of a note about a DataFrame's `checkpoint(eager=False)` and `localCheckpoint(eager=False)`.

The text is the id of the checkpoint's RDD, the plan that of the DataFrame.
"""
ROWS_READ = "rows read"
"""Kind of a note about rows that were read to the driver: the text is `{"read": 7}`, the plan that of the query."""
RDD_READ = "rows of an rdd read"
"""Kind of a note about rows of an RDD that were read to the driver: the text is `{"read": 7}`, `rows` the origin of the RDD."""
ROWS_MADE = "rows made"
"""Kind of a note about a DataFrame created from values of the driver, with its plan.

The text is `{"uses": [{"read": 7, "how": …, "columns": [0, null], "alike": [8]}], "in_question": [5]}`: the reads that it was
made of (7, or 8, which looks alike), and those that cannot be excluded. `"is_rdd": true`: it was created from an RDD, which may
contain such values or not.
"""

READS_TAG = "sac_kafka-reads"
"""Prefix of the job tag that a thread has while its statement contains values that were read: `sac_kafka-reads-7-9`."""


@spark_class("sackafka.DriverNote")
class DriverNote:
    """A note of the driver's Python; the meaning of `text`, which is JSON, and of `plan` and `rows` depends on `kind`.

    The text contains names, identifiers and paths only, none of the user's data.
    """

    kind: str
    text: str
    plan: LogicalPlan | None = accessor("plan", default=None)
    rows: RddRows | None = accessor("rows", default=None)
