"""Derive the writes of commands: one registered function per command."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from functools import singledispatch

from sac_kafka.lineage.datasets.leaves import relation_by_options, relation_reading
from sac_kafka.lineage.datasets.reading import own_reading
from sac_kafka.lineage.datasets.tables import catalog_dataset, columns, table
from sac_kafka.model import Column, Dataset, PathDataset
from sac_kafka.names.files import Patterns, paths
from sac_kafka.names.openlineage_names import dataset_of
from sac_kafka.plan.commands import (
    InsertIntoDataSourceCommand,
    InsertIntoDataSourceDirCommand,
    InsertIntoHadoopFsRelationCommand,
)
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan, UnknownPlan
from sac_kafka.plan.operators import Union, WithCTE
from sac_kafka.plan.relations import OtherRelation
from sac_kafka.plan.streaming import MicroBatchWrite


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Write:
    """A dataset that a command writes from `query`; `output` are its columns under the exprIds of the query.

    `columns_cut` is True if the listener omitted its columns. `position` is that of the command within its execution.
    `part` and `is_replacement` are those of its `Extent`. `own_reads` are the leaves by which a row-level command reads
    its own target, which is an input only if the command uses their values. `constants` are columns that the statement sets
    to a constant and the query lacks (static partitions). `is_view` is True for the definition of a persisted view, which
    writes no rows. `gaps` are reasons for incomplete lineage.
    """

    dataset: Dataset
    query: LogicalPlan
    output: tuple[Attribute, ...]
    columns_cut: bool = False
    position: int = 0
    part: str = ""
    is_replacement: bool = False
    own_reads: tuple[LogicalPlan, ...] = ()
    constants: tuple[str, ...] = ()
    is_view: bool = False
    gaps: tuple[str, ...] = ()


def writes(root: LogicalPlan, patterns: Patterns, counts: Counter[str]) -> Iterator[Write]:
    """Yield the writes of an execution: of its root command, or of the commands below a multi-insert's Union or a WITH.

    Commands that write but are not understood are added to `counts`.
    """
    commands = list(_commands(root))
    for i, command in enumerate(commands):
        for write in writes_of(command, patterns, counts):
            yield dataclasses.replace(write, columns_cut=command.columns_cut, position=i)


def _commands(root: LogicalPlan) -> Iterator[LogicalPlan]:
    if isinstance(root, (Union, WithCTE)) and not root.is_command:
        for child in root.children:
            if child.is_command or isinstance(child, (Union, WithCTE)):
                yield from _commands(child)
    elif root.is_command or isinstance(root, MicroBatchWrite) or (isinstance(root, UnknownPlan) and root.outputs):
        yield root


@singledispatch
def writes_of(node: LogicalPlan, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """Return the writes of a command: none, one, or several (a Kafka sink whose rows name their topics)."""
    del counts
    write = write_of(node, patterns)
    return () if write is None else (write,)


@writes_of.register
def _(node: UnknownPlan, patterns: Patterns, _counts: Counter[str]) -> tuple[Write, ...]:
    """Return the writes that a connector's node declares, from everything that the node reads or has as children."""
    query = dataclasses.replace(node, outputs=(), is_command=False)
    datasets = (dataset_of(own, columns(node.written), patterns) for own in node.outputs)
    return tuple(Write(dataset=d, query=query, output=node.written) for d in datasets if d is not None)


@singledispatch
def write_of(node: LogicalPlan, patterns: Patterns) -> Write | None:
    """Return the write of a node; None if it writes nothing."""
    del node, patterns
    return None


@write_of.register
def _(node: InsertIntoHadoopFsRelationCommand, patterns: Patterns) -> Write:
    is_overwritten = node.mode == "Overwrite" and not node.is_dynamic_overwrite
    if node.catalog_table is not None:
        # The table may have more columns than are written (static partitions), so take those of the catalog.
        is_whole = not node.has_static_partitions
        return Write(
            dataset=table(node.catalog_table),
            query=node.query,
            output=node.output_columns,
            part=part_of(node.static_partition, is_whole=is_whole),
            is_replacement=is_overwritten and (is_whole or node.static_partition is not None),
        )
    # These modes only write if the directory does not exist.
    is_whole = is_overwritten or node.mode in ("ErrorIfExists", "Ignore")
    written = columns(node.output_columns)
    path = directory(node.output_path, node.file_format, written, patterns, is_whole=is_whole)
    path = dataclasses.replace(path, partitions=tuple(c.name for c in node.partition_columns))
    return directory_write(path, node.query, node.output_columns, node.output_path, is_replacement=is_whole)


def part_of(digest: int | None, *, is_whole: bool = False) -> str:
    """Return the part of a table that a statement names by the digest of its partition or condition."""
    return "" if is_whole or digest is None else f"#{digest}"


def directory_write(
    path: PathDataset, query: LogicalPlan, output: tuple[Attribute, ...], location: str, *, is_replacement: bool
) -> Write:
    """Return the write to a directory; `location` is the part if the dataset is a directory above it."""
    at = location.rstrip("/")
    part = "" if at == path.path else at
    return Write(dataset=path, query=query, output=output, part=part, is_replacement=is_replacement)


@write_of.register
def _(node: InsertIntoDataSourceDirCommand, patterns: Patterns) -> Write | None:
    if node.path is None:
        return None
    written = columns(node.query_output)
    path = directory(node.path, node.provider, written, patterns, is_whole=node.overwrite)
    return directory_write(path, node.query, node.query_output, node.path, is_replacement=node.overwrite)


def directory(
    location: str, file_format: str, written: tuple[Column, ...], patterns: Patterns, *, is_whole: bool
) -> PathDataset:
    """Return the dataset of a directory; an overwrite replaces the whole dataset only if the directory is its root."""
    (dataset,) = paths((location,), file_format, written, patterns)
    return dataclasses.replace(dataset, is_replaced=is_whole and dataset.path == location.rstrip("/"))


@write_of.register
def _(node: InsertIntoDataSourceCommand, patterns: Patterns) -> Write | None:
    if node.query is None:
        return None
    written = columns(node.query_output)
    target = relation_reading(node.relation, written, patterns)
    if target is None and node.own_name is not None:
        target = own_reading((node.own_name,), written, patterns)
    dataset: Dataset
    if target is not None and len(target.datasets) == 1:
        (dataset,) = target.datasets
    elif node.catalog_table is not None:
        dataset = catalog_dataset(node.catalog_table)
    elif isinstance(node.relation, OtherRelation) and (
        named := relation_by_options(node.relation, written, patterns).only
    ):
        dataset = named
    else:
        return None
    return Write(dataset=dataset, query=node.query, output=node.query_output, is_replacement=node.overwrite)
