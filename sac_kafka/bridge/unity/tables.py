"""Read the definitions of tables from Unity Catalog, so that columns have types.

Source: docs.databricks.com, Tables API (`/api/2.1/unity-catalog/tables/{full_name}`).
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from sac_kafka.bridge.unity.names import MAX_NAMES, WorkspaceNames
from sac_kafka.model import Column, TableDataset
from sac_kafka.model.bounds import Bounded

NOT_READ = "tables whose definition cannot be read: the types of their columns are not known"
MAX_COLUMNS = 200_000
"""Columns of the definitions that are remembered."""
_MANAGED = "MANAGED"


class TableDefinitions:
    """The definitions of the tables of a workspace.

    Args:
        names: Asks for them.
        counts: Counts what cannot be read.
    """

    def __init__(self, names: WorkspaceNames, counts: Counter[str]) -> None:
        self._names = names
        self._counts = counts
        self._missing: Bounded[str, None] = Bounded(MAX_NAMES)
        self._known: OrderedDict[str, TableDataset | None] = OrderedDict()
        self._columns = 0

    def forget(self) -> None:
        """Forget all definitions, which may have changed."""
        self._known.clear()
        self._columns = 0

    def describe(self, full_name: str) -> TableDataset | None:
        """Return the definition of a table; None if it cannot be read.

        Raises:
            SacKafkaError: The workspace cannot be reached.
        """
        if full_name not in self._known:
            found = self._names.ask(f"/api/2.1/unity-catalog/tables/{quote(full_name, safe='')}")
            table = self._known[full_name] = _table(found) if found and found.get("name") else None
            self._columns += 1 if table is None else 1 + len(table.columns)
            while self._columns > MAX_COLUMNS and len(self._known) > 1:
                _, oldest = self._known.popitem(last=False)
                self._columns -= 1 if oldest is None else 1 + len(oldest.columns)
        if self._known[full_name] is None and full_name not in self._missing:
            self._missing[full_name] = None
            self._counts[NOT_READ] += 1
        return self._known[full_name]


def _table(found: Mapping[str, Any]) -> TableDataset:
    kind = str(found.get("table_type") or "")
    is_stored = kind != _MANAGED and not kind.endswith("VIEW")
    columns = [each for each in found.get("columns") or () if isinstance(each, Mapping) and each.get("name")]
    partitions = sorted((each["partition_index"], str(each["name"])) for each in columns if _is_partition(each))
    return TableDataset(
        catalog=str(found.get("catalog_name")),
        database=str(found.get("schema_name")),
        name=str(found.get("name")),
        provider=_text(found, "data_source_format", str.lower),
        table_type=kind or None,
        owner=_text(found, "owner"),
        created_ms=found.get("created_at") if isinstance(found.get("created_at"), int) else None,
        comment=_text(found, "comment"),
        location=_text(found, "storage_location") if is_stored else None,
        partition_columns=tuple(name for _, name in partitions),
        columns=tuple(_columns(columns)),
    )


def _columns(columns: list[Mapping[str, Any]]) -> Iterator[Column]:
    for each in columns:
        yield Column(
            name=str(each["name"]),
            type=_text(each, "type_text") or "",
            nullable=each.get("nullable") is not False,
            comment=_text(each, "comment"),
        )


def _is_partition(column: Mapping[str, Any]) -> bool:
    return isinstance(column.get("partition_index"), int)


def _text(value: Mapping[str, Any], key: str, change: Any = str) -> str | None:  # noqa: ANN401 a function of text
    found = value.get(key)
    return change(found) if isinstance(found, str) and found else None
