"""A dataset of each kind that Purview supports, or does not, and flows between them."""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.model import (
    Dataset,
    HBaseDataset,
    OtherDataset,
    PathDataset,
    Process,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from tests.unit.atlas.flows import columns, copy

_COLUMNS = columns("id", "amount")


def _path(uri: str) -> PathDataset:
    return PathDataset(path=uri, format="parquet", columns=_COLUMNS)


def _rdbms(kind: str, host: str, schema: str | None = "dbo") -> RdbmsDataset:
    return RdbmsDataset(rdbms_type=kind, host=host, database="sales", schema=schema, table="orders", columns=_COLUMNS)


SINK = _path("abfss://curated@contosolake.dfs.core.windows.net/totals")
_TABLE = TableDataset(database="sales", name="orders", columns=_COLUMNS)
DATASETS: dict[str, Dataset] = {
    "ADLS Gen2": _path("abfss://raw@contosolake.dfs.core.windows.net/orders"),
    "a container of ADLS Gen2": _path("abfss://raw@contosolake.dfs.core.windows.net/"),
    "Blob": _path("wasbs://raw@contosoblob.blob.core.windows.net/orders"),
    "a container of Blob": _path("wasbs://raw@contosoblob.blob.core.windows.net/"),
    "ADLS Gen1": _path("adl://contoso.azuredatalakestore.net/orders"),
    "OneLake": _path("abfss://ws@onelake.dfs.fabric.microsoft.com/lake.Lakehouse/Tables/orders"),
    "files of OneLake": _path("abfss://ws@onelake.dfs.fabric.microsoft.com/lake.Lakehouse/Files/orders"),
    "S3": _path("s3a://bucket/raw/orders"),
    "a bucket of S3": _path("s3a://bucket/"),
    "GCS": _path("gs://bucket/raw/orders"),
    "HDFS": _path("hdfs://nn1/data/orders"),
    "a local path": _path("file:/data/orders"),
    "DBFS": _path("dbfs:/data/orders"),
    "a table": _TABLE,
    "a table with a location": replace(_TABLE, location="abfss://raw@contosolake.dfs.core.windows.net/orders"),
    "a view": replace(_TABLE, view_text="SELECT 1", table_type="VIEW"),
    "a table of a catalog": replace(_TABLE, catalog="main"),
    "Azure SQL": _rdbms("mssql", "contoso.database.windows.net"),
    "a managed instance": _rdbms("mssql", "mi.abcdef.database.windows.net"),
    "Synapse": _rdbms("mssql", "ws.sql.azuresynapse.net"),
    "Synapse serverless": _rdbms("mssql", "ws-ondemand.sql.azuresynapse.net"),
    "SQL Server": _rdbms("mssql", "db.contoso.local"),
    "Azure PostgreSQL": _rdbms("postgresql", "contoso.postgres.database.azure.com"),
    "PostgreSQL": _rdbms("postgresql", "db.contoso.local"),
    "Azure MySQL": _rdbms("mysql", "contoso.mysql.database.azure.com", None),
    "MySQL": _rdbms("mysql", "db.contoso.local", None),
    "Oracle": _rdbms("oracle", "db.contoso.local"),
    "Teradata": _rdbms("teradata", "db.contoso.local", None),
    "a topic": TopicDataset(topic="orders", servers="kafka:9092", columns=_COLUMNS),
    "a topic of Event Hubs": TopicDataset(
        topic="orders", servers="contoso.servicebus.windows.net:9093", columns=_COLUMNS
    ),
    "HBase": HBaseDataset(namespace="default", table="orders", columns=_COLUMNS),
    "Cosmos DB": OtherDataset(
        system="cosmos", host="contoso.documents.azure.com", parts=("sales", "orders"), columns=_COLUMNS
    ),
    "Kusto": OtherDataset(
        system="kusto", host="contoso.westeurope.kusto.windows.net", parts=("sales", "orders"), columns=_COLUMNS
    ),
    "Snowflake": OtherDataset(
        system="snowflake", host="contoso.snowflakecomputing.com", parts=("S", "P", "O"), columns=_COLUMNS
    ),
    "MongoDB": OtherDataset(system="mongodb", host="db.contoso.local", parts=("sales", "orders"), columns=_COLUMNS),
}


def flow_of(source: Dataset, target: Dataset) -> Process:
    """Return a flow from every column of one dataset into that of another."""
    return copy(source, target)
