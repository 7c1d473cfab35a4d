"""Declare the metrics of the scans of an executed plan."""

from __future__ import annotations

from sac_kafka.plan.declaration import spark_class
from sac_kafka.plan.nodes import LogicalPlan


@spark_class("sackafka.ScanFigures")
class ScanMetrics:
    """Metrics of one scan; None for each that it did not count.

    Attributes:
        leaves: Leaves of the analyzed plan that it may belong to: one, unless several cannot be distinguished.
        write: Position of the writing command that it reads for; -1 for none.
        rows: Rows that the source returned.
        files: Files read.
        bytes: Size of the files.
    """

    leaves: tuple[LogicalPlan, ...]
    write: int
    rows: int | None
    files: int | None
    bytes: int | None
