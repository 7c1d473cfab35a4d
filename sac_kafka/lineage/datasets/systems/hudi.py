"""Derive the writes of Hudi's commands, and identify Hudi tables.

Hudi adds metadata columns to each row (`_hoodie_commit_time` …). They are columns of the table when read, but never come from
the query of a write.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sac_kafka.lineage.datasets.leaves import only_dataset, relation_reading
from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.systems.hudi_reads import is_metadata
from sac_kafka.lineage.datasets.tables import columns, table
from sac_kafka.lineage.datasets.v1_writes import rename
from sac_kafka.lineage.datasets.v2_writes import change_rows, target_of
from sac_kafka.lineage.datasets.writes import Write, write_of
from sac_kafka.model import Column
from sac_kafka.names.files import Patterns, paths
from sac_kafka.plan.expressions import Attribute, Literal
from sac_kafka.plan.operators import Filter
from sac_kafka.plan.systems.hudi import (
    CreateHoodieTableAsSelect,
    DeleteHoodieTable,
    HudiNotes,
    HudiRelation,
    InsertIntoHoodieTable,
    MergeIntoHoodieTable,
    UpdateHoodieTable,
)


@write_of.register
def _(node: InsertIntoHoodieTable, patterns: Patterns) -> Write | None:
    dataset = only_dataset(node.target, patterns)
    if dataset is None:
        return None
    names = [c.name for c in dataset.columns if not is_metadata(c.name)]
    is_whole = node.overwrite and not node.has_static_partitions
    output = _match_columns(_without_metadata(node.query_output), names)
    return Write(dataset=dataset, query=node.query, output=output, is_replacement=is_whole)


@write_of.register
def _(node: CreateHoodieTableAsSelect, _patterns: Patterns) -> Write:
    output = _without_metadata(node.query_output)
    # The command's definition precedes the creation, so its owner and creation time are not those of the catalog.
    dataset = dataclasses.replace(table(node.table, columns(output)), owner=None, created_ms=None)
    return Write(dataset=dataset, query=node.query, output=output, is_replacement=node.mode != "Append")


@write_of.register(UpdateHoodieTable)
@write_of.register(MergeIntoHoodieTable)
def _(node: UpdateHoodieTable | MergeIntoHoodieTable, patterns: Patterns) -> Write | None:
    return write_of(node.update if isinstance(node, UpdateHoodieTable) else node.merge, patterns)


@write_of.register
def _(node: DeleteHoodieTable, patterns: Patterns) -> Write | None:
    target, rows = target_of(node.query), node.query
    while len(rows.children) == 1 and not isinstance(rows, Filter):
        rows = rows.children[0]
    if target is None or not isinstance(rows, Filter) or isinstance(rows.condition, Literal):
        return None  # deleting all rows depends on no column
    return change_rows(target, rows, (), patterns)


@relation_reading.register
def _(_found: HudiNotes, _schema: tuple[Column, ...], _patterns: Patterns) -> Reading:
    return Reading()


@relation_reading.register
def _(relation: HudiRelation, schema: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    if "/.hoodie/" in relation.base_path:
        return Reading()
    return Reading(datasets=paths((relation.base_path,), "hudi", schema, patterns)) if relation.base_path else None


def _without_metadata(rows: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Return the written columns of a query, without Hudi's metadata columns, which Hudi regenerates."""
    return tuple(a for a in rows if not is_metadata(a.name))


def _match_columns(rows: tuple[Attribute, ...], names: Sequence[str]) -> tuple[Attribute, ...]:
    """Map the columns of a query to those of the table: by name if it has all of them, else by position."""
    spelled = {name.lower(): name for name in names}
    if spelled.keys() <= {a.name.lower() for a in rows}:
        return tuple(dataclasses.replace(a, name=spelled.get(a.name.lower(), a.name)) for a in rows)
    return rename(rows, names)
