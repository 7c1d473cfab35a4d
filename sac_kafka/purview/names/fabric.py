"""Tables of Fabric's lakehouses: their location in OneLake says which lakehouse it is."""

from __future__ import annotations

import re
from urllib.parse import unquote

from sac_kafka.lineage.model import TableDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.names.segments import dotted, joined
from sac_kafka.purview.names.unknown import unknown
from sac_kafka.purview.surroundings import Surroundings

_PORTAL = "https://app.fabric.microsoft.com/groups"
_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_TABLE = re.compile(
    rf"(?i)abfss?://(?P<workspace>{_ID})@(?:[a-z0-9-]+-)?onelake\.(?:dfs|blob)\.fabric\.microsoft\.com"
    rf"/(?P<lakehouse>{_ID})/Tables/(?:(?P<schema>[^/]+)/)?(?P<table>[^/]+)/?"
)
_SCHEMA_END = "%252F"
"""What stands between a schema and a table: Purview shows a slash that was encoded twice."""


def fabric_table(dataset: TableDataset, surroundings: Surroundings) -> Asset | None:
    """A table of Fabric; None where there is no Fabric, and no location in OneLake that says which lakehouse it is."""
    found = _TABLE.fullmatch(dataset.location or "")
    if found is not None:
        return lakehouse_table(
            found["workspace"],
            found["lakehouse"],
            found["schema"] and unquote(found["schema"]),
            unquote(found["table"]),
        )
    if not surroundings.fabric_workspace or dataset.catalog is not None:
        return None
    name = f"{_PORTAL}/{surroundings.fabric_workspace}/{dotted(dataset.database, dataset.name)}"
    return unknown(name, name=dataset.name, rule="Fabric table whose lakehouse is not known")


def lakehouse_table(workspace: str, lakehouse: str, schema: str | None, table: str) -> Asset:
    """`https://app.fabric.microsoft.com/groups/<workspace>/lakehouses/<lakehouse>/tables/[<schema>%252F]<table>`."""
    below = f"{joined(schema)}{_SCHEMA_END}" if schema else ""
    return Asset(
        type_name="fabric_lakehouse_table",
        qualified_name=f"{_PORTAL}/{workspace.lower()}/lakehouses/{lakehouse.lower()}/tables/{below}{joined(table)}",
        name=table,
        rule="Fabric lakehouse table",
    )
