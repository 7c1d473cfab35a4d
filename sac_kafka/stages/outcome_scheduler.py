"""Schedule outcomes for emission.

Drops are delayed, table definitions are attached to the process that wrote the table, and `compat = sac` merges everything
into one process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.model import (
    Change,
    ColumnRenamed,
    DatabaseDropped,
    Dataset,
    Outcome,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.model.merging import merge


class HeldDrops:
    """Held drops, in order of arrival: by key the drop and when it came. Not thread-safe; times are epoch milliseconds.

    Jobs drop a table to create it again, and so do statements (`saveAsTable` with overwrite). Deleting and creating an entity
    under one name each time would fill the lineage with deleted entities (R17). So a drop is held back, and a table that is
    re-created within the delay counts as the same table with a new definition.
    """

    def __init__(self, delay_ms: int) -> None:
        self._delay_ms = delay_ms
        self.held: dict[str, tuple[TableDropped, int]] = {}

    def hold(self, drop: TableDropped, now_ms: int) -> None:
        """Hold a drop until its delay expires or the table is re-created."""
        self.held[drop.table.key] = (drop, now_ms)

    def release(self, key: str) -> tuple[TableDropped, ...]:
        """Return and remove the drop of a table, if held: it is emitted now, or obsolete as the table was re-created."""
        return tuple(drop for drop, _ in filter(None, [self.held.pop(key, None)]))

    def due(self, now_ms: int) -> tuple[TableDropped, ...]:
        """Return and remove the drops whose delay has expired."""
        ready = [key for key, (_, since_ms) in self.held.items() if now_ms - since_ms >= self._delay_ms]
        return tuple(drop for key in ready for drop in self.release(key))

    def all(self) -> tuple[TableDropped, ...]:
        """Return and remove all held drops."""
        return tuple(drop for key in list(self.held) for drop in self.release(key))


class WholeApplication:
    """Merge of the statements of an application into one process, like the Spark Atlas Connector. Not thread-safe.

    The process is named after the application, so all statements form one flow. Each message contains everything read and
    written so far, because Atlas keeps the edges of inputs that a later message lacks (R14). Dropped tables are omitted;
    sending them would create them again.

    Source: SAC `SparkExecutionPlanProcessor`, `AtlasEntityUtils.processToEntity`.
    """

    def __init__(self) -> None:
        self._inputs: dict[str, Dataset] = {}
        self._outputs: dict[str, Dataset] = {}

    def add(self, process: Process) -> Process:
        """Return the process with all inputs and outputs so far."""
        for side, datasets in ((self._inputs, process.inputs), (self._outputs, process.outputs)):
            for dataset in datasets:
                known = side.get(dataset.key)
                side[dataset.key] = merge(dataset, known) if known else dataset
        return replace(
            process,
            inputs=tuple(self._inputs.values()),
            outputs=tuple(self._outputs.values()),
            columns=(),
            row_level=(),
            clauses=(),
            decided_by=(),
        )

    def change(self, change: Change) -> None:
        """Apply a change of a table to the collected datasets."""
        match change:
            case TableDropped(table=old):
                self._replace(old.key)
            case TableRenamed(old=old, new=new):
                self._replace(old.key, new)
            case TableDefined(table=new) | ColumnRenamed(table=new):
                self._replace(new.key, new)

    def _replace(self, key: str, *new: Dataset) -> None:
        for side in (self._inputs, self._outputs):
            if side.pop(key, None) is not None:
                side.update({each.key: each for each in new})


@dataclass(frozen=True, slots=True)
class ScheduledOutcome:
    """An outcome to emit now.

    Attributes:
        outcome: The outcome.
        defined: The definitions, by key, of the tables that its statement created or replaced.
        together: The keys of all datasets that its execution writes.
    """

    outcome: Outcome
    defined: Mapping[str, TableDataset] = field(default_factory=dict)
    together: frozenset[str] = frozenset()


class OutcomeScheduler:
    """Scheduler of the outcomes of one application. Not thread-safe; times are epoch milliseconds.

    Args:
        drop_delay_seconds: How long drops are held.
        is_one_process: Merge all statements into one process (`WholeApplication`).
        is_hive: Returns whether Hive's own hook reports the drops of a catalog.
    """

    def __init__(
        self,
        drop_delay_seconds: float = 0.0,
        *,
        is_one_process: bool = False,
        is_hive: Callable[[str | None], bool] = lambda _catalog: False,
    ) -> None:
        self._drops = HeldDrops(int(drop_delay_seconds * 1000))
        self._whole = WholeApplication() if is_one_process else None
        self._is_hive = is_hive

    def __bool__(self) -> bool:
        """Return whether an outcome is held back."""
        return bool(self._drops.held)

    def schedule(self, outcomes: tuple[Outcome, ...], now_ms: int) -> Iterator[ScheduledOutcome]:
        """Yield what is to be emitted now for the outcomes of an event; drops are held back."""
        written = {output.key for each in outcomes if isinstance(each, Process) for output in each.outputs}
        defined: dict[str, TableDataset] = {}
        for outcome in outcomes:
            if self._whole and not isinstance(outcome, Process):
                self._whole.change(outcome)
            # Hive's own hook reports drops immediately, so delaying them here would gain nothing.
            if isinstance(outcome, TableDropped) and not self._is_hive(outcome.table.catalog):
                self._drops.hold(outcome, now_ms)
                continue
            if self._drops.held:
                yield from self._release(outcome)
            if isinstance(outcome, TableDefined) and outcome.table.key in written and self._whole is None:
                # The process that follows carries the definition: one message instead of two.
                defined[outcome.table.key] = outcome.table
            elif isinstance(outcome, Process):
                together = frozenset() if self._whole else _written_together(outcome, outcomes)
                yield ScheduledOutcome(self._whole.add(outcome) if self._whole else outcome, defined, together)
            else:
                yield ScheduledOutcome(outcome)

    def due(self, now_ms: int) -> Iterator[ScheduledOutcome]:
        """Yield the drops whose delay has expired."""
        return _schedule(self._drops.due(now_ms))

    def held(self) -> Iterator[ScheduledOutcome]:
        """Yield all delayed drops now (at a flush and at the end of the application)."""
        return _schedule(self._drops.all())

    def _release(self, outcome: Outcome) -> Iterator[ScheduledOutcome]:
        """Yield the held drops that must precede this outcome; cancel those that it makes obsolete."""
        if isinstance(outcome, TableDefined):
            self._drops.release(outcome.table.key)
        elif isinstance(outcome, Process):
            for output in outcome.outputs:
                self._drops.release(output.key)
        elif isinstance(outcome, TableRenamed):
            yield from _schedule(self._drops.release(outcome.new.key))
        elif isinstance(outcome, DatabaseDropped):
            yield from self.held()


def _written_together(process: Process, outcomes: Iterable[Outcome]) -> frozenset[str]:
    """Return the keys of what the execution of a process writes; those of the process alone if it is of no execution."""
    of = process.run.execution_id
    others = (
        each
        for each in outcomes
        if isinstance(each, Process) and each.run.execution_id == of and not each.defines_view and each.stream is None
    )
    alone = of is None or process.defines_view or process.stream is not None
    return frozenset(output.key for each in ((process,) if alone else others) for output in each.outputs)


def _schedule(drops: Iterable[TableDropped]) -> Iterator[ScheduledOutcome]:
    return map(ScheduledOutcome, drops)
