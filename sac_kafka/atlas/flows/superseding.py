"""Delete column lineage that a later definition of the same column has replaced.

The name of column lineage contains a digest of its inputs (R15). An expression over other columns therefore creates a new
entity, and the earlier one must be deleted by name. The same holds for the influences of a column when its conditions are
removed, for all lineage of a column that no longer has sources (`NULL`, `count(*)`), and of one that the output no longer has,
also if the table was dropped and re-created in between. Deletes are emitted only if the
statement replaced its output; an append keeps the lineage of earlier statements. Lineage of columns with unknown sources
is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import cast

from sac_kafka.atlas.catalog.changes import SingleNotification
from sac_kafka.atlas.catalog.definitions import definitions, end_definitions
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.flows.standing import ObsoleteFlow, Rewritten
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityDelete
from sac_kafka.atlas.qualified_name import column_of_lineage
from sac_kafka.model import Process


def supersede(
    bundle: EntityBundle, remembered: Remembered, present: Collection[str] | None = None
) -> tuple[SingleNotification, ...]:
    """Return deletes of earlier lineage of the same columns in the same flow; for statements that replace their output.

    `present` are all columns of the output as `qualified_name.column_in_process`; None if they are unknown.
    """
    now = _lineage(bundle)
    columns, current = _by_column(remembered.members(bundle.flow[-1].id)), _by_column(now)
    there = None if present is None else {name.casefold() for name in present}
    removed = () if there is None else (each for each in columns if each.casefold() not in there)
    again = sorted({*bundle.known_columns, *current, *removed})
    return _delete_old(bundle, {column: columns[column] - now for column in again}, remembered)


def superseded_in_part(
    bundle: EntityBundle, columns: Collection[AtlasObjectId], remembered: Remembered
) -> tuple[SingleNotification, ...]:
    """Return deletes of column lineage whose rows a write of the same flow has replaced, unless it has written it again."""
    old = remembered.members(bundle.flow[-1].id).intersection(columns) - _lineage(bundle)
    return _delete_old(bundle, _by_column(old), remembered)


def _delete_old(
    bundle: EntityBundle, old: Mapping[str, Collection[AtlasObjectId]], remembered: Remembered
) -> tuple[SingleNotification, ...]:
    current = _by_column(_lineage(bundle))
    gone = tuple(
        sorted(
            each for column, sources in old.items() for each in remembered.supersede(column, sources, current[column])
        )
    )
    remembered.drop_members(bundle.flow[-1].id, gone)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()


def _lineage(bundle: EntityBundle) -> frozenset[AtlasObjectId]:
    return frozenset(member.id for group in bundle.lineage for member in group.members)


def _by_column(lineage: Iterable[AtlasObjectId]) -> defaultdict[str, set[AtlasObjectId]]:
    """Return column lineage by `qualified_name.column_in_process`."""
    found: defaultdict[str, set[AtlasObjectId]] = defaultdict(set)
    for id_ in lineage:
        found[column_of_lineage(id_.qualified_name)].add(id_)
    return found


def written(process: Process, bundle: EntityBundle, context: Context, remembered: Remembered, now_ms: int) -> Rewritten:
    """Record that a flow was written, and return which earlier column lineage of it this proves to be gone."""
    if context.naming.is_sac:
        return Rewritten()
    flow = bundle.flow[-1]
    inputs, outputs = (
        cast("tuple[AtlasObjectId, ...]", flow.references.get(side, ())) for side in ("inputs", "outputs")
    )
    return remembered.flows.record(flow.id, process, (inputs, outputs), _lineage(bundle), now_ms)


def without_obsolete(remembered: Remembered, now_ms: int, *, everything: bool) -> tuple[SingleNotification, ...]:
    """Return deletes of flows of whose rows none is left, or of some of their column lineage; and forget these."""
    found = tuple(_obsolete(each, remembered, now_ms) for each in remembered.flows.due(now_ms, everything=everything))
    return tuple(SingleNotification(notification=EntityDelete(ids=ids)) for ids in found if ids)


def _obsolete(flow: ObsoleteFlow, remembered: Remembered, now_ms: int) -> tuple[AtlasObjectId, ...]:
    if flow.is_whole:
        return end_definitions((flow.process,), remembered, now_ms)
    gone = tuple(sorted(remembered.members(flow.process).intersection(flow.columns)))
    remembered.drop_members(flow.process, gone)
    return gone


def superseded_definitions(
    bundle: EntityBundle, view: AtlasObjectId, remembered: Remembered, namespace: str, now_ms: int
) -> tuple[SingleNotification, ...]:
    """Return deletes of earlier definitions of a view and their column lineage; other inputs mean another name (R14)."""
    now = bundle.flow[-1].id
    old = definitions((view,), remembered, namespace) - {now}
    gone = end_definitions(remembered.supersede(view.qualified_name, old, (now,)), remembered, now_ms)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()
