"""Identify HBase tables by the options of the Spark HBase Connector (SHC) and of hbase-spark."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sac_kafka.lineage.datasets.systems.source import connector
from sac_kafka.model import Column, HBaseDataset
from sac_kafka.plan.systems.stores import HBaseRelation


def hbase_table(options: Mapping[str, str], columns: tuple[Column, ...]) -> HBaseDataset | None:
    """Name a table by `hbase.table` or `catalog` (JSON: {"table": {"namespace": …, "name": …}, …}); None without either."""
    name = options.get("hbase.table") or _in_catalog(options.get("catalog", ""))
    namespace, colon, table = (name or "").rpartition(":")
    if not table:
        return None
    return HBaseDataset(
        namespace=namespace if colon else "default",
        table=table,
        cluster=options.get("atlas.cluster.name") or None,
        columns=columns,
    )


def _in_catalog(text: str) -> str | None:
    try:
        table = json.loads(text)["table"]
        name = str(table["name"])
        return name if ":" in name else f"{table.get('namespace') or 'default'}:{name}"
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


_SHC = "org.apache.spark.sql.execution.datasources.hbase"

SOURCES = (
    connector(
        "HBase",
        "a table",
        hbase_table,
        _SHC,
        "org.apache.hadoop.hbase.spark",
        reads={HBaseRelation: lambda found, columns: hbase_table(found.options or {}, columns)},
    ),
)
