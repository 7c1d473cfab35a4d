"""Identify XML files read by com.databricks:spark-xml, and derive the writes of Databricks' COPY INTO."""

from __future__ import annotations

from collections import Counter

from sac_kafka.lineage.datasets.leaves import only_dataset, only_leaf, relation_reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.writes import Write, writes_of
from sac_kafka.model import Column
from sac_kafka.names.files import Patterns, paths
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRelation
from sac_kafka.plan.systems.databricks import CopyIntoCommand, XmlRelation


@writes_of.register
def _(node: CopyIntoCommand, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """Return a write without columns: the mapping of the files' columns to those of the table is unknown."""
    query = node.query if isinstance(node.query, LogicalPlan) else _files(node.source_path)
    target = only_leaf(node.target) if isinstance(node.target, LogicalPlan) else None
    dataset = only_dataset(target, patterns)
    if dataset is None or query is None:
        counts[f"command not understood: {node.simple_name}"] += 1
        return ()
    return (Write(dataset=dataset, query=query, output=()),)


def _files(path: object) -> LogicalPlan | None:
    if not isinstance(path, str) or not path:
        return None
    files = HadoopFsRelation(root_paths=(path,), file_format="")
    return LogicalRelation(relation=files, catalog_table=None, output=())


@relation_reading.register
def _(relation: XmlRelation, columns: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    return Reading(datasets=paths((relation.path,), "xml", columns, patterns)) if relation.path else None
