"""Databases over JDBC, by the URLs that they have in Azure and elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.live.purview.assets import Asset, abfss, gen2_set, sql_table
from tests.live.purview.contexts import PLAIN
from tests.live.purview.expecting import case, flow
from tests.live.purview.prepared import orders

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RAW = gen2_set("raw/orders")
COLUMNS = "id, customer, amount, day"
LOGIN = {"user": "clerk", "password": "hunter2"}
SQL = "jdbc:sqlserver://contososql.database.windows.net:1433;database=sales;encrypt=true;loginTimeout=30"
SYNAPSE = "jdbc:sqlserver://contosows.sql.azuresynapse.net:1433;database=pool1"
POSTGRES = "jdbc:postgresql://contosopg.postgres.database.azure.com:5432/sales"
TYPES = {"createTableColumnTypes": "customer varchar(40), day varchar(40)"}
"""For tables with such columns: not every server compares or groups by texts without an end."""

_ONE_EACH = {
    "azure_sql": (SQL, "dbo.copied", sql_table("azure_sql_table", "contososql.database.windows.net/sales/dbo/copied")),
    "azure_postgres": (
        POSTGRES,
        "facts",
        Asset("azure_postgresql_table", "postgresql://contosopg.postgres.database.azure.com/sales/public/facts"),
    ),
}
"""By case the URL, the table's name as Spark is given it, and the asset."""


def _read(spark: SparkSession, url: str, **options: str) -> DataFrame:
    return spark.read.format("jdbc").options(url=url, **LOGIN, **options).load()


def _write(df: DataFrame, url: str, table: str, mode: str = "overwrite") -> None:
    types = TYPES if {"customer", "day"} <= {*df.columns} else {}
    df.write.format("jdbc").options(url=url, dbtable=table, **LOGIN, **types).mode(mode).save()


for _name, (_url, _table, _asset) in _ONE_EACH.items():

    @case(
        PLAIN,
        flow({RAW: COLUMNS}, _asset),
        flow({_asset: "id, amount"}, gen2_set(f"out/from_{_name}")),
        name=f"in_and_out_of_{_name}",
    )
    def _(spark: SparkSession, work: str, name: str = _name, url: str = _url, table: str = _table) -> None:
        _write(spark.read.parquet(abfss("raw/orders")), url, table)
        _write(spark.read.parquet(abfss("raw/orders")), url, table, "append")
        _read(spark, url, dbtable=table).select("id", "amount").write.parquet(abfss(f"out/from_{name}"))


@case(
    PLAIN,
    flow(
        {sql_table("azure_sql_table", "contososql.database.windows.net/sales/dbo/source"): "id, amount > twice"},
        sql_table("azure_sql_table", "contososql.database.windows.net/sales/dbo/target"),
    ),
)
def from_table_to_table_of_one_database(spark: SparkSession, work: str) -> Iterator[None]:
    """In and out of one server: nothing shows but the two tables."""
    _write(orders(spark), SQL, "dbo.source")
    yield
    _write(_read(spark, SQL, dbtable="dbo.source").selectExpr("id", "amount * 2 twice"), SQL, "dbo.target")


@case(
    PLAIN,
    flow(
        {sql_table("azure_sql_table", "contososql.database.windows.net/sales/dbo/queried"): "id, amount > total"},
        gen2_set("out/of_a_query"),
    ),
)
def of_a_query(spark: SparkSession, work: str) -> Iterator[None]:
    """The table that the query reads, in place of the query."""
    _write(orders(spark), SQL, "dbo.queried")
    yield
    query = "select id, sum(amount) as total from dbo.queried where customer <> 'hunter2' group by id"
    for options in ({"query": query}, {"dbtable": f"({query}) q"}):
        _read(spark, SQL, **options).write.mode("overwrite").parquet(abfss("out/of_a_query"))
