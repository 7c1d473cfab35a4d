"""Column lineage that a later definition of the same column has replaced, and that has to go by name.

The name of a column's lineage holds a digest of its inputs (R15): when the expression uses other columns there is a new
entity, and the one of the earlier expression would stay. It goes where the statement replaced all that its output had;
a statement that appends leaves what others have written.
"""

from __future__ import annotations

from collections import defaultdict

from sac_kafka.atlas.catalog.changes import Said
from sac_kafka.atlas.flows.statement import Statement
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.notification import EntityDelete


def superseded(said: Statement, remembered: Remembered) -> tuple[Said, ...]:
    """Deletes the lineage that other inputs of the same columns had in the same flow; for what replaces its output."""
    owner = said.flow[-1].id
    now = {each.id for group in said.lineage for each in group.members}
    columns: defaultdict[str, set[AtlasObjectId]] = defaultdict(set)
    for each in remembered.members(owner):
        columns[_column(each)].add(each)
    old = {each for column in {_column(each) for each in now} for each in columns[column]} - now
    gone = tuple(remembered.supersede(owner, old, now))
    return (Said(notification=EntityDelete(ids=gone)),) if gone else ()


def _column(lineage: AtlasObjectId) -> str:
    """The name without its digest: `<process>:<column>`."""
    return lineage.qualified_name.rpartition("@")[0].rpartition(":")[0]
