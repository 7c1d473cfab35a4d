"""Derive the writes of commands that create a table or a view from a query."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.datasets.sources import external_dataset
from sac_kafka.lineage.datasets.tables import columns, named, table
from sac_kafka.lineage.datasets.writes import Write, write_of
from sac_kafka.plan.catalog import TableIdentifier
from sac_kafka.plan.commands import (
    AlterViewAsCommand,
    CreateDataSourceTableAsSelectCommand,
    CreateViewCommand,
    SaveAsV1TableCommand,
)
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.hive_commands import CreateHiveTableAsSelectCommand
from sac_kafka.plan.nodes import LogicalPlan


@write_of.register(CreateDataSourceTableAsSelectCommand)
@write_of.register(CreateHiveTableAsSelectCommand)
def _(node: CreateDataSourceTableAsSelectCommand | CreateHiveTableAsSelectCommand, patterns: Patterns) -> Write:
    del patterns
    return _created(node, renamed(node.query_output, node.output_column_names))


@write_of.register
def _(node: SaveAsV1TableCommand, patterns: Patterns) -> Write:
    del patterns
    return _created(node, node.query_output)


def _created(
    node: CreateDataSourceTableAsSelectCommand | CreateHiveTableAsSelectCommand | SaveAsV1TableCommand,
    output: tuple[Attribute, ...],
) -> Write:
    options = node.table.storage.properties or {}
    dataset = external_dataset(node.table.provider, options, columns(output))
    if dataset is None:
        # The command's definition precedes the creation, so its owner and creation time are not those of the catalog.
        dataset = dataclasses.replace(table(node.table, columns(output)), owner=None, created_ms=None)
    # Appending to an existing table is the same command.
    return Write(dataset=dataset, query=node.query, output=output, is_replacement=node.mode != "Append")


def renamed(output: Sequence[Attribute], names: Sequence[str]) -> tuple[Attribute, ...]:
    """Return the columns of a query under other names."""
    return tuple(dataclasses.replace(a, name=name) for a, name in zip(output, names, strict=False))


@write_of.register
def _(node: CreateViewCommand, patterns: Patterns) -> Write | None:
    del patterns
    if node.view_type != "PersistedView" or node.name is None or node.query is None:
        return None
    names = [c.name for c in node.columns] or [a.name for a in node.query_output]
    return _view(node.name, node.query, renamed(node.query_output, names))


@write_of.register
def _(node: AlterViewAsCommand, patterns: Patterns) -> Write | None:
    del patterns
    # ALTER VIEW also changes temporary views, whose names have no database.
    if node.name is None or node.name.database is None or node.query is None:
        return None
    return _view(node.name, node.query, node.query_output)


def _view(name: TableIdentifier, query: LogicalPlan, output: tuple[Attribute, ...]) -> Write:
    dataset = dataclasses.replace(named(name), table_type="VIEW", columns=columns(output))
    return Write(dataset=dataset, query=query, output=output, is_view=True)
