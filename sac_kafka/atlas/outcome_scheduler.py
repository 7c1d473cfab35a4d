"""Schedule outcomes for emission.

Drops are delayed, table definitions are attached to the process that wrote the table, and `compat = sac` merges everything
into one process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.catalog.drops import HeldDrops
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.flows.whole_application import WholeApplication
from sac_kafka.lineage.model import (
    DatabaseDropped,
    Outcome,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import QueryText


@dataclass(frozen=True, slots=True)
class ScheduledOutcome:
    """An outcome to emit now, with the definitions, by key, of the tables that its statement created or replaced."""

    outcome: Outcome
    defined: Mapping[str, TableDataset] = field(default_factory=dict)


class OutcomeScheduler:
    """Scheduler of the outcomes of one application. Not thread-safe; times are epoch milliseconds."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._drops = HeldDrops(int(context.content.drop_delay_seconds * 1000))
        self._whole = WholeApplication() if context.naming.is_sac else None

    def schedule(self, outcomes: tuple[Outcome, ...], now_ms: int) -> Iterator[ScheduledOutcome]:
        """Yield what is to be emitted now for the outcomes of an event; drops are held back."""
        written = {output.key for each in outcomes if isinstance(each, Process) for output in each.outputs}
        defined: dict[str, TableDataset] = {}
        for outcome in outcomes:
            if self._whole and not isinstance(outcome, Process):
                self._whole.change(outcome)
            # Hive's own hook reports drops immediately, so delaying them here would gain nothing.
            if isinstance(outcome, TableDropped) and not self._context.naming.is_hive(outcome.table.catalog):
                self._drops.hold(outcome, now_ms)
                continue
            yield from self._released(outcome)
            if isinstance(outcome, TableDefined) and outcome.table.key in written and self._whole is None:
                # The process that follows carries the definition: one message instead of two.
                defined[outcome.table.key] = outcome.table
            elif isinstance(outcome, Process):
                process = _with_query_text(outcome, self._context.content)
                yield ScheduledOutcome(self._whole.add(process) if self._whole else process, defined)
            else:
                yield ScheduledOutcome(outcome)

    def due(self, now_ms: int) -> Iterator[ScheduledOutcome]:
        """Yield the drops whose delay has expired."""
        return _scheduled(self._drops.due(now_ms))

    def held(self) -> Iterator[ScheduledOutcome]:
        """Yield all delayed drops now (at a flush and at the end of the application)."""
        return _scheduled(self._drops.all())

    def _released(self, outcome: Outcome) -> Iterator[ScheduledOutcome]:
        """Yield the held drops that must precede this outcome; cancel those that it makes obsolete."""
        if isinstance(outcome, TableDefined):
            self._drops.cancel(outcome.table.key)
        elif isinstance(outcome, Process):
            for output in outcome.outputs:
                self._drops.cancel(output.key)
        elif isinstance(outcome, TableRenamed):
            yield from _scheduled(self._drops.release(outcome.new.key))
        elif isinstance(outcome, DatabaseDropped):
            yield from self.held()


def _scheduled(drops: Iterable[TableDropped]) -> Iterator[ScheduledOutcome]:
    return map(ScheduledOutcome, drops)


def _with_query_text(process: Process, content: Content) -> Process:
    text, limit, is_off = process.run.query_text, content.query_text_length, content.query_text is QueryText.OFF
    if text is None or (not is_off and len(text) <= limit):
        return process
    return replace(process, run=replace(process.run, query_text=None if is_off or not limit else text[:limit]))
