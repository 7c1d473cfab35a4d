"""The definitions of views that a server has: processes named by the view, which nothing else deletes."""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.qualified_name import definitions_of


def definitions(views: Iterable[AtlasObjectId], remembered: Remembered, namespace: str) -> frozenset[AtlasObjectId]:
    """Those that the views have or had, as far as it is remembered."""
    named_by = definitions_of(views, namespace)
    return frozenset(each for each in remembered.owners("spark_process") if named_by(each.qualified_name))


def ended(definitions: Iterable[AtlasObjectId], remembered: Remembered, now_ms: int) -> tuple[AtlasObjectId, ...]:
    """All that is to be deleted of definitions, their column lineage first; it is forgotten at once."""
    gone = sorted(definitions)
    if not gone:
        return ()
    lineage = sorted(member for each in gone for member in remembered.members(each))
    remembered.drop(gone, now_ms)
    return (*lineage, *gone)
