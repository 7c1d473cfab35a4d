"""Identify reads of Iceberg tables, with snapshots, branches and tags; metadata tables and maintenance are no inputs.

Importing this module registers Iceberg's tables with `v2_tables.system_reading`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.tables import described_column
from sac_kafka.lineage.datasets.v2_tables import (
    V2Node,
    described_table,
    named_table,
    path_of,
    system_reading,
)
from sac_kafka.lineage.datasets.writes import Write
from sac_kafka.model import Column, Dataset, Dependency, PathDataset
from sac_kafka.model.gaps import COLUMNS_OF_FILES
from sac_kafka.plan.systems.iceberg import (
    IcebergChanges,
    IcebergMetadata,
    IcebergRewrite,
    IcebergTable,
    PathIdentifier,
    ProcedureCall,
)
from sac_kafka.plan.v2_tables import DataSourceV2Relation, FileTable, Identifier, V2Table

_MAINTENANCE = "default_cache_iceberg"
"""Catalog that Iceberg's procedures create on Spark 3.5 for tables that they rewrite without changes."""
_STATE = re.compile(r"(branch|tag|snapshot_id|at_timestamp)_(.+)", re.DOTALL)
"""The last part of a name if it selects a state of the table named before it."""
_WORDS = {"branch": "branch", "tag": "tag", "snapshot_id": "snapshot", "at_timestamp": "timestamp"}
_FORMATS = ("parquet", "orc", "avro")
"""Formats whose directories `add_files` takes."""
_METADATA_COLUMNS = frozenset(
    {"_file", "_pos", "_deleted", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number"}
    | {"_change_type", "_change_ordinal", "_commit_snapshot_id"}
)
"""Columns that Iceberg adds to those of the table."""


@system_reading.register
def _(table: IcebergTable, node: V2Node, columns: tuple[Column, ...]) -> Reading | None:
    if isinstance(table.origin, IcebergMetadata):
        return Reading(other_source="metadata of a table")
    if node.catalog == _MAINTENANCE:
        return Reading()
    if node.identifier is None:  # a stream whose table is named by `load` or `start`
        return reading_of(
            loaded_table(table.name, table.lies_at or table.all_properties.get("location"), columns, table)
        )
    identifier, state = _without_state(node.identifier, table)
    return _reading(_dataset(node.catalog, identifier, table), columns, state or _describe_state(table, node))


def loaded_table(
    name: str, location: str | None, columns: tuple[Column, ...], known: IcebergTable | None = None
) -> Dataset:
    """Name a table that was not resolved by a Spark catalog; its own name is a path or begins with the catalog."""
    if "/" in name:
        path = (location or name).rstrip("/")
        return PathDataset(path=path, format="iceberg", columns=columns, locations=(path,))
    catalog, *namespace, last = name.split(".")
    bare = named_table(catalog, Identifier(namespace=tuple(namespace), name=last))
    table = described_table(bare, known)
    return table if table.columns else replace(table, location=location, columns=columns)


@system_reading.register
def _(_found: IcebergRewrite, _node: V2Node, _columns: tuple[Column, ...]) -> Reading:
    return Reading()


@system_reading.register
def _(table: IcebergChanges, node: V2Node, columns: tuple[Column, ...]) -> Reading | None:
    if node.identifier is None:
        return None
    if isinstance(node.identifier, PathIdentifier):
        identifier: Identifier = node.identifier
    else:  # the last part of the name is `changes`
        *namespace, name = node.identifier.namespace
        identifier = Identifier(namespace=tuple(namespace), name=name)
    return _reading(_dataset(node.catalog, identifier, table), columns, _range(node) or "changes")


def copy_of(call: ProcedureCall) -> Write:
    """Return the write of a procedure that makes a table of the files of another one, or of a directory's."""
    return Write(
        dataset=named_table(call.table[0], _identifier(call.table)),
        query=_files(call.source),
        output=(),
        is_replacement=call.procedure == "snapshot",
        gaps=(COLUMNS_OF_FILES,),
    )


def _files(source: Sequence[str]) -> DataSourceV2Relation:
    """Return a read of a table or directory as `ProcedureCall` names it."""
    first, last = source[0], source[-1]
    is_directory = len(source) == 2 and first in _FORMATS
    return DataSourceV2Relation(
        class_name="Call",
        table=FileTable(root_paths=(last,), format_name=first) if is_directory else None,
        catalog=None if is_directory else first,
        identifier=None if is_directory else _identifier(source),
        options=None,
        output=(),
    )


def _identifier(name: Sequence[str]) -> Identifier:
    return Identifier(namespace=tuple(name[1:-1]), name=name[-1])


def _dataset(catalog: str | None, identifier: Identifier, table: V2Table) -> Dataset:
    own = tuple(described_column(c) for c in table.columns if c.name not in _METADATA_COLUMNS)
    path = identifier.location if isinstance(identifier, PathIdentifier) else path_of(identifier)
    if path is not None:
        # The requested path may be that of a metadata file, so prefer the location in the table.
        path = ((table.lies_at if isinstance(table, IcebergTable) else None) or path.partition("#")[0]).rstrip("/")
        return PathDataset(path=path, format="iceberg", columns=own, locations=(path,))
    return replace(described_table(named_table(catalog, identifier), table), columns=own)


def _reading(dataset: Dataset, columns: tuple[Column, ...], version: str | None) -> Reading:
    if not any(c.name in _METADATA_COLUMNS for c in columns):
        return Reading(datasets=(dataset,), version=version)
    same = {c.name.lower(): ((c.name, Dependency.IDENTITY),) for c in columns if c.name not in _METADATA_COLUMNS}
    return Reading(datasets=(dataset,), base=dataset.key, columns=same, version=version)


def _without_state(identifier: Identifier, table: IcebergTable) -> tuple[Identifier, str | None]:
    """Split an identifier into that of the table and the description of the state selected by the last part of the name."""
    if isinstance(identifier, PathIdentifier):
        return identifier, _words(identifier.location.partition("#")[2])
    words = _words(identifier.name) if identifier.namespace else None
    # A table itself may have such a name, which then is also Iceberg's name for it.
    if words is None or table.name.endswith(f".{identifier.name}"):
        return identifier, None
    *namespace, name = identifier.namespace
    return Identifier(namespace=tuple(namespace), name=name), words


def _words(selector: str) -> str | None:
    state = _STATE.fullmatch(selector)
    return f"{_WORDS[state[1]]} {state[2]}" if state else None


def _describe_state(table: IcebergTable, node: V2Node) -> str | None:
    """Describe the state of the table that a query requests by its clauses or options."""
    if table.branch not in (None, "main"):
        return f"branch {table.branch}"
    is_requested = table.version is None or getattr(node, "time_travel", None) is not None
    return f"snapshot {table.snapshot_id}" if is_requested and table.snapshot_id is not None else _range(node)


def _range(node: V2Node) -> str | None:
    """Describe the range of snapshots that an incremental read requests."""
    options: Mapping[str, str] = {k.lower(): v for k, v in (getattr(node, "options", None) or {}).items()}
    start, end = options.get("start-snapshot-id"), options.get("end-snapshot-id")
    return start and f"changes from snapshot {start}{f' to {end}' if end else ''}"
