"""Convert outcomes to emissions in the dialect `atlas`, that is in the types that every Atlas since 2.1 ships.

Other dialects implement the protocol `Dialect`; `messages` encodes the emissions of any of them. Pure, except for the
explicit memory of what was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from sac_kafka.atlas import datasets, qualified_name
from sac_kafka.atlas.catalog.changes import Emission, SingleNotification, delete_missing, emissions, without_definitions
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.flows import processes
from sac_kafka.atlas.flows.entity_bundle import EntityBundle, entity_bundle
from sac_kafka.atlas.flows.superseding import (
    supersede,
    superseded_definitions,
    superseded_in_part,
    without_obsolete,
    written,
)
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.naming import Naming
from sac_kafka.atlas.notification import EntityCreate, EntityDelete
from sac_kafka.model import Dataset, Outcome, PathDataset, Process, TableDataset
from sac_kafka.stages.output import Jobs as Jobs

Defined = Mapping[str, TableDataset]
"""Complete definitions, by key, of the tables that a statement created or replaced."""

MAX_JOBS = 100
"""Maximum number of jobs in one message at the end of an application."""


class Dialect(Protocol):
    """Converter of outcomes to emissions in the types and names of one kind of server."""

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of items that could not be emitted, by reason."""

    def emissions(
        self, outcome: Outcome, context: Context, remembered: Remembered, now_ms: int, defined: Defined
    ) -> tuple[Emission, ...]:
        """Return the emissions for an outcome, in sending order; `now_ms` is epoch milliseconds.

        Raises:
            TypeError: The class of a dataset has no type.
        """

    def without_obsolete(
        self, remembered: Remembered, now_ms: int, *, everything: bool
    ) -> tuple[SingleNotification, ...]:
        """Return deletes of flows of whose rows none is left; `everything`: also of those that may be written again."""

    def at_the_end(self, jobs: Jobs, context: Context, status: str) -> tuple[SingleNotification, ...]:
        """Return the notifications that end an application: its status and the completeness of its jobs' lineage."""


class AtlasDialect:
    """The dialect `atlas`, and with `compat = sac` that of the Spark Atlas Connector."""

    counts: Mapping[str, int] = MappingProxyType({})

    def emissions(
        self, outcome: Outcome, context: Context, remembered: Remembered, now_ms: int, defined: Defined
    ) -> tuple[Emission, ...]:
        """Return the emissions for an outcome, following Atlas' own rules."""
        if isinstance(outcome, Process):
            return _of_process(outcome, context, remembered, now_ms, defined)
        return emissions(outcome, naming=context.naming, remembered=remembered, now_ms=now_ms)

    def without_obsolete(
        self, remembered: Remembered, now_ms: int, *, everything: bool
    ) -> tuple[SingleNotification, ...]:
        """Return deletes of obsolete flows with their column lineage, a message for each."""
        return without_obsolete(remembered, now_ms, everything=everything)

    def at_the_end(self, jobs: Jobs, context: Context, status: str) -> tuple[SingleNotification, ...]:
        """Return the applications, at most MAX_JOBS per message; none in the dialect of the Spark Atlas Connector."""
        shown = () if context.naming.is_sac else tuple(jobs)
        entities = [
            processes.application(app, context.naming, context.content, writes, status) for app, writes in shown
        ]
        parts = (tuple(entities[at : at + MAX_JOBS]) for at in range(0, len(entities), MAX_JOBS))
        return tuple(SingleNotification(notification=EntityCreate(entities=part)) for part in parts)


