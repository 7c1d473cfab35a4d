"""Derive the datasets that the leaves of a plan read: one registered function per kind of leaf, relation or table."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from sac_kafka.lineage.datasets.reading import Reading, own_reading
from sac_kafka.lineage.datasets.sources import path_is_a_name, reading_by_options, source_of, source_reading
from sac_kafka.lineage.datasets.systems.hudi_reads import FILE_GROUPS, by_name, hudi_reading
from sac_kafka.lineage.datasets.tables import catalog_dataset, columns, is_hidden, table
from sac_kafka.model import Column, Dataset
from sac_kafka.names.files import BasePath, Patterns, paths
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan, walk
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


def only_leaf(plan: LogicalPlan) -> LogicalPlan | None:
    """Return the leaf of a plan, below aliases, projections and views; None if there are several."""
    leaves = [leaf for leaf in walk(plan) if not leaf.children]
    return leaves[0] if len(leaves) == 1 else None


def only_dataset(leaf: LogicalPlan | None, patterns: Patterns) -> Dataset | None:
    """Return the dataset that a leaf reads; None if it is not a single one."""
    read = None if leaf is None else reading(leaf, patterns)
    return None if read is None else read.only


@reading.register
def _(leaf: LogicalRelation, patterns: Patterns) -> Reading | None:
    schema = columns([a for a in leaf.output if not is_hidden(a)])
    relation = leaf.relation
    if isinstance(relation, HadoopFsRelation) and relation.file_format != FILE_GROUPS:
        if leaf.catalog_table is not None and relation.index is None:
            return Reading(datasets=(catalog_dataset(leaf.catalog_table, schema),))
        if leaf.is_streaming:
            # Instead of the new files of a micro-batch, the path that the stream watches, else their directories.
            directories = dict.fromkeys(p.rpartition("/")[0] for p in relation.root_paths)
            watched = (leaf.stream_path,) if leaf.stream_path else tuple(directories)
            relation = replace(relation, root_paths=watched)
    read = relation_reading(relation, schema, patterns)
    if read is None and leaf.own_name is not None:
        read = own_reading((leaf.own_name,), schema, patterns)
    # Files read by a table's name are that table. Rows of an external system are identified by that system, not by the catalog.
    if leaf.catalog_table is not None and (read is None or isinstance(leaf.relation, _FILES)):
        read = read or Reading()
        shows_changes = read.columns is not None  # whose columns are not those of the table
        own = () if shows_changes else tuple(c for c in schema if c.name not in read.hidden)
        return by_name(read, catalog_dataset(leaf.catalog_table, own))
    if read is None and isinstance(leaf.relation, OtherRelation):
        return relation_by_options(leaf.relation, schema, patterns)
    return read


def relation_by_options(relation: OtherRelation, schema: tuple[Column, ...], patterns: Patterns) -> Reading:
    """Identify the relation of an unknown connector by its options, else by its option `path`."""
    options = relation.options or {}
    named = reading_by_options(relation.relation_class, options, schema)
    if named is not None:
        return named
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
def relation_reading(source: object, schema: tuple[Column, ...], patterns: Patterns) -> Reading | None:
    """Return the dataset of a relation or of a source's table; None if it is unknown or only its catalog has a name for it."""
    del patterns
    return source_reading(source, schema)


@relation_reading.register
def _(relation: OtherRelation, schema: tuple[Column, ...], _patterns: Patterns) -> Reading | None:
    """Identify a relation of a known system by its options; for others, the catalog's table is preferred."""
    is_known = source_of(relation.relation_class) is not None
    return reading_by_options(relation.relation_class, relation.options or {}, schema) if is_known else None


@relation_reading.register
def _(files: HadoopFsRelation, schema: tuple[Column, ...], patterns: Patterns) -> Reading:
    of_format = hudi_reading(files, schema, patterns)
    # The file index of a table format (Delta Lake) identifies the table better than the paths of its files.
    if of_format is None and files.index is not None:
        of_format = relation_reading(files.index, schema, patterns)
    if of_format is not None:
        return of_format
    path = (files.options or {}).get("basepath")
    base = BasePath(path, files.partitions) if path and files.partitions else None
    read = paths(files.root_paths, files.file_format, schema, patterns, base)
    return Reading(datasets=tuple(replace(dataset, partitions=files.partitions) for dataset in read))
