"""Identify XML files read by com.databricks:spark-xml."""

from __future__ import annotations

from sac_kafka.lineage.datasets.files import Patterns, paths
from sac_kafka.lineage.datasets.leaves import relation_reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.model import Column
from sac_kafka.plan.systems.xml import XmlRelation


@relation_reading.register
def _(found: XmlRelation, columns: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    return Reading(datasets=paths((found.path,), "xml", columns, patterns)) if found.path else None