def _of_process(
    process: Process, context: Context, remembered: Remembered, now_ms: int, defined: Defined
) -> tuple[Emission, ...]:
    """Return deletes of what the datasets and columns of a process no longer have, then the process.

    A failed run is emitted only if the server knows the flow, and then only with its status, as it changed nothing else.
    The end of a streaming query is always emitted; otherwise the query would appear to run forever.
    """
    whole_process = replace(process, outputs=tuple(defined.get(output.key, output) for output in process.outputs))
    complete = tuple(
        output for output in whole_process.outputs if process.has_happened and _is_complete(output, defined)
    )
    bundle = entity_bundle(whole_process, context, defined, {each.key for each in complete})
    if process.defines_view:
        return _of_definition(process, bundle, context, remembered, now_ms, defined)
    if not process.outputs and not remembered.unsent(bundle.lineage, now_ms):
        return ()  # The server has this read; further runs of it are not sent.
    if not process.has_happened:
        known = remembered.has(bundle.flow[-1].id, now_ms)
        return (replace(bundle, definitions=(), lineage=()),) if known else ()
    gone = [
        each
        for dataset in complete
        for each in delete_missing(datasets.entities(dataset, context.naming), remembered, now_ms, bundle.former)
    ]
    made = [datasets.entities(each, context.naming).id for each in defined.values() if not each.is_view]
    no_views = without_definitions(made, context.naming, remembered, now_ms) if made else ()
    replaced = _of_columns(whole_process, bundle, context, remembered, now_ms, defined)
    if not bundle.former:
        return (*no_views, *gone, *replaced, bundle)
    owners = [datasets.entities(each, context.naming).id for each in complete]
    for owner in owners:
        remembered.drop_members(owner, bundle.former)
    remembered.drop_columns(owners, now_ms)
    # The columns in `former` are deleted, so the same column lineage of later ones is not what was sent.
    once = tuple(replace(each, digest=f"{each.digest}{remembered.epoch}") for each in bundle.lineage)
    after = SingleNotification(notification=EntityDelete(ids=bundle.former))
    return (*no_views, *gone, *replaced, replace(bundle, lineage=once), after)


def _of_columns(
    process: Process, bundle: EntityBundle, context: Context, remembered: Remembered, now_ms: int, defined: Defined
) -> tuple[Emission, ...]:
    """Record the write, and return deletes of column lineage that it has replaced."""
    replaces = process.replaces_output or any(output.key in defined for output in process.outputs)
    rewritten = written(process, bundle, context, remembered, now_ms)
    if replaces or rewritten.is_whole:
        are_known = rewritten.is_whole and _are_all_described(process)
        return supersede(bundle, remembered, _present(process, bundle, context.naming, defined, are_known=are_known))
    return superseded_in_part(bundle, rewritten.columns, remembered) if rewritten.columns else ()


def _of_definition(
    process: Process,
    bundle: EntityBundle,
    context: Context,
    remembered: Remembered,
    now_ms: int,
    defined: Defined,
) -> tuple[Emission, ...]:
    """Return the definition of a view, unless the server has it: every read of the view yields the definition again."""
    (view,) = process.outputs
    written(process, bundle, context, remembered, now_ms)
    is_new = bool(remembered.unsent(bundle.lineage, now_ms))
    if process.run.failure is not None or not (is_new or view.key in defined):
        return ()
    described = datasets.entities(defined.get(view.key, view), context.naming)
    gone = delete_missing(described, remembered, now_ms) if view.key in defined else ()
    old = superseded_definitions(bundle, described.id, remembered, context.naming.namespace, now_ms)
    return (*gone, *old, *supersede(bundle, remembered), bundle)


def _are_all_described(process: Process) -> bool:
    """Return whether the sources of all columns of the output are known, so that columns without any have lost them."""
    described = {column.column.casefold() for column in process.columns}
    return not process.gaps and all(
        c.name.casefold() in described for output in process.outputs for c in output.columns
    )


def _present(
    process: Process, bundle: EntityBundle, naming: Naming, defined: Defined, *, are_known: bool
) -> tuple[str, ...] | None:
    """Return the columns of the only output as `column_in_process`; None unless all of them are known."""
    (output, *others) = process.outputs or (None,)
    are_known |= output is not None and _is_complete(output, defined)
    if output is None or others or process.stream is not None or not are_known:
        return None
    stem = qualified_name.stem(bundle.flow[-1].id.qualified_name, naming.namespace)
    names = (column.name for column in output.columns)
    return tuple(qualified_name.column_in_process(stem, name, output=None) for name in names) or None


def _is_complete(output: Dataset, defined: Defined) -> bool:
    return output.key in defined or (isinstance(output, PathDataset) and output.is_replaced)
