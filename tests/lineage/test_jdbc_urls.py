"""Where JDBC URLs lead, and what qualified names of tables mean in each database."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.datasets.systems.jdbc_urls import name_parts, rdbms_table, read_url

ORACLE_DESCRIPTION = (
    "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=db1)(PORT=1522))(CONNECT_DATA=(SERVICE_NAME=shop.x)))"
)

# URL, type, host, port, database, schema
URLS = [
    ("jdbc:postgresql://db1/shop", "postgresql", "db1", 5432, "shop", None),
    ("jdbc:postgresql://db1:6432/shop?user=me&password=hunter2", "postgresql", "db1", 6432, "shop", None),
    ("jdbc:postgresql://db1/shop?currentSchema=sales", "postgresql", "db1", 5432, "shop", "sales"),
    ("jdbc:postgresql://me:hunter2@db1:1,db2:2/shop", "postgresql", "db1", 1, "shop", None),
    ("jdbc:postgresql://[::1]:5433/shop", "postgresql", "::1", 5433, "shop", None),
    ("jdbc:postgresql:shop", "postgresql", "", None, "shop", None),
    ("jdbc:mysql://db1/shop?useSSL=true&password=hunter2", "mysql", "db1", 3306, "shop", None),
    ("jdbc:mysql://db1:3307/shop", "mysql", "db1", 3307, "shop", None),
    ("jdbc:mysql:loadbalance://db1,db2/shop", "mysql", "db1", 3306, "shop", None),
    ("jdbc:mysql://address=(host=db1)(port=3308)(user=me)(password=hunter2)/shop", "mysql", "db1", 3308, "shop", None),
    ("jdbc:mariadb://db1/shop?user=me", "mariadb", "db1", 3306, "shop", None),
    ("jdbc:oracle:thin:@db1:1521:SHOP", "oracle", "db1", 1521, "SHOP", None),
    ("jdbc:oracle:thin:scott/hunter2@db1:1521:SHOP", "oracle", "db1", 1521, "SHOP", None),
    ("jdbc:oracle:thin:@//db1:1522/shop.example.com", "oracle", "db1", 1522, "shop.example.com", None),
    ("jdbc:oracle:thin:scott/hunter2@//db1/shop", "oracle", "db1", 1521, "shop", None),
    ("jdbc:oracle:thin:@tcps://db1:2484/shop?wallet_location=/w", "oracle", "db1", 2484, "shop", None),
    (ORACLE_DESCRIPTION, "oracle", "db1", 1522, "shop.x", None),
    ("jdbc:oracle:thin:@SHOP_ALIAS", "oracle", "", None, "SHOP_ALIAS", None),
    ("jdbc:oracle:oci:scott/hunter2@db1:1521/shop", "oracle", "db1", 1521, "shop", None),
    ("jdbc:sqlserver://db1;databaseName=shop;user=me;password={hunter2;}", "sqlserver", "db1", 1433, "shop", None),
    ("jdbc:sqlserver://db1:1444;DatabaseName=shop", "sqlserver", "db1", 1444, "shop", None),
    (r"jdbc:sqlserver://db1\inst;database=shop", "sqlserver", r"db1\inst", None, "shop", None),
    ("jdbc:sqlserver://;serverName=db1;portNumber=1444;databaseName=shop", "sqlserver", "db1", 1444, "shop", None),
    ("jdbc:jtds:sqlserver://db1/shop", "sqlserver", "db1", 1433, "shop", None),
    ("jdbc:db2://db1:50001/shop", "db2", "db1", 50001, "shop", None),
    ("jdbc:db2://db1/shop:user=me;password=hunter2;currentSchema=SALES;", "db2", "db1", 50000, "shop", "SALES"),
    ("jdbc:db2:shop", "db2", "", None, "shop", None),
    ("jdbc:derby://db1:1528/shop;create=true;password=hunter2", "derby", "db1", 1528, "shop", None),
    ("jdbc:derby:memory:shop;create=true", "derby", "", None, "memory:shop", None),
    ("jdbc:derby:/data/shop;create=true", "derby", "", None, "/data/shop", None),
    ("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "h2", "", None, "mem:shop", None),
    ("jdbc:h2:file:/data/shop;PASSWORD=hunter2", "h2", "", None, "/data/shop", None),
    ("jdbc:h2:/data/shop", "h2", "", None, "/data/shop", None),
    ("jdbc:h2:tcp://db1/~/shop;SCHEMA=SALES", "h2", "db1", 9092, "~/shop", "SALES"),
    ("jdbc:hsqldb:hsql://db1/shop", "hsqldb", "db1", 9001, "shop", None),
    ("jdbc:sqlite:/data/shop.db?cache=shared", "sqlite", "", None, "/data/shop.db", None),
    ("jdbc:teradata://db1/DATABASE=shop,DBS_PORT=1026,PASSWORD=hunter2", "teradata", "db1", 1026, "shop", None),
    ("jdbc:teradata://db1", "teradata", "db1", 1025, "", None),
    ("jdbc:snowflake://a.example.com/?db=SHOP&schema=SALES&warehouse=W", "snowflake", "a.example.com", 443, "SHOP", "SALES"),
    ("jdbc:redshift://db1/shop", "redshift", "db1", 5439, "shop", None),
    ("jdbc:redshift:iam://db1:5440/shop?AccessKeyID=x", "redshift", "db1", 5440, "shop", None),
    ("jdbc:databricks://db1/default;PWD=hunter2;ConnCatalog=main;ConnSchema=sales", "databricks", "db1", 443, "main", "sales"),
    ("jdbc:spark://db1:10000/default;AuthMech=3", "databricks", "db1", 10000, "default", None),
    ("jdbc:hive2://db1:10001,db2/shop;ssl=true?a=b#c", "hive2", "db1", 10001, "shop", None),
    ("jdbc:impala://db1/shop", "impala", "db1", 21050, "shop", None),
    ("jdbc:trino://db1:8443/lake/sales?user=me", "trino", "db1", 8443, "lake", "sales"),
    ("jdbc:clickhouse://db1/shop?ssl=true", "clickhouse", "db1", 8123, "shop", None),
    ("jdbc:sap://db1:30041/?databaseName=SHOP", "sap", "db1", 30041, "SHOP", None),
    ("jdbc:aws-wrapper:postgresql://db1/shop", "postgresql", "db1", 5432, "shop", None),
    ("jdbc:somethingnew://db1:77/shop?password=hunter2", "somethingnew", "db1", 77, "shop", None),
    ("jdbc:somethingnew:me/hunter2@shop", "somethingnew", "", None, "shop", None),
]  # fmt: skip


@pytest.mark.parametrize(("url", "kind", "host", "port", "database", "schema"), URLS, ids=[u[0] for u in URLS])
def test_a_url_leads_to_its_database(
    url: str, kind: str, host: str, port: int | None, database: str, schema: str | None
) -> None:
    found = read_url(url)
    assert found is not None
    assert (found.rdbms_type, found.host, found.port, found.database, found.schema) == (
        kind,
        host,
        port,
        database,
        schema,
    )


@pytest.mark.parametrize("url", [u[0] for u in URLS])
def test_nothing_of_a_login_is_kept(url: str) -> None:
    text = repr(read_url(url))
    assert "hunter2" not in text
    assert "scott" not in text
    assert "me:" not in text


@pytest.mark.parametrize("url", ["", "postgresql://db1/shop", "jdbc:", "mongodb://db1"])
def test_what_is_no_jdbc_url_leads_nowhere(url: str) -> None:
    assert read_url(url) is None
    assert rdbms_table(url, ("t",)) is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("orders", ("orders",)),
        ("sales.orders", ("sales", "orders")),
        ('"Sales"."Big.Orders"', ("Sales", "Big.Orders")),
        ('"a""b"', ('a"b',)),
        ("`shop`.`orders`", ("shop", "orders")),
        ("[dbo].[Order Lines]", ("dbo", "Order Lines")),
        ("shop.dbo.orders", ("shop", "dbo", "orders")),
        ("shop..orders", ("shop", "", "orders")),
        (" sales . orders ", ("sales", "orders")),
    ],
)
def test_the_parts_of_a_name(name: str, parts: tuple[str, ...]) -> None:
    assert name_parts(name) == parts


@pytest.mark.parametrize(
    ("url", "name", "database", "schema", "table"),
    [
        ("jdbc:postgresql://db1/shop", "orders", "shop", None, "orders"),
        ("jdbc:postgresql://db1/shop?currentSchema=sales", "orders", "shop", "sales", "orders"),
        ("jdbc:postgresql://db1/shop?currentSchema=sales", "hr.people", "shop", "hr", "people"),
        ("jdbc:mysql://db1/shop", "archive.orders", "archive", None, "orders"),
        ("jdbc:mysql://db1/shop", "`orders`", "shop", None, "orders"),
        ("jdbc:sqlserver://db1;databaseName=shop", "archive.dbo.orders", "archive", "dbo", "orders"),
        ("jdbc:sqlserver://db1;databaseName=shop", "archive..orders", "archive", None, "orders"),
        ("jdbc:oracle:thin:@//db1/shop", "SCOTT.EMP", "shop", "SCOTT", "EMP"),
        ("jdbc:teradata://db1/DATABASE=shop", "archive.orders", "archive", None, "orders"),
        ("jdbc:sqlite:/data/shop.db", "main.orders", "/data/shop.db", "main", "orders"),
    ],
)
def test_a_name_within_its_database(url: str, name: str, database: str, schema: str | None, table: str) -> None:
    found = rdbms_table(url, name_parts(name))
    assert found is not None
    assert (found.database, found.schema, found.table) == (database, schema, table)
