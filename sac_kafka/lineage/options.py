"""Hold the options of the lineage of one application."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.model.bounds import DEFAULT, Budget
from sac_kafka.names.files import Patterns


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageOptions:
    """Options of the lineage of one application.

    Attributes:
        patterns: Patterns that fold segments of paths.
        budget: Limits of column lineage.
        stops_at_views: As in `TraversalOptions`.
        plan_text: Attach the text of the analyzed plan to each run.
        failed_too: Also yield the processes of failed executions, with `Run.failure`.
        reads: Also yield queries that only return rows to the driver.
        follows_rdds: False if the listener does not project RDDs.
        process: The Python process of the application, where several share the driver.
        statement_inputs: As in `DriverValues`.
    """

    patterns: Patterns = ()
    budget: Budget = DEFAULT
    stops_at_views: bool = True
    plan_text: bool = False
    failed_too: bool = False
    reads: bool = False
    follows_rdds: bool = True
    process: str = ""
    statement_inputs: bool = False
