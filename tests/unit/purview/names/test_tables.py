"""Names of tables, topics and everything but paths in Purview, row by row, from Spark's descriptions."""

from __future__ import annotations

from collections import Counter

import pytest

from sac_kafka.lineage.datasets.systems.jdbc import jdbc_reading
from sac_kafka.names.jdbc_urls import named_table
from sac_kafka.plan.systems.jdbc import JDBCRelation
from sac_kafka.purview.asset import UNKNOWN_TYPE
from sac_kafka.purview.names import asset
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.settings.declarations.choices import SqlServerPort
from tests.helpers.every_row import every_row
from tests.unit.purview.names.rows import CERTAINTIES, Row, rows

ROWS = rows("tables.csv")
EACH = every_row("row", ROWS, label=lambda row: row.id)


@EACH
def test_the_name_that_a_scan_gives(row: Row) -> None:
    found = asset(row.dataset, row.surroundings, is_output=True)
    assert (found.type_name, found.qualified_name) == (row.type, row.qualified_name)
    assert found.is_known is (row.type != UNKNOWN_TYPE)
    assert found.name and found.rule


@EACH
def test_input_and_output_are_one_asset(row: Row) -> None:
    names = {asset(row.dataset, row.surroundings, is_output=way).qualified_name for way in (True, False)}
    assert len(names) == 1


def test_table_has_the_origin_of_each_name() -> None:
    assert [name for name, count in Counter(row.id for row in ROWS).items() if count > 1] == []
    assert [row.id for row in ROWS if not row.source or row.certainty not in CERTAINTIES] == []
    assert len(ROWS) >= 130


@pytest.mark.parametrize(
    ("url", "query", "names"),
    [
        (
            "jdbc:snowflake://a.snowflakecomputing.com/?db=sales&schema=crm",
            'select o.id from "Orders" o join raw.people p on o.id = p.id',
            [
                "snowflake://a.snowflakecomputing.com/databases/SALES/schemas/CRM/tables/Orders",
                "snowflake://a.snowflakecomputing.com/databases/SALES/schemas/RAW/tables/PEOPLE",
            ],
        ),
        (
            "jdbc:sqlserver://s.database.windows.net;databaseName=d",
            "select a.x from [my schema].[T 1] a join t2 on a.id = t2.id",
            ["mssql://s.database.windows.net/d/dbo/t2", "mssql://s.database.windows.net/d/my%20schema/T%201"],
        ),
        (
            "jdbc:postgresql://p.postgres.database.azure.com/d",
            'select * from "Crm"."People"',
            ["postgresql://p.postgres.database.azure.com/d/Crm/People"],
        ),
    ],
)
def test_the_tables_of_a_query_that_the_database_runs(url: str, query: str, names: list[str]) -> None:
    read = jdbc_reading(JDBCRelation(url=url, table=None, query=None, query_text=query), ())
    assert read is not None
    found = [asset(dataset, NamingContext(), is_output=False) for dataset in read.datasets]
    assert sorted(each.qualified_name for each in found) == names


@pytest.mark.parametrize(
    ("when", "stated", "default"),
    [(SqlServerPort.AS_GIVEN, ":1433", ""), (SqlServerPort.ALWAYS, ":1433", ":1433"), (SqlServerPort.NEVER, "", "")],
)
def test_the_port_of_sql_server_is_a_setting(when: SqlServerPort, stated: str, default: str) -> None:
    for port, shown in (":1433", stated), ("", default):
        table = named_table(f"jdbc:sqlserver://sql01{port};databaseName=erp", "ledger")
        assert table is not None
        found = asset(table, NamingContext(sql_server_port=when), is_output=False)
        assert found.qualified_name == f"mssql://sql01{shown}/MSSQLSERVER/erp/dbo/ledger"
