"""Name tables and views of Spark's catalogs; the catalog determines which scan covers them."""

from __future__ import annotations

from sac_kafka.model import TableDataset
from sac_kafka.purview.asset import Asset, join_by_dots, unknown
from sac_kafka.purview.names.location import parse_location
from sac_kafka.purview.names.metastores import databricks_table, hive_table
from sac_kafka.purview.names.onelake import is_onelake
from sac_kafka.purview.names.paths import asset_of_location
from sac_kafka.purview.names.places import LAKE_FORMATS
from sac_kafka.purview.naming_context import FABRIC_PORTAL, NamingContext


def fabric_table(dataset: TableDataset, naming_context: NamingContext) -> Asset | None:
    """Return the asset of a Fabric table; None for other tables."""
    if dataset.location and is_onelake(parse_location(dataset.location)):
        return asset_of_location(dataset.location, naming_context, is_output=False)
    if not naming_context.fabric_workspace or dataset.catalog is not None:
        return None
    name = f"{FABRIC_PORTAL}/{naming_context.fabric_workspace.lower()}/{join_by_dots(dataset.database, dataset.name)}"
    return unknown(name, name=dataset.name, rule="Fabric table of an unknown lakehouse")


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


UNSCANNED_CATALOG = "table of an unscanned catalog"
"""The rule of a table whose catalog no setting names."""


def asset(dataset: TableDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return the asset of a table of a catalog."""
    del is_output
    found = fabric_table(dataset, naming_context) or databricks_table(dataset, naming_context)
    if found is not None:
        return found
    if dataset.catalog is None and naming_context.is_hive:
        return hive_table(dataset.database, dataset.name, naming_context.namespace, is_view=dataset.is_view)
    catalog = () if dataset.catalog is None else (dataset.catalog,)
    return unknown(
        f"{join_by_dots(*catalog, dataset.database, dataset.name)}@{naming_context.namespace}",
        name=dataset.name,
        rule=UNSCANNED_CATALOG,
    )
