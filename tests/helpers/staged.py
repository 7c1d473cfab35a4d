"""Lineage with the stages that its outcomes pass, as the pipeline of a hook runs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sac_kafka.atlas.context import Context
from sac_kafka.lineage import actions
from sac_kafka.lineage.executions import UnreportedWriteHandler, ignore
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.model import Application, Outcome, Process
from sac_kafka.plan.execution import Event
from sac_kafka.settings.names import Names
from sac_kafka.stages.filters.outcomes import FilterCounts, Rules
from sac_kafka.stages.filters.rulings import Selection
from sac_kafka.stages.known_datasets import known_datasets
from sac_kafka.stages.outcome_scheduler import OutcomeScheduler
from sac_kafka.stages.process_stages import StageState, pass_outcomes
from sac_kafka.stages.table_places import TablePlaces

_DEFAULTS, _NAMES = LineageOptions(), Names()


class Actions(actions.Actions):
    """The events of an application; its outcomes have passed the stages."""

    def __init__(
        self,
        application: Application,
        options: LineageOptions = _DEFAULTS,
        *,
        names: Names = _NAMES,
        places: TablePlaces | None = None,
        unreported: UnreportedWriteHandler = ignore,
    ) -> None:
        self._state = StageState(application=application, known=known_datasets(names.path_aliases, places), names=names)
        super().__init__(self._state, options, unreported)

    @property
    def counts(self) -> Counter[str]:
        return super().counts + self._state.counts

    def add(self, event: Event) -> Sequence[Outcome]:  # type: ignore[override]
        return pass_outcomes(super().add(event), self._state)

    def flush(self) -> Sequence[Outcome]:  # type: ignore[override]
        return pass_outcomes(super().flush(), self._state)

    def end(self) -> Sequence[Outcome]:  # type: ignore[override]
        return pass_outcomes(super().end(), self._state)


def filtered(
    outcomes: Iterable[Outcome], application: Application, selection: Selection, counts: FilterCounts
) -> tuple[Outcome, ...]:
    """Return what rules leave of the outcomes of one event."""
    rules = Rules(selection, counts)
    selected = [rules.select(each) if isinstance(each, Process) else each for each in outcomes]
    return tuple(rules.select_changes([each for each in selected if each is not None], application))


def stage_state(
    aliases: Sequence[tuple[str, str]] = (), places: TablePlaces | None = None, *, paths_as_tables: bool = True
) -> StageState:
    """Return the state of an application whose processes pass `pass_stages_of_datasets`."""
    application = Application(job="test", application_id="local-1", name="test", user="tester")
    names = Names(paths_as_tables=paths_as_tables)
    return StageState(application=application, known=known_datasets(aliases, places), names=names)


def scheduler_of(context: Context) -> OutcomeScheduler:
    """Return the scheduler of an application, as the pipeline makes it."""
    naming = context.naming
    delay = context.content.drop_delay_seconds
    return OutcomeScheduler(delay, is_one_process=naming.is_sac, is_hive=naming.is_hive)
