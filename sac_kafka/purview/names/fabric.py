"""Name tables of Fabric lakehouses; the lakehouse is derived from the location in OneLake."""

from __future__ import annotations

from sac_kafka.lineage.model import TableDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.location import located
from sac_kafka.purview.names.onelake import is_onelake
from sac_kafka.purview.names.paths import asset_of_location
from sac_kafka.purview.names.segments import dotted
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.naming_context import NamingContext

_PORTAL = "https://app.fabric.microsoft.com/groups"


def fabric_table(dataset: TableDataset, naming_context: NamingContext) -> Asset | None:
    """Return the asset of a Fabric table; None for other tables."""
    if dataset.location and is_onelake(located(dataset.location)):
        return asset_of_location(dataset.location, naming_context, is_output=False)
    if not naming_context.fabric_workspace or dataset.catalog is not None:
        return None
    name = f"{_PORTAL}/{naming_context.fabric_workspace.lower()}/{dotted(dataset.database, dataset.name)}"
    return unknown(name, name=dataset.name, rule="Fabric table of an unknown lakehouse")
