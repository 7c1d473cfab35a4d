"""Find what a command did apart from a flow: nothing as its output already existed, or it left a dataset empty.

`docs/lineage.md` lists the statements (What replaces, what stays). The data of an external table outlive the table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence, Set
from functools import singledispatch

from sac_kafka.lineage.datasets.leaves import only_dataset, only_leaf
from sac_kafka.lineage.datasets.sources import has_external_tables
from sac_kafka.lineage.datasets.tables import catalog_dataset, table_by_name
from sac_kafka.lineage.datasets.v2_tables import named_table, path_of, v2_reading
from sac_kafka.lineage.datasets.v2_writes import target_of
from sac_kafka.lineage.datasets.writes import part_of
from sac_kafka.model import Dataset, TableDataset
from sac_kafka.names.files import Patterns
from sac_kafka.plan.catalog import TableIdentifier
from sac_kafka.plan.commands import (
    CreateDataSourceTableAsSelectCommand,
    CreateViewCommand,
    InsertIntoHadoopFsRelationCommand,
    SaveAsV1TableCommand,
)
from sac_kafka.plan.commands_without_write import (
    CreateTableCommand,
    TruncateTableCommand,
)
from sac_kafka.plan.expressions import Expression, Literal
from sac_kafka.plan.hive_commands import CreateHiveTableAsSelectCommand
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.systems.delta import DeltaDeleteCommand
from sac_kafka.plan.v2_definitions import CreateTable, ReplaceTable, TableDefinition, TruncateTable
from sac_kafka.plan.v2_writes import DeleteFromTable


@dataclasses.dataclass(frozen=True, slots=True)
class Removal:
    """A dataset, or a `part` of it as in `Extent`, without previous rows; `if_created`: only if the statement created it."""

    dataset: Dataset
    part: str = ""
    if_created: bool = False


@singledispatch
def removal_of(command: LogicalPlan, patterns: Patterns) -> Removal | None:
    """Return what a successful command has emptied; None if nothing."""
    del command, patterns
    return None


@removal_of.register
def _(command: TruncateTableCommand, _patterns: Patterns) -> Removal | None:
    return None if command.table is None else Removal(table_by_name(command.table), part_of(command.partition))


@removal_of.register
def _(command: TruncateTable, patterns: Patterns) -> Removal | None:
    target = v2_reading(command, (), patterns)
    return None if target is None or target.only is None else Removal(target.only)


@removal_of.register(DeleteFromTable)
@removal_of.register(DeltaDeleteCommand)
def _(command: DeleteFromTable | DeltaDeleteCommand, patterns: Patterns) -> Removal | None:
    leaf = target_of(command) if isinstance(command, DeleteFromTable) else only_leaf(command.target)
    dataset = only_dataset(leaf, patterns)
    return Removal(dataset) if dataset is not None and is_everything(command.condition) else None


def is_everything(condition: Expression | None) -> bool:
    """Return whether a condition holds for every row."""
    return condition is None or (isinstance(condition, Literal) and condition.text == "true")


@removal_of.register
def _(command: CreateTableCommand, _patterns: Patterns) -> Removal | None:
    if command.table is None:
        return None
    dataset = catalog_dataset(command.table)
    is_managed = isinstance(dataset, TableDataset) and command.table.table_type == "MANAGED"
    return Removal(dataset, if_created=command.ignore_if_exists) if is_managed else None


@removal_of.register
def _(command: TableDefinition, _patterns: Patterns) -> Removal | None:
    """Return the table: empty if replaced, and if new unless it takes over what is at a location."""
    if command.identifier is None or command.spec is None or has_external_tables(command.catalog_class or ""):
        return None
    takes_over = command.spec.location is not None or path_of(command.identifier) is not None
    if takes_over and not isinstance(command, ReplaceTable):
        return None
    is_conditional = isinstance(command, CreateTable) and command.ignore_if_exists
    return Removal(named_table(command.catalog, command.identifier), if_created=is_conditional)


_CREATIONS = (CreateDataSourceTableAsSelectCommand, CreateHiveTableAsSelectCommand, SaveAsV1TableCommand)


def did_nothing(root: LogicalPlan, files_written: Sequence[int], created: Set[str]) -> bool:
    """Return True if a command found what it was to create, and so left it (IF NOT EXISTS, mode `ignore`).

    `files_written` are the file counts of the execution's write commands; `created` are the keys of the tables and views that
    the catalog reported as created during the execution.
    """
    if isinstance(root, InsertIntoHadoopFsRelationCommand):
        return (root.if_partition_not_exists or root.mode == "Ignore") and tuple(files_written) == (0,)
    if isinstance(root, _CREATIONS):
        return root.mode == "Ignore" and not _is_among(root.table.identifier, created)
    if isinstance(root, CreateViewCommand) and root.view_type == "PersistedView" and root.name is not None:
        return root.allow_existing and not _is_among(root.name, created)
    return False


def _is_among(identifier: TableIdentifier, keys: Set[str]) -> bool:
    """Match an identifier with keys; one without a database matches any (Spark 4's `saveAsTable` leaves it to the session)."""
    key = table_by_name(identifier).key.lower()
    if identifier.database is not None:
        return key in {k.lower() for k in keys}
    return any(k.lower().rpartition(".")[2] == key.rpartition(".")[2] for k in keys)
