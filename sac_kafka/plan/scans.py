"""What the scans of an executed plan counted."""

from __future__ import annotations

from sac_kafka.plan.declaration import spark_class
from sac_kafka.plan.nodes import LogicalPlan


@spark_class("sackafka.ScanFigures")
class ScanFigures:
    """What one scan counted, None for what it did not; `leaves` are those of the analyzed plan that it may be of.

    There is one leaf, unless nothing tells several apart. `write` is the position of the writing command that it is for, -1 for
    none. `rows` are those that the source handed over, `bytes` the size of the files.
    """

    leaves: tuple[LogicalPlan, ...]
    write: int
    rows: int | None
    files: int | None
    bytes: int | None
