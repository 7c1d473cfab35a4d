"""The dialect `atlas`: what a server is told of an outcome, in the types that every Atlas since 2.1 ships.

What another dialect says of it is another `Dialect`; `messages` writes what any of them says. Pure, but for the explicit
memory of what was sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from sac_kafka.atlas import datasets
from sac_kafka.atlas.catalog.changes import Emission, SingleNotification, emissions, vanished, without_definitions
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.flows import processes
from sac_kafka.atlas.flows.entity_bundle import EntityBundle, entity_bundle
from sac_kafka.atlas.flows.superseding import superseded, superseded_definitions
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.lineage.model import Application, Change, Dataset, Outcome, PathDataset, Process, TableDataset
from sac_kafka.stats import Completeness

Defined = Mapping[str, TableDataset]
"""The whole definitions, by key, of tables that a statement created or replaced."""

Wrote = Iterable[tuple[Application, Completeness | None]]
"""Applications, each a job, with how complete the lineage of its writes is: None where it made none."""

MAX_JOBS = 100
"""Jobs of one application in one message at its end."""


class Dialect(Protocol):
    """What is said of outcomes, in whose types and names; `counts` is what it had to leave unsaid, by reason."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Reason to how often."""

    def emissions(
        self, outcome: Outcome, context: Context, remembered: Remembered, now_ms: int, defined: Defined
    ) -> tuple[Emission, ...]:
        """What a server has to be told of an outcome, in order; `now_ms` is epoch milliseconds.

        Raises:
            TypeError: a dataset of a class that has no type.
        """

    def at_the_end(self, wrote: Wrote, context: Context, status: str) -> tuple[SingleNotification, ...]:
        """Return the messages that end an application: its status, and how complete the lineage of its jobs' writes is."""


class AtlasDialect:
    """The dialect `atlas`, and with `compat = sac` that of the Spark Atlas Connector."""

    counts: Mapping[str, int] = MappingProxyType({})

    def emissions(
        self, outcome: Outcome, context: Context, remembered: Remembered, now_ms: int, defined: Defined
    ) -> tuple[Emission, ...]:
        """What a server has to be told: entities by Atlas' own rules."""
        if isinstance(outcome, Process):
            return _of_process(outcome, context, remembered, now_ms, defined)
        return _of_change(outcome, context, remembered, now_ms)

    def at_the_end(self, wrote: Wrote, context: Context, status: str) -> tuple[SingleNotification, ...]:
        """The applications, each a job, in messages of at most MAX_JOBS; the Spark Atlas Connector had none."""
        told = () if context.naming.is_sac else tuple(wrote)
        entities = [processes.application(of, context.naming, context.content, found, status) for of, found in told]
        parts = (tuple(entities[at : at + MAX_JOBS]) for at in range(0, len(entities), MAX_JOBS))
        return tuple(SingleNotification(notification=EntityCreate(entities=part)) for part in parts)


def _of_change(change: Change, context: Context, remembered: Remembered, now_ms: int) -> tuple[Emission, ...]:
    return emissions(change, naming=context.naming, remembered=remembered, now_ms=now_ms)


def _of_process(
    process: Process, context: Context, remembered: Remembered, now_ms: int, defined: Defined
) -> tuple[Emission, ...]:
    """Deletes of what the process' datasets and columns no longer have, then the process.

    A run that failed is said only of a flow that the server has: its status, and nothing that it did not bring about. The
    end of a streaming query is said whatever was acknowledged by then: else it would run for ever.
    """
    whole_process = replace(process, outputs=tuple(defined.get(each.key, each) for each in process.outputs))
    said = entity_bundle(
        whole_process,
        naming=context.naming,
        mode=context.column_lineage,
        content=context.content,
        whole=defined,
    )
    if process.defines_view:
        return _of_definition(process, said, context, remembered, now_ms, defined)
    if not process.outputs and not remembered.unsent(said.lineage, now_ms):
        return ()  # a read that the server has: its runs are no news
    if not process.has_happened:
        known = remembered.has(said.flow[-1].id, now_ms)
        return (replace(said, definitions=(), lineage=()),) if known else ()
    complete = (each for each in whole_process.outputs if _is_complete(each, defined))
    gone = [
        each
        for dataset in complete
        for each in vanished(datasets.entities(dataset, context.naming), remembered, now_ms)
    ]
    made = [datasets.entities(each, context.naming).id for each in defined.values() if not each.is_view]
    no_views = without_definitions(made, context.naming, remembered, now_ms) if made else ()
    replaces = process.replaces_output or any(each.key in defined for each in process.outputs)
    return (*no_views, *gone, *(superseded(said, remembered) if replaces else ()), said)


def _of_definition(
    process: Process,
    said: EntityBundle,
    context: Context,
    remembered: Remembered,
    now_ms: int,
    defined: Defined,
) -> tuple[Emission, ...]:
    """The definition of a view, unless the server has it: each reader of the view tells it again."""
    (view,) = process.outputs
    is_new = bool(remembered.unsent(said.lineage, now_ms))
    if process.run.failure is not None or not (is_new or view.key in defined):
        return ()
    described = datasets.entities(defined.get(view.key, view), context.naming)
    gone = vanished(described, remembered, now_ms) if view.key in defined else ()
    old = superseded_definitions(said, described.id, remembered, context.naming.namespace, now_ms)
    return (*gone, *old, *superseded(said, remembered), said)


def _is_complete(output: Dataset, defined: Defined) -> bool:
    return output.key in defined or (isinstance(output, PathDataset) and output.is_replaced)
