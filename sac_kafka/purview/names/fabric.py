"""Tables of Fabric's lakehouses: their location in OneLake says which lakehouse it is."""

from __future__ import annotations

from sac_kafka.lineage.model import TableDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.location import located
from sac_kafka.purview.names.onelake import is_onelake
from sac_kafka.purview.names.paths import asset_of_location
from sac_kafka.purview.names.segments import dotted
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.surroundings import AssetSurroundings

_PORTAL = "https://app.fabric.microsoft.com/groups"


def fabric_table(dataset: TableDataset, surroundings: AssetSurroundings) -> Asset | None:
    """A table of Fabric; None where there is no Fabric, and no location in OneLake that says which lakehouse it is."""
    if dataset.location and is_onelake(located(dataset.location)):
        return asset_of_location(dataset.location, surroundings, is_output=False)
    if not surroundings.fabric_workspace or dataset.catalog is not None:
        return None
    name = f"{_PORTAL}/{surroundings.fabric_workspace.lower()}/{dotted(dataset.database, dataset.name)}"
    return unknown(name, name=dataset.name, rule="Fabric table whose lakehouse is not known")
