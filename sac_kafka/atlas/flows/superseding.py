"""Column lineage that a later definition of the same column has replaced, and that has to go by name.

The name of a column's lineage holds a digest of its inputs (R15): when the expression uses other columns there is a new
entity, and the one of the earlier expression would stay. What only influences the column is another entity, which goes
when the expression has lost its conditions. A column that is now made of no other (`NULL`, `count(*)`) has no lineage
any more. All of these go where the statement replaced all that its output had; a statement that appends leaves what others
have written. The lineage of a column whose sources are unknown is kept.
"""

from __future__ import annotations

from collections import defaultdict

from sac_kafka.atlas.catalog.changes import SingleNotification
from sac_kafka.atlas.catalog.view_definitions import definitions, ended
from sac_kafka.atlas.flows.entity_bundle import EntityBundle
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityDelete
from sac_kafka.atlas.qualified_name import column_of_lineage


def superseded(said: EntityBundle, remembered: Remembered) -> tuple[SingleNotification, ...]:
    """Deletes the lineage that other inputs of the same columns had in the same flow; for what replaces its output."""
    owner = said.flow[-1].id
    now = {each.id for group in said.lineage for each in group.members}
    columns: defaultdict[str, set[AtlasObjectId]] = defaultdict(set)
    for each in remembered.members(owner):
        columns[column_of_lineage(each.qualified_name)].add(each)
    current: defaultdict[str, set[AtlasObjectId]] = defaultdict(set)
    for each in now:
        current[column_of_lineage(each.qualified_name)].add(each)
    again = sorted(said.known_columns | current.keys())
    gone = tuple(
        sorted(
            each for column in again for each in remembered.supersede(column, columns[column] - now, current[column])
        )
    )
    remembered.drop_members(owner, gone)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()


def superseded_definitions(
    said: EntityBundle, view: AtlasObjectId, remembered: Remembered, namespace: str, now_ms: int
) -> tuple[SingleNotification, ...]:
    """Deletes the definitions that a view had, with their column lineage: of other inputs they have other names (R14)."""
    now = said.flow[-1].id
    old = definitions((view,), remembered, namespace) - {now}
    gone = ended(remembered.supersede(view.qualified_name, old, (now,)), remembered, now_ms)
    return (SingleNotification(notification=EntityDelete(ids=gone)),) if gone else ()
