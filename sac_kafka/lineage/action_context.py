"""Hold the state of an application that the handlers of its events share."""

from __future__ import annotations

from collections import Counter

from sac_kafka.lineage.catalog.catalog import Catalog
from sac_kafka.lineage.executions import UnreportedWriteHandler
from sac_kafka.lineage.open_executions import OpenExecutions
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.row_origins import RowOrigins
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.stages.process_stages import StageState


class ActionContext:
    """State of an application, shared by the handlers of its events. `Actions` makes it, from its own arguments.

    Attributes:
        counts: Counters of what was seen and of what was not understood, by reason.
        attribution: The Python processes and sessions of the driver.
        open: The running executions.
        origins: The origins of rows that a plan does not show, and the extractor of executions.
        catalog: The current tables and databases.
    """

    def __init__(self, state: StageState, options: LineageOptions, unreported: UnreportedWriteHandler) -> None:
        self.state, self.options = state, options
        self.counts: Counter[str] = Counter()
        self.attribution = Attribution(state.application, self.counts, options.process)
        self.open = OpenExecutions(self.counts)
        self.origins = RowOrigins(self.attribution, options, state.known.models, self.counts, unreported)
        self.catalog = Catalog(state.known)
