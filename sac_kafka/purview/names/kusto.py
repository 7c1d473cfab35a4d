"""Name tables of Azure Data Explorer and of Data Explorer pools in Synapse."""

from __future__ import annotations

from sac_kafka.lineage.model import OtherDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.hosts import labels_before, plain_host
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.naming_context import NamingContext

_CLOUDS = (
    "kusto.windows.net",
    "kusto.usgovcloudapi.net",
    "kusto.chinacloudapi.cn",
    "kusto.azuresynapse.net",
)
_INGESTION = "ingest-"
"""Prefix of a cluster's ingestion host."""
_LEVELS = 2


def kusto(dataset: OtherDataset, naming_context: NamingContext) -> Asset | None:
    """Return `https://<cluster>.<region>.kusto.windows.net/<database>/<table>`; None for a cluster outside of Azure."""
    del naming_context
    host = plain_host(dataset.host.removesuffix(":443")).removeprefix(_INGESTION)
    if not labels_before(host, _CLOUDS) or len(dataset.parts) != _LEVELS:
        return None
    return Asset(
        type_name="azure_data_explorer_table",
        qualified_name=f"https://{host}/{joined(*dataset.parts)}",
        name=dataset.parts[-1],
        rule="Azure Data Explorer table",
    )
