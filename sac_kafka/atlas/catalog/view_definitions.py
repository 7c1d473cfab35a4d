"""Find the view definitions on the server: processes named after the view, which must be deleted explicitly."""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.atlas.qualified_name import definitions_of


def definitions(views: Iterable[AtlasObjectId], remembered: Remembered, namespace: str) -> frozenset[AtlasObjectId]:
    """Return the remembered definitions that the views have or had."""
    named_by = definitions_of(views, namespace)
    return frozenset(each for each in remembered.owners("spark_process") if named_by(each.qualified_name))


def ended(definitions: Iterable[AtlasObjectId], remembered: Remembered, now_ms: int) -> tuple[AtlasObjectId, ...]:
    """Return the entities to delete for definitions, column lineage first, and forget them."""
    gone = sorted(definitions)
    if not gone:
        return ()
    lineage = sorted(member for each in gone for member in remembered.members(each))
    remembered.drop(gone, now_ms)
    return (*lineage, *gone)
