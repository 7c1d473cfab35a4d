"""Find the asset of a table's location, so that lineage continues in a scanned store."""

from __future__ import annotations

from sac_kafka.lineage.model import TableDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.paths import asset_of_location
from sac_kafka.purview.names.places import LAKE_FORMATS
from sac_kafka.purview.naming_context import NamingContext

_MANAGED = "MANAGED"
_NO_STORE = frozenset({"hive_table", "hive_view", "fs_path", "hdfs_path", "fabric_lakehouse_table"})
"""Types of assets at a location that are not files or folders of a scanned store."""


def location(dataset: TableDataset, naming_context: NamingContext, *, is_output: bool) -> Asset | None:
    """Return the asset at a table's location; None for views, managed Databricks tables, and unscanned or missing locations."""
    if not dataset.location or dataset.is_view:
        return None
    if dataset.table_type == _MANAGED and naming_context.workspace_host:
        return None
    found = asset_of_location(
        dataset.location,
        naming_context,
        is_output=is_output,
        partitions=() if dataset.provider in LAKE_FORMATS else dataset.partition_columns,
    )
    return found if found.is_known and found.type_name not in _NO_STORE else None
