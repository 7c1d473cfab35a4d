"""Name topics and datasets of non-relational systems: as scanned, HBase and Kafka as in Atlas, all others as a `DataSet`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sac_kafka.model import HBaseDataset, OtherDataset, RdbmsDataset, TopicDataset
from sac_kafka.purview.asset import Asset, join, labels_before, plain_host, unknown
from sac_kafka.purview.names.databases import is_warehouse, sql_server
from sac_kafka.purview.naming_context import FABRIC_PORTAL, NamingContext

_COSMOS_HOSTS = ("documents.azure.com", "documents.azure.us", "documents.azure.cn", "documents.microsoftazure.de")
_TWO_LEVELS = 2
_KUSTO_HOSTS = (
    "kusto.windows.net",
    "kusto.usgovcloudapi.net",
    "kusto.chinacloudapi.cn",
    "kusto.azuresynapse.net",
)
_INGESTION = "ingest-"
"""Prefix of a cluster's ingestion host."""
_SYNAPSE_CONNECTOR = "com.microsoft.spark"
"""Package of the connector's classes in both products."""

_SYNAPSE_LEVELS = 3
_OLDER_COSMOS_CONNECTOR = "com.microsoft.azure"
"""Package of the connector before `cosmos.oltp`, which has no `Source` for Spark 3."""


def topic(dataset: TopicDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return `<topic>@<cluster>` with the topic in lower case; the cluster defaults to the namespace."""
    del is_output
    return Asset(
        type_name="kafka_topic",
        qualified_name=f"{dataset.topic.lower()}@{dataset.cluster or naming_context.namespace}",
        name=dataset.topic,
        rule="Kafka topic, as Atlas names it",
    )


def hbase_table(dataset: HBaseDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return the asset as named by Atlas' own hook; the type is built in, although Purview does not scan HBase."""
    del is_output
    name = f"{dataset.namespace}:{dataset.table}".lower()
    return Asset(
        type_name="hbase_table",
        qualified_name=f"{name}@{dataset.cluster or naming_context.namespace}",
        name=dataset.table.lower(),
        rule="HBase table, as Atlas names it",
    )


def cosmos(dataset: OtherDataset, naming_context: NamingContext) -> Asset | None:
    """Return `https://<account>.documents.azure.com/dbs/<database>/colls/<container>`; None if the account is unknown."""
    del naming_context
    host = plain_host(dataset.host.removesuffix(":443"))
    if not labels_before(host, _COSMOS_HOSTS) or len(dataset.parts) != _TWO_LEVELS:
        return None
    database, container = dataset.parts
    return Asset(
        type_name="azure_cosmosdb_sqlapi_collection",
        qualified_name=f"https://{host}/{join('dbs', database, 'colls', container)}",
        name=container,
        rule="Azure Cosmos DB container",
    )


def kusto(dataset: OtherDataset, naming_context: NamingContext) -> Asset | None:
    """Return `https://<cluster>.<region>.kusto.windows.net/<database>/<table>`; None for a cluster outside of Azure."""
    del naming_context
    host = plain_host(dataset.host.removesuffix(":443")).removeprefix(_INGESTION)
    if not labels_before(host, _KUSTO_HOSTS) or len(dataset.parts) != _TWO_LEVELS:
        return None
    return Asset(
        type_name="azure_data_explorer_table",
        qualified_name=f"https://{host}/{join(*dataset.parts)}",
        name=dataset.parts[-1],
        rule="Azure Data Explorer table",
    )


def synapsesql(dataset: OtherDataset, naming_context: NamingContext) -> Asset | None:
    """Return the asset of a table of Microsoft's connector; None if its name has not three levels or the server is unknown.

    The values of its option names are not documented, so its tables come from the generic rule for unknown connectors:
    `database.schema.table`, and the server if an option contains it.
    """
    levels = tuple(level for part in dataset.parts for level in part.split("."))
    if len(levels) != _SYNAPSE_LEVELS or not all(levels):
        return None
    if naming_context.fabric_workspace and not is_warehouse(dataset.host):
        name = f"{FABRIC_PORTAL}/{naming_context.fabric_workspace.lower()}/{join(*levels)}"
        return unknown(name, name=levels[-1], rule="Fabric warehouse: tables are not scanned")
    workspace = naming_context.synapse_workspace
    host = dataset.host or (f"{workspace}.sql.azuresynapse.net" if workspace else "")
    if not is_warehouse(host):
        return None
    database, schema, table = levels
    return sql_server(
        RdbmsDataset(
            rdbms_type="sqlserver", host=host, database=database, schema=schema, table=table, product="synapse"
        )
    )


_FAMILIES: Mapping[str, Callable[[OtherDataset, NamingContext], Asset | None]] = {
    "cosmos": cosmos,
    "kusto": kusto,
    _OLDER_COSMOS_CONNECTOR: cosmos,
    _SYNAPSE_CONNECTOR: synapsesql,
}


def asset(dataset: OtherDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return the asset of an `OtherDataset`: as scanned, or else a `DataSet`."""
    del is_output
    family = _FAMILIES.get(dataset.system)
    return (family(dataset, naming_context) if family else None) or _name(dataset, naming_context)


def _name(dataset: OtherDataset, naming_context: NamingContext) -> Asset:
    """Return `<system>://<host>/<level>/…`, or without a host `<system>:<level>/…@<namespace>`."""
    system, path = dataset.system.lower(), join(*dataset.parts)
    host = plain_host(dataset.host)
    name = f"{system}://{host}/{path}" if host else f"{system}:{path}@{naming_context.namespace}"
    return unknown(name, name=dataset.parts[-1], rule=f"no rule for {dataset.description or system}")
