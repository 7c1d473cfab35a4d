"""Name, filter and count the outcomes of lineage before they are scheduled."""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.atlas.context import Context
from sac_kafka.hook.pipeline_stats import PipelineStats
from sac_kafka.model import Application, Outcome, Process
from sac_kafka.settings.declarations.choices import ColumnLineageMode
from sac_kafka.stages.catalog_names import with_catalog_names
from sac_kafka.stages.completeness import without_columns
from sac_kafka.stages.dbt import with_dbt_job
from sac_kafka.stages.filters.outcomes import filtered
from sac_kafka.stages.filters.rulings import Selection


class OutcomeFilter:
    """The rules that the settings have for outcomes, and the counters of what they leave.

    Args:
        context: The application, and the properties that all its messages share.
        selection: The rules for exclusion.
        stats: Counts what is kept and what is excluded.
    """

    def __init__(self, context: Context, selection: Selection, stats: PipelineStats) -> None:
        self._context = context
        self._selection = selection
        self._stats = stats
        self._catalog_names = dict(context.naming.names.catalog_names)

    def kept(self, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
        """Return the outcomes that are to be reported, under the names of the settings."""
        named = map(self._named, outcomes)
        kept = filtered(named, self._context.application, self._selection, self._stats.excluded)
        return tuple(map(self._counted, kept))

    def add_unreported(self, application: Application, reason: str) -> None:
        """Count a write without a process, unless its job or user is excluded."""
        if self._selection.job(application.job).is_kept and self._selection.user(application.user).is_kept:
            self._stats.writes.add_unreported(application, reason)

    def _named(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the catalogs' names, under dbt's job name.

        A job name in the settings of the driver or the session takes precedence.
        """
        outcome = with_catalog_names(outcome, self._catalog_names)
        if not isinstance(outcome, Process) or not self._context.naming.names.has_no_job_name:
            return outcome
        application = outcome.application
        is_set = application.is_job_chosen and application.job != self._context.application.job
        return outcome if is_set else with_dbt_job(outcome)

    def _counted(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome, Process):
            if self._context.column_lineage is ColumnLineageMode.OFF:
                outcome = without_columns(outcome)
            self._stats.writes.add(outcome)
        return outcome
