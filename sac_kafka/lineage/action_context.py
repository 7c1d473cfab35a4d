"""Hold the state of an application that the handlers of its events share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sac_kafka.lineage.catalog.catalog import Catalog
from sac_kafka.lineage.executions import UnreportedWriteHandler, UnreportedWrites
from sac_kafka.lineage.open_executions import OpenExecutions
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.lineage.row_origins import RowOrigins
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.model import Application, Process
from sac_kafka.stages.joined_runs import JoinedRuns, places
from sac_kafka.stages.table_places import TablePlaces


@dataclass(frozen=True, slots=True)
class ActionContext:
    """State of an application, shared by the handlers of its events.

    Attributes:
        application: The application, under the driver's job name.
        options: The options of its lineage.
        counts: Counters of what was seen and of what was not understood, by reason.
        open: The running executions.
        origins: The origins of rows that a plan does not show, and the extractor of executions.
        catalog: The current tables and databases.
        unreported: Reporter of writes without a process.
        attribution: The Python processes and sessions of the driver.
        runs: The last runs of each flow.
    """

    application: Application
    options: LineageOptions
    counts: Counter[str]
    open: OpenExecutions
    origins: RowOrigins
    catalog: Catalog
    unreported: UnreportedWrites
    attribution: Attribution
    runs: JoinedRuns = field(default_factory=JoinedRuns)

    def joined(self, process: Process) -> Process:
        """Return a process with its tables in their current state, added to the last runs of its flow."""
        return self.runs.joined(self.catalog.current(process), places(process.outputs))


def action_context(
    application: Application, options: LineageOptions, known: TablePlaces | None, unreported: UnreportedWriteHandler
) -> ActionContext:
    """Return the context of an application before its first event, from the arguments of `actions.Actions`."""
    counts: Counter[str] = Counter()
    attribution = Attribution(application, counts, options.process)
    origins = RowOrigins(attribution, options, counts)
    return ActionContext(
        application,
        options,
        counts,
        OpenExecutions(counts),
        origins,
        Catalog(paths_as_tables=options.paths_as_tables, aliases=options.path_aliases, places=known),
        UnreportedWrites(origins.executions, unreported),
        attribution,
    )
