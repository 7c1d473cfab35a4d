"""Assets as Purview's scans call them: what cases expect, written down without the package that makes them."""

from __future__ import annotations

from typing import NamedTuple


class Asset(NamedTuple):
    """A type and a qualifiedName; `*` in one of them stands for anything, where nothing documents it."""

    type: str
    name: str


ANY = Asset("*", "*")
"""Where a column comes from that no input holds: constants, the time of the run."""

Data = Asset | tuple[Asset, Asset]
"""What stands for a dataset: an asset, or a table and the place where its files are."""

LAKE = "https://contosolake.dfs.core.windows.net"
BLOB = "https://contosoblob.blob.core.windows.net"
WORKSPACE = "adb-1234567890123456.7.azuredatabricks.net"
METASTORE = "11111111-2222-3333-4444-555555555555"
FABRIC = "https://app.fabric.microsoft.com/groups"
FABRIC_WORKSPACE = "aaaaaaaa-1111-2222-3333-bbbbbbbbbbbb"
LAKEHOUSE = "cccccccc-1111-2222-3333-dddddddddddd"
SPARK = "{SparkPartitions}"
DAY = "{Year}/{Month}/{Day}"


# ---- as Spark names them


def abfss(path: str, account: str = "contosolake") -> str:
    """Return a path of ADLS Gen2, by container and path: `raw/orders`."""
    container, _, rest = path.partition("/")
    return f"abfss://{container}@{account}.dfs.core.windows.net/{rest}"


def wasbs(path: str, account: str = "contosoblob") -> str:
    """Return a path of Blob storage likewise."""
    container, _, rest = path.partition("/")
    return f"wasbs://{container}@{account}.blob.core.windows.net/{rest}"


def onelake(path: str) -> str:
    """Return a path of the lakehouse in OneLake."""
    return f"abfss://{FABRIC_WORKSPACE}@onelake.dfs.fabric.microsoft.com/{LAKEHOUSE}/{path}"


# ---- as Purview's scans name them


def gen2_set(path: str, account: str = LAKE) -> Asset:
    """Return a directory that Spark has written, or reads."""
    return Asset("azure_datalake_gen2_resource_set", f"{account}/{path}/{SPARK}")


def gen2_files(path: str) -> Asset:
    """Files that are one resource set by their names."""
    return Asset("azure_datalake_gen2_resource_set", f"{LAKE}/{path}")


def gen2_path(path: str) -> Asset:
    """Return a file, or a directory as such: `raw/orders/`."""
    return Asset("azure_datalake_gen2_path", f"{LAKE}/{path}")


def gen2_container(name: str) -> Asset:
    """Return a container as a whole."""
    return Asset("azure_datalake_gen2_filesystem", f"{LAKE}/{name}")


def blob_set(path: str) -> Asset:
    """Return a directory of Blob storage."""
    return Asset("azure_blob_resource_set", f"{BLOB}/{path}/{SPARK}")


def hive_table(name: str, server: str = WORKSPACE) -> Asset:
    """Return a table of a Hive metastore, `db.table`: of a Databricks workspace, or of a namespace."""
    return Asset("hive_table", f"{name}@{server}")


def hive_view(name: str, server: str = WORKSPACE) -> Asset:
    """Return a view there."""
    return Asset("hive_view", f"{name}@{server}")


def unity_table(name: str) -> Asset:
    """Return a table of Unity Catalog, `catalog.schema.table`."""
    catalog, schema, table = name.split(".")
    place = f"databricks://{METASTORE}/catalogs/{catalog}/schemas/{schema}/tables/{table}"
    return Asset("databricks_table", place)


def sql_table(type_name: str, name: str) -> Asset:
    """Return a table of a database that speaks like SQL Server: `host/database/schema/table`."""
    return Asset(type_name, f"mssql://{name}")


def lakehouse_table(name: str) -> Asset:
    """Return a table of the lakehouse."""
    return Asset("fabric_lakehouse_table", f"{FABRIC}/{FABRIC_WORKSPACE}/lakehouses/{LAKEHOUSE}/tables/{name}")


def unknown(name: str) -> Asset:
    """Return what no scan makes: its name is clear, and nowhere documented."""
    return Asset("DataSet", name)
