"""Find the OpenLineage names that connectors give their data."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.model import Column
from sac_kafka.names.files import Patterns
from sac_kafka.names.openlineage_names import dataset_of
from sac_kafka.plan.nodes import NAME, NAMESPACE, OwnName


def own_reading(names: tuple[OwnName, ...], columns: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """Return the datasets read under the given names; None if there are none."""
    found = tuple(d for name in names if (d := dataset_of(name, columns, patterns)) is not None)
    return Reading(datasets=found) if found else None


def own_name_of(properties: Mapping[str, str] | None) -> OwnName | None:
    """Return the OpenLineage name in the properties of a table, or None."""
    known = properties or {}
    namespace, name = known.get(NAMESPACE), known.get(NAME)
    return OwnName(namespace=namespace, name=name) if namespace and name else None
