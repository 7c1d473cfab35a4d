"""Detect commands that did nothing because their output already existed: mode `ignore`, IF NOT EXISTS."""

from __future__ import annotations

from collections.abc import Sequence, Set

from sac_kafka.lineage.datasets.tables import table_by_name
from sac_kafka.plan.catalog import TableIdentifier
from sac_kafka.plan.commands import (
    CreateDataSourceTableAsSelectCommand,
    CreateViewCommand,
    InsertIntoHadoopFsRelationCommand,
    SaveAsV1TableCommand,
)
from sac_kafka.plan.hive_commands import CreateHiveTableAsSelectCommand
from sac_kafka.plan.nodes import LogicalPlan

_CREATIONS = (CreateDataSourceTableAsSelectCommand, CreateHiveTableAsSelectCommand, SaveAsV1TableCommand)


def did_nothing(root: LogicalPlan, files_written: Sequence[int], created: Set[str]) -> bool:
    """Return True if the command of an execution did nothing.

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
