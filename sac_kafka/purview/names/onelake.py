"""Name tables and files of lakehouses in OneLake, the storage of Microsoft Fabric.

Purview names them by the ids of workspace and lakehouse. The ids cannot be derived from a location that contains names, so it
becomes a `DataSet` unless the user defines an alias or a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote

from sac_kafka.purview.asset import Asset, unknown
from sac_kafka.purview.names.location import DataLocation
from sac_kafka.purview.naming_context import FABRIC_PORTAL, NamingContext

_HOST = re.compile(r"(?:[a-z0-9-]+-)?onelake\.(?:dfs|blob)\.fabric\.microsoft\.com")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_MOUNTED = ("lakehouse", "default")
_TABLES, _FILES = "Tables", "Files"
LEVELS = 2
"""Maximum number of leading path segments that are ids: with HTTPS the workspace and the item."""
_LEVELS_OF_TABLE = 2  # a schema, where the lakehouse has schemas, and the table


def is_onelake(location: DataLocation) -> bool:
    """Return True for a location on OneLake's hosts, over any driver."""
    return _HOST.fullmatch(location.host) is not None


def onelake(location: DataLocation) -> Asset | None:
    """Return the asset of `abfss://WORKSPACE@HOST/ITEM/Tables/t`; with HTTPS the workspace is the first segment."""
    if location.scheme in {"http", "https"}:
        return _of_workspace(location, location.segments[0], location.segments[1:]) if location.segments else None
    return _of_workspace(location, location.container, location.segments) if location.container else None


def mounted_lakehouse(location: DataLocation, naming_context: NamingContext) -> Asset | None:
    """Return the asset of `file:/lakehouse/default/Files/…`, where Fabric mounts the notebook's default lakehouse; else None."""
    if location.segments[:2] != _MOUNTED or not (naming_context.fabric_workspace and naming_context.fabric_lakehouse):
        return None
    return _in_lakehouse(naming_context.fabric_workspace, naming_context.fabric_lakehouse, location.segments[2:])


def _in_lakehouse(workspace: str, lakehouse: str, path: Sequence[str]) -> Asset:
    name = f"{FABRIC_PORTAL}/{workspace.lower()}/lakehouses/{lakehouse.lower()}"
    if not path:
        return Asset(type_name="fabric_lakehouse", qualified_name=name, name=lakehouse, rule="Fabric lakehouse")
    section, *below = path
    if section == _TABLES and 0 < len(below) <= _LEVELS_OF_TABLE:
        return Asset(
            type_name="fabric_lakehouse_table",
            qualified_name=f"{name}/tables/{_table(below)}",
            name=below[-1],
            rule="Fabric lakehouse table",
        )
    if section == _TABLES:
        return unknown(f"{name}/{'/'.join(path)}", name=path[-1], rule="path within Fabric tables")
    return Asset(
        type_name="fabric_path",
        qualified_name="/".join((name, "files" if section == _FILES else section, *below)),
        name=path[-1],
        rule="Fabric files",
    )


def _in_warehouse(workspace: str, warehouse: str, path: Sequence[str]) -> Asset:
    """Return the asset of a warehouse; its contents are DataSets, as Purview drops messages with unknown types."""
    name = f"{FABRIC_PORTAL}/{workspace.lower()}/lakewarehouses/{warehouse.lower()}"
    if not path:
        return Asset(type_name="fabric_lake_warehouse", qualified_name=name, name=warehouse, rule="Fabric warehouse")
    return unknown(f"{name}/{'/'.join(path)}", name=path[-1], rule="table of a Fabric warehouse")


def _table(path: Sequence[str]) -> str:
    """Return the name of a table, encoded twice like the slash after its schema: `dbo%252Forders`."""
    return quote(quote("/".join(path), safe="", errors="surrogatepass"), safe="")


_ITEMS: Mapping[str, Callable[[str, str, Sequence[str]], Asset]] = {
    "": _in_lakehouse,  # a path of ids does not contain the kind of item
    "Lakehouse": _in_lakehouse,
    "Warehouse": _in_warehouse,
}
"""Functions for the items of Fabric, by the extension of their folder."""


def _of_workspace(location: DataLocation, workspace: str, path: Sequence[str]) -> Asset | None:
    if not path:
        return None
    item, _, kind = path[0].partition(".")
    in_item = _ITEMS.get(kind)
    if in_item is not None and _ID.fullmatch(workspace) and _ID.fullmatch(item):
        return in_item(workspace, item, path[1:])
    name = f"https://{location.host}/{'/'.join((workspace, *path))}"
    return unknown(name, name=path[-1], rule="OneLake path with names instead of ids")
