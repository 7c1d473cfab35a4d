"""Name tables and views of Spark's catalogs; the catalog determines which scan covers them."""

from __future__ import annotations

from sac_kafka.lineage.model import TableDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.databricks_tables import databricks_table
from sac_kafka.purview.names.fabric import fabric_table
from sac_kafka.purview.names.hive import hive_table
from sac_kafka.purview.names.segments import dotted
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.naming_context import NamingContext


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
        f"{dotted(*catalog, dataset.database, dataset.name)}@{naming_context.namespace}",
        name=dataset.name,
        rule="table of an unscanned catalog",
    )
