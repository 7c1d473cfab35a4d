"""What the leaves of a plan read: one registered function a kind of leaf, relation or table."""

from __future__ import annotations

from functools import singledispatch

from sac_kafka.lineage.datasets.files import Patterns, paths
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.sources import source_reading
from sac_kafka.lineage.datasets.tables import catalog_dataset, columns, is_hidden, table
from sac_kafka.lineage.model import Column
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import HadoopFsRelation, HiveTableRelation, LogicalRelation, RowsWithoutDataset


@singledispatch
def reading(leaf: LogicalPlan, patterns: Patterns) -> Reading | None:
    """What a leaf reads; without datasets where there is none to name, None where the leaf is not understood."""
    del leaf, patterns
    return None


@reading.register
def _(leaf: LogicalRelation, patterns: Patterns) -> Reading | None:
    of = columns([a for a in leaf.output if not is_hidden(a)])
    found = relation_reading(leaf.relation, of, patterns)
    # Files that were read by a table's name are that table; rows that are elsewhere are there, whatever the catalog calls them.
    if leaf.catalog_table is not None and (found is None or isinstance(leaf.relation, HadoopFsRelation)):
        return Reading(datasets=(catalog_dataset(leaf.catalog_table, of),))
    return found


@reading.register
def _(leaf: HiveTableRelation, patterns: Patterns) -> Reading:
    del patterns
    return Reading(datasets=(table(leaf.catalog_table, columns(leaf.output)),))


@reading.register
def _(leaf: RowsWithoutDataset, patterns: Patterns) -> Reading:
    del leaf, patterns
    return Reading()


@singledispatch
def relation_reading(found: object, of: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """What a relation or a table of a source is; None where it is not understood, or known by its catalog's name only."""
    del patterns
    return source_reading(found, of)


@relation_reading.register
def _(found: HadoopFsRelation, of: tuple[Column, ...], patterns: Patterns) -> Reading:
    return Reading(datasets=paths(found.root_paths, found.file_format, of, patterns))
