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
from collections.abc import Collection

from sac_kafka.atlas.catalog.changes import SingleNotification
from sac_kafka.atlas.catalog.definitions import definitions, ended
from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityDelete
from sac_kafka.atlas.qualified_name import column_of_lineage


def superseded(
    bundle: EntityBundle, remembered: Remembered, present: Collection[str] | None = None
) -> tuple[SingleNotification, ...]:
    """Return deletes of earlier lineage of the same columns in the same flow; for statements that replace their output.

    `present` are all columns of the output as `qualified_name.column_in_process`; None if they are unknown.
    """
    owner = bundle.flow[-1].id
    now = {each.id for group in bundle.lineage for each in group.members}
    columns: defaultdict[str, set[AtlasObjectId]] = defaultdict(set)
    for each in remembered.members(owner):
        columns[column_of_lineage(each.qualified_name)].add(each)
    current: defaultdict[str, set[AtlasObjectId]] = defaultdict(set)
    for each in now:
        current[column_of_lineage(each.qualified_name)].add(each)
    there = None if present is None else {each.casefold() for each in present}
    removed = () if there is None else (each for each in columns if each.casefold() not in there)
    again = sorted({*bundle.known_columns, *current, *removed})
    gone = tuple(
        sorted(
            each for column in again for each in remembered.supersede(column, columns[column] - now, current[column])
        )
    )
    remembered.drop_members(owner, gone)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()


def superseded_definitions(
    bundle: EntityBundle, view: AtlasObjectId, remembered: Remembered, namespace: str, now_ms: int
) -> tuple[SingleNotification, ...]:
    """Return deletes of earlier definitions of a view and their column lineage; other inputs mean another name (R14)."""
    now = bundle.flow[-1].id
    old = definitions((view,), remembered, namespace) - {now}
    gone = ended(remembered.supersede(view.qualified_name, old, (now,)), remembered, now_ms)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()
