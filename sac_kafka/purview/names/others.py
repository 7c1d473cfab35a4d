"""Name datasets of non-relational systems: as scanned, HBase as in Atlas, all others as a `DataSet`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sac_kafka.lineage.model import HBaseDataset, OtherDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.cosmos import cosmos
from sac_kafka.purview.names.hosts import plain_host
from sac_kafka.purview.names.kusto import kusto
from sac_kafka.purview.names.segments import joined
from sac_kafka.purview.names.synapse import SYSTEM as SYNAPSE_CONNECTOR
from sac_kafka.purview.names.synapse import synapsesql
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.naming_context import NamingContext

_OLDER_COSMOS_CONNECTOR = "com.microsoft.azure"
"""Package of the connector before `cosmos.oltp`, which has no `Source` for Spark 3."""
_FAMILIES: Mapping[str, Callable[[OtherDataset, NamingContext], Asset | None]] = {
    "cosmos": cosmos,
    "kusto": kusto,
    _OLDER_COSMOS_CONNECTOR: cosmos,
    SYNAPSE_CONNECTOR: synapsesql,
}


def asset(dataset: OtherDataset | HBaseDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return the asset of a dataset that is not a path, catalog table, database table or topic."""
    del is_output
    if isinstance(dataset, HBaseDataset):
        return _hbase_table(dataset, naming_context)
    family = _FAMILIES.get(dataset.system)
    return (family(dataset, naming_context) if family else None) or _named(dataset, naming_context)


def _hbase_table(dataset: HBaseDataset, naming_context: NamingContext) -> Asset:
    """Return the asset as named by Atlas' own hook; the type is built in, although Purview does not scan HBase."""
    name = f"{dataset.namespace}:{dataset.table}".lower()
    return Asset(
        type_name="hbase_table",
        qualified_name=f"{name}@{dataset.cluster or naming_context.namespace}",
        name=dataset.table.lower(),
        rule="HBase table, as Atlas names it",
    )


def _named(dataset: OtherDataset, naming_context: NamingContext) -> Asset:
    """Return `<system>://<host>/<level>/…`, or without a host `<system>:<level>/…@<namespace>`."""
    system, path = dataset.system.lower(), joined(*dataset.parts)
    host = plain_host(dataset.host)
    name = f"{system}://{host}/{path}" if host else f"{system}:{path}@{naming_context.namespace}"
    return unknown(name, name=dataset.parts[-1], rule=f"no rule for {dataset.description or system}")
