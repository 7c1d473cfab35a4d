"""Hold the state of an application that the handlers of its events share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sac_kafka.lineage.catalog.catalog import Catalog
from sac_kafka.lineage.executions import UnreportedWriteHandler, UnreportedWrites
from sac_kafka.lineage.open_executions import OpenExecutions
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.row_origins import RowOrigins
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.stages.process_stages import StageState


@dataclass(frozen=True, slots=True)
class ActionContext:
    """State of an application, shared by the handlers of its events.

    Attributes:
        state: That of the stages, which know the application and its datasets.
        options: The options of its lineage.
        counts: Counters of what was seen and of what was not understood, by reason.
        open: The running executions.
        origins: The origins of rows that a plan does not show, and the extractor of executions.
        catalog: The current tables and databases.
        unreported: Reporter of writes without a process.
        attribution: The Python processes and sessions of the driver.
    """

    state: StageState
    options: LineageOptions
    counts: Counter[str]
    open: OpenExecutions
    origins: RowOrigins
    catalog: Catalog
    unreported: UnreportedWrites
    attribution: Attribution


def action_context(state: StageState, options: LineageOptions, unreported: UnreportedWriteHandler) -> ActionContext:
    """Return the context of an application before its first event, from the arguments of `actions.Actions`."""
    counts: Counter[str] = Counter()
    attribution = Attribution(state.application, counts, options.process)
    origins = RowOrigins(attribution, options, state.known.models, counts)
    return ActionContext(
        state,
        options,
        counts,
        OpenExecutions(counts),
        origins,
        Catalog(state.known),
        UnreportedWrites(origins.executions, unreported),
        attribution,
    )
