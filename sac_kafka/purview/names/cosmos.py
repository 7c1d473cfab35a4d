"""Name containers of Azure Cosmos DB for NoSQL."""

from __future__ import annotations

from sac_kafka.lineage.model import OtherDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.hosts import labels_before, plain_host
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.naming_context import NamingContext

_CLOUDS = ("documents.azure.com", "documents.azure.us", "documents.azure.cn", "documents.microsoftazure.de")
_LEVELS = 2


def cosmos(dataset: OtherDataset, naming_context: NamingContext) -> Asset | None:
    """Return `https://<account>.documents.azure.com/dbs/<database>/colls/<container>`; None if the account is unknown."""
    del naming_context
    host = plain_host(dataset.host.removesuffix(":443"))
    if not labels_before(host, _CLOUDS) or len(dataset.parts) != _LEVELS:
        return None
    database, container = dataset.parts
    return Asset(
        type_name="azure_cosmosdb_sqlapi_collection",
        qualified_name=f"https://{host}/{joined('dbs', database, 'colls', container)}",
        name=container,
        rule="Azure Cosmos DB container",
    )
