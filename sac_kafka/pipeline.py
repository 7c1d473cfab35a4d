"""The stages in order, `Pipeline.run`: decode → extract → entities → messages → records.

Pure but for what it remembers of the application: a recorded batch goes through the same stages (`recording.replay`).
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.catalog.drops import HeldDrops
from sac_kafka.atlas.dialect import Context, Message, messages, values
from sac_kafka.atlas.flows.processes import Annotations
from sac_kafka.atlas.flows.whole_application import WholeApplication
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.naming import Naming
from sac_kafka.config.choices import ColumnLineageMode, Compat, MessageForm, QueryText, TableModel, Views
from sac_kafka.lineage.actions import Actions
from sac_kafka.lineage.budget import Budget
from sac_kafka.lineage.model import (
    Application,
    DatabaseDropped,
    Outcome,
    Process,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
)
from sac_kafka.plan import wire
from sac_kafka.settings import Settings
from sac_kafka.transport.base import MessageKind, Record
from sac_kafka.transport.factory import sink_of


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to say: an outcome, and the definitions, by key, of what its statement created or replaced."""

    outcome: Outcome
    defined: Mapping[str, TableDataset] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message, and the record that carries it."""

    message: Message
    record: Record


Told = Callable[[wire.Line], None]
"""Is given what the listener says beside events: a marker, the end, a stack."""
Guarding = Callable[[str], AbstractContextManager[None]]
"""Gives what a stage of this name runs under (`guard.Guard`)."""


def now_ms() -> int:
    """Give the time of day, in epoch milliseconds."""
    return int(time.time() * 1000)


class Pipeline:
    """The pipeline of one application.

    Args:
        application: Whose plans these are.
        context: What its messages have in common.
        settings: The hook's.
        remembered: What the server has been told already.
        guard: What the stages run under; by default their errors are the caller's.
        clock: Epoch milliseconds.
    """

    def __init__(
        self,
        application: Application,
        context: Context,
        settings: Settings,
        remembered: Remembered | None = None,
        *,
        guard: Guarding = lambda _: nullcontext(),
        clock: Callable[[], int] = now_ms,
    ) -> None:
        names, content = settings.names, settings.content
        self.application = application
        self.context = context
        # Not `or`: a memory that is still empty counts as False.
        fresh = Remembered(max_age_ms=int(content.sent_max_age_seconds * 1000))
        self.remembered = fresh if remembered is None else remembered
        self._query_text = (content.query_text, content.query_text_length)
        self._actions = Actions(
            application,
            tuple(re.compile(p) for p in names.path_patterns),
            paths_as_tables=names.paths_as_tables,
            budget=Budget(
                nodes=content.column_lineage_max_nodes,
                columns=content.column_lineage_max_columns,
                edges=content.column_lineage_max_edges,
            ),
            # One process says all of an application: a failure is that of a statement, which has none of its own.
            failed_too=context.naming.compat is not Compat.SAC,
            plan_text=content.plan_text,
            # One process of a whole application cannot be cut in two at its views.
            stops_at_views=context.naming.compat is not Compat.SAC and content.views is Views.HOP,
        )
        self._drops = HeldDrops(int(content.drop_delay_seconds * 1000))
        self._whole = WholeApplication() if context.naming.compat is Compat.SAC else None
        self._notes: Counter[str] = Counter()
        self._microseconds = 0
        self._guard = guard
        self._clock = clock
        self._topic = settings.sink.topic
        self._key = application.application_id.encode()
        self.listener_counts: Mapping[str, int] = {}
        self.processes = 0
        self.message_types: Counter[str] = Counter()

    @property
    def counts(self) -> Mapping[str, int]:
        """What was seen, and what was not understood (reason to how often)."""
        return {**self._actions.counts, **self._notes}

    @property
    def projecting_microseconds(self) -> int:
        """The time that the driver's JVM spent on projecting."""
        return self._microseconds

    def run(self, text: str, tell: Told = lambda _: None) -> Iterator[Outgoing]:
        """All stages of a line that the listener has written.

        Raises:
            Exception: Without a guard: the line is none of the listener's, or a stage has failed.
        """
        line: wire.Line | None = None
        with self._guard("decode"):
            line = wire.read_line(text)
        if isinstance(line, wire.Projected):
            event = line
            yield from self.said("lineage", lambda now_ms: self.steps(event, now_ms))
        elif isinstance(line, wire.Counters):
            self.listener_counts = line.counts
        elif line is not None:
            tell(line)

    def said(self, stage: str, steps: Callable[[int], Iterable[Step]]) -> Iterator[Outgoing]:
        """From what there is to say to records, in the order of sending; `stage` finds the steps of a moment."""
        ready: tuple[Step, ...] = ()
        with self._guard(stage):
            ready = tuple(steps(self._clock()))
        for step in ready:
            messages: tuple[Message, ...] = ()
            is_flow = isinstance(step.outcome, Process)
            with self._guard("entities"):
                messages = self.messages(step, self._clock())
                self.processes += is_flow and bool(messages)
            for message in messages:
                record: Record | None = None
                with self._guard("send"):
                    self.message_types[message.type] += 1
                    record = self._record(message, is_flow=is_flow)
                if record is not None:
                    yield Outgoing(message, record)

    def _record(self, message: Message, *, is_flow: bool) -> Record:
        # A delete that comes late could take away what was made again in the meantime.
        kind = MessageKind.FLOW if is_flow and not message.is_delete else MessageKind.CATALOG
        return Record(self._topic, self._key, values(message, self.context), kind, self._clock())

    def steps(self, line: wire.Projected, now_ms: int) -> Iterator[Step]:
        """What an event makes to be said; `now_ms` is epoch milliseconds."""
        self._notes.update(line.notes)
        self._microseconds += line.microseconds
        outcomes = tuple(self._actions.add(line.event))
        written = {output.key for each in outcomes if isinstance(each, Process) for output in each.outputs}
        defined: dict[str, TableDataset] = {}
        for outcome in outcomes:
            if self._whole and not isinstance(outcome, Process):
                self._whole.change(outcome)
            # A Hive hook says at once what was dropped there.
            if isinstance(outcome, TableDropped) and not self.context.naming.is_hive(outcome.table.catalog):
                self._drops.hold(outcome, now_ms)
                continue
            yield from self._released(outcome)
            if isinstance(outcome, TableDefined) and outcome.table.key in written and self._whole is None:
                # The process that follows carries the definition: one message instead of two.
                defined[outcome.table.key] = outcome.table
            elif isinstance(outcome, Process):
                process = _with_query_text(outcome, *self._query_text)
                yield Step(self._whole.add(process) if self._whole else process, defined)
            else:
                yield Step(outcome)

    def due(self, now_ms: int) -> Iterator[Step]:
        """The drops that have waited long enough."""
        return map(Step, self._drops.due(now_ms))

    def held(self, _: int = 0) -> Iterator[Step]:
        """The drops that still wait, as at the end of the application."""
        return map(Step, self._drops.all())

    def messages(self, step: Step, now_ms: int) -> tuple[Message, ...]:
        """The messages of a step, in order of sending."""
        return messages(
            step.outcome, context=self.context, remembered=self.remembered, now_ms=now_ms, defined=step.defined
        )

    def _released(self, outcome: Outcome) -> Iterator[Step]:
        """The drops that must be said before this, or never."""
        if isinstance(outcome, TableDefined):
            self._drops.take_back(outcome.table.key)
        elif isinstance(outcome, Process):
            for output in outcome.outputs:
                self._drops.take_back(output.key)
        elif isinstance(outcome, TableRenamed):
            yield from map(Step, self._drops.release(outcome.new.key))
        elif isinstance(outcome, DatabaseDropped):
            yield from self.held()


