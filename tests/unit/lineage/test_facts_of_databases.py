"""Facts of a database from JDBC URLs, names and options in addition to a table's identity: instance, quoting, product."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.datasets.sources import source_of
from sac_kafka.lineage.datasets.systems.warehouses import snowflake
from sac_kafka.model import RdbmsDataset
from sac_kafka.names.jdbc_urls import named_table, parse_jdbc_url, rdbms_table


@pytest.mark.parametrize(
    ("url", "instance", "host", "port"),
    [
        (r"jdbc:sqlserver://h\Prod;databaseName=d", "Prod", r"h\prod", None),
        (r"jdbc:sqlserver://h\Prod:1500;databaseName=d", "Prod", "h", 1500),
        ("jdbc:sqlserver://h:1500;instanceName=Prod", "Prod", "h", 1500),
        ("jdbc:sqlserver://h;instanceName=Prod", "Prod", r"h\prod", None),
        (r"jdbc:sqlserver://;serverName=h\Prod;portNumber=1500", "Prod", "h", 1500),
        ("jdbc:jtds:sqlserver://h:1500/d;instance=Prod", "Prod", "h", 1500),
        ("jdbc:sqlserver://h:1433;databaseName=d", "", "h", 1433),
        ("jdbc:postgresql://h/d?instance=x", "", "h", 5432),
    ],
)
def test_a_url_keeps_the_name_of_an_instance(url: str, instance: str, host: str, port: int | None) -> None:
    found = parse_jdbc_url(url)
    assert found is not None
    assert (found.instance, found.host, found.port) == (instance, host, port)


SNOWFLAKE = "jdbc:snowflake://a.snowflakecomputing.com/?db={}&schema={}"


@pytest.mark.parametrize(
    ("database", "schema", "name", "quoted"),
    [
        ("D", "S", "T", {}),
        ("D", "S", '"t"', {"table": "t"}),
        ("%22d%22", "%22s%22", "t", {"database": "d", "schema": "s"}),
        ("%22d%22", "%22s%22", "x.y.t", {}),
        ("%22d%22", "%22s%22", '"x".y.t', {"database": "x"}),
        ("%22a%22%22b%22", "S", "t", {"database": 'a"b'}),
        ("D", "S", "a.b.c.d.", {}),
    ],
)
def test_quoted_names_are_kept(database: str, schema: str, name: str, quoted: dict[str, str]) -> None:
    found = named_table(SNOWFLAKE.format(database, schema), name)
    assert found is not None
    assert dict(found.quoted) == quoted


def test_options_of_snowflake_keep_their_quotes() -> None:
    options = {"sfurl": "a.snowflakecomputing.com", "sfdatabase": '"My Db"', "sfschema": "s", "dbtable": "t"}
    found = snowflake(options, ())
    assert found is not None
    assert dict(found.quoted) == {"database": "My Db"}


def test_warehouse_is_identified_by_its_connector() -> None:
    options = {"url": "jdbc:sqlserver://h.database.windows.net;database=d", "dbtable": "t"}
    products = {}
    for name in ("sqldw", "jdbc"):
        source = source_of(name)
        found = None if source is None else source.identify(options, ())
        assert isinstance(found, RdbmsDataset)
        products[name] = found.product
    assert products == {"sqldw": "synapse", "jdbc": ""}


def test_facts_do_not_change_the_identity_of_a_table() -> None:
    """Keep one table per process, whatever its name's form."""
    url = SNOWFLAKE.format("d", "s")
    one, other = named_table(url, '"t"'), rdbms_table(url, ("t",))
    assert one == other and one is not None and other is not None
    assert one.key == other.key and hash(one) == hash(other)
