"""Derive the datasets that the leaves of a plan read: one registered function per kind of leaf, relation or table."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from sac_kafka.lineage.datasets.reading import Reading, own_reading
from sac_kafka.lineage.datasets.sources import path_is_a_name, reading_by_options, source_of, source_reading
from sac_kafka.lineage.datasets.systems.hudi_reads import FILE_GROUPS, by_name, hudi_reading, shows_changes
from sac_kafka.lineage.datasets.tables import catalog_dataset, columns, is_hidden, table
from sac_kafka.model import Column
from sac_kafka.names.files import BasePath, Patterns, paths
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.relations import (
    HadoopFsRelation,
    HiveTableRelation,
    LogicalRelation,
    OtherRelation,
    RowsWithoutDataset,
)
from sac_kafka.plan.systems.delta import CloneSource, DeltaChangesRelation

_FILES = (HadoopFsRelation, DeltaChangesRelation, CloneSource)
"""Relations that are identified by the table's name if they are read by it."""


@singledispatch
def reading(leaf: LogicalPlan, patterns: Patterns) -> Reading | None:
    """Return what a leaf reads, without datasets if there are none; None if the leaf is not understood."""
    del leaf, patterns
    return None


@reading.register
def _(leaf: LogicalRelation, patterns: Patterns) -> Reading | None:
    schema = columns([a for a in leaf.output if not is_hidden(a)])
    relation = leaf.relation
    if leaf.is_streaming and isinstance(relation, HadoopFsRelation) and relation.file_format != FILE_GROUPS:
        relation = _replace_batch_files(relation, leaf.stream_path)
    found = relation_reading(relation, schema, patterns)
    if found is None and leaf.own_name is not None:
        found = own_reading((leaf.own_name,), schema, patterns)
    # Files read by a table's name are that table. Rows of an external system are identified by that system, not by the catalog.
    if leaf.catalog_table is not None and (found is None or isinstance(leaf.relation, _FILES)):
        hidden = frozenset() if found is None else found.hidden
        own = () if shows_changes(found) else tuple(c for c in schema if c.name not in hidden)
        return by_name(found, catalog_dataset(leaf.catalog_table, own))
    if found is None and isinstance(leaf.relation, OtherRelation):
        return relation_by_options(leaf.relation, schema, patterns)
    return found


def _replace_batch_files(files: HadoopFsRelation, path: str | None) -> HadoopFsRelation:
    """Replace the new files of a micro-batch by the path that the stream watches, else by their directories."""
    directories = dict.fromkeys(p.rpartition("/")[0] for p in files.root_paths)
    return replace(files, root_paths=(path,) if path else tuple(directories))


def relation_by_options(relation: OtherRelation, schema: tuple[Column, ...], patterns: Patterns) -> Reading:
    """Identify the relation of an unknown connector by its options, else by its option `path`."""
    options = relation.options or {}
    found = reading_by_options(relation.relation_class, options, schema)
    if found is not None:
        return found
    path = options.get("path")
    # Spark qualifies the paths of commands; a path without a scheme could be on any file system.
    if path and ":/" in path and not path_is_a_name(relation.relation_class):
        return Reading(datasets=paths((path,), relation.relation_class.removesuffix("Relation"), schema, patterns))
    return Reading(counts=(f"relation not understood: {relation.relation_class}",))


@reading.register
def _(leaf: HiveTableRelation, _patterns: Patterns) -> Reading:
    return Reading(datasets=(table(leaf.catalog_table, columns(leaf.output)),))


@reading.register
def _(leaf: UnknownPlan, patterns: Patterns) -> Reading | None:
    """Read the inputs that a connector's node declares."""
    return own_reading(leaf.inputs, columns(leaf.output), patterns)


@reading.register
def _(_leaf: RowsWithoutDataset, _patterns: Patterns) -> Reading:
    return Reading()


@singledispatch
def relation_reading(found: object, schema: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """Return the dataset of a relation or of a source's table; None if it is unknown or only its catalog has a name for it."""
    del patterns
    return source_reading(found, schema)


@relation_reading.register
def _(found: OtherRelation, schema: tuple[Column, ...], _patterns: Patterns) -> Reading | None:
    """Identify a relation of a known system by its options; for others, the catalog's table is preferred."""
    is_known = source_of(found.relation_class) is not None
    return reading_by_options(found.relation_class, found.options or {}, schema) if is_known else None


@relation_reading.register
def _(found: HadoopFsRelation, schema: tuple[Column, ...], patterns: Patterns) -> Reading:
    of_format = hudi_reading(found, schema, patterns)
    # The file index of a table format (Delta Lake) identifies the table better than the paths of its files.
    if of_format is None and found.index is not None:
        of_format = relation_reading(found.index, schema, patterns)
    if of_format is not None:
        return of_format
    read = paths(found.root_paths, found.file_format, schema, patterns, _base_path(found))
    return Reading(datasets=tuple(replace(each, partitions=found.partitions) for each in read))


def _base_path(files: HadoopFsRelation) -> BasePath | None:
    path = (files.options or {}).get("basepath")
    return BasePath(path, files.partitions) if path and files.partitions else None