def atlas_context(
    settings: Settings,
    application: Application,
    source_ip: str = "",
    *,
    is_hive: bool = False,
    metastore: str | None = None,
) -> Context:
    """What the messages of an application have in common.

    Args:
        settings: The settings.
        application: The application.
        source_ip: The driver's address.
        is_hive: The session catalog is a remote Hive metastore.
        metastore: What tells its catalog from others, for the names of the Spark Atlas Connector.
    """
    names, content = settings.names, settings.content
    is_sac = names.compat is Compat.SAC
    return Context(
        naming=Naming(
            namespace=names.namespace,
            table_model=content.table_model or (TableModel.HIVE if is_hive else TableModel.SPARK),
            path_types=names.path_types,
            has_dataset_columns=content.dataset_columns,
            compat=names.compat,
            application_id=application.application_id,
            application_name=application.name,
            metastore=metastore,
        ),
        user=application.user,
        source_ip=source_ip,
        created_by=application.user,
        column_lineage=ColumnLineageMode.OFF if is_sac else content.column_lineage,
        annotations=Annotations(
            labels=content.labels,
            custom_attributes=content.custom_attributes,
            classifications=content.classifications,
        ),
        form=content.message_form or (MessageForm.V1 if is_sac else MessageForm.V2),
        max_bytes=content.message_max_bytes,
        max_entities=content.message_max_entities,
        splits=sink_of(settings).joins_parts(settings),
        compresses=content.message_compression,
    )


def _with_query_text(process: Process, mode: QueryText, longest: int) -> Process:
    text = process.run.query_text
    if text is None or (mode is not QueryText.OFF and len(text) <= longest):
        return process
    shown = None if mode is QueryText.OFF or not longest else text[:longest]
    return replace(process, run=replace(process.run, query_text=shown))
