"""Derive the writes of Databricks' COPY INTO, which loads files, or a query over them, into a table."""

from __future__ import annotations

from collections import Counter

from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.writes import Write, writes_of
from sac_kafka.lineage.model import Dataset
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRelation
from sac_kafka.plan.systems.databricks import CopyIntoCommand


@writes_of.register
def _(node: CopyIntoCommand, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """Return a write without columns: the mapping of the files' columns to those of the table is unknown."""
    query = node.query if isinstance(node.query, LogicalPlan) else _files(node.source_path)
    dataset = _target(node.target, patterns)
    if dataset is None or query is None:
        counts[f"command not understood: {node.simple_name}"] += 1
        return ()
    return (Write(dataset=dataset, query=query, output=()),)


def _files(path: object) -> LogicalPlan | None:
    if not isinstance(path, str) or not path:
        return None
    files = HadoopFsRelation(root_paths=(path,), file_format="")
    return LogicalRelation(
        class_name="LogicalRelation", children=(), subqueries=(), relation=files, catalog_table=None, output=()
    )


def _target(plan: object, patterns: Patterns) -> Dataset | None:
    found = plan
    while isinstance(found, LogicalPlan) and len(found.children) == 1:
        found = found.children[0]
    read = reading(found, patterns) if isinstance(found, LogicalPlan) else None
    return None if read is None else read.only
