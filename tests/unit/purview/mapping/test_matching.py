"""Names of datasets by rules."""

from __future__ import annotations

import pytest

from sac_kafka.model import (
    Dataset,
    HBaseDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.purview.mapping.matching import asset_by_rules, location
from sac_kafka.purview.mapping.reading import read_rules
from sac_kafka.purview.mapping.rules import Treatment
from sac_kafka.purview.naming_context import NamingContext
from tests.helpers.every_row import every_row
from tests.helpers.hostile import fault

SQL = RdbmsDataset(
    rdbms_type="sqlserver", host="sqlproxy.corp", port=1433, database="Sales", schema=None, table="Orders"
)
TABLE = TableDataset(database="sales", name="orders", provider="delta")
IN_UNITY = TableDataset(catalog="main", database="sales", name="orders")
TOPIC = TopicDataset(topic="orders", servers="b1.corp:9092,b2.corp:9092")
MONGO = OtherDataset(system="mongodb", host="m.corp:27017", parts=("shop", "orders"))
HBASE = HBaseDataset(namespace="ns", table="t", cluster="prod")


def path(uri: str) -> PathDataset:
    return PathDataset(path=uri, format="parquet")


def named(match: str, template: str, dataset: Dataset, **surroundings: str) -> str | None:
    text = f'[[rule]]\n{match}\ntype = "t"\nqualifiedName = "{template}"\n'
    found = asset_by_rules(dataset, NamingContext(rules=read_rules(text, "m.toml"), **surroundings))  # type: ignore[arg-type]
    return found and found.qualified_name


@every_row(
    ("dataset", "match", "template", "expected"),
    [
        # facts of a path
        (path("abfss://raw@lake.dfs.core.windows.net/a/b"), 'scheme = "abfss"',
         "{scheme} {container} {host} {account} {path} {path.2} {name} {connector}",
         "abfss raw lake.dfs.core.windows.net lake a/b b b parquet"),
        (path("abfs://raw@lake.dfs.core.windows.net/a"), 'scheme = "abfss"', "{scheme}", "abfss"),
        (path("s3a://Bucket/a b/c"), 'scheme = "s3n"', "s3://{container}/{path | quote}", "s3://Bucket/a%20b%2Fc"),
        (path("hdfs://nn1:8020/a"), 'host = "NN1"', "{host} {port} {path}", "nn1 8020 a"),
        (path("file:/data/a"), 'scheme = "file"', "{path} {name}", "data/a a"),
        (path("adl://a.azuredatalakestore.net/x"), 'account = "a"', "{host}", "a.azuredatalakestore.net"),
        (path("abfss://c@a.dfs.core.windows.net"), 'path = ""', "https://{host}/{container}/{path}",
         "https://a.dfs.core.windows.net/c"),
        (path("file:/data"), 'scheme = "file"', "{host}", None),  # a field that it does not have
        # of the others
        (TABLE, 'database = "SALES"', "{catalog}.{database}.{table} {connector}", "spark_catalog.sales.orders delta"),
        (IN_UNITY, 'catalog = "main"', "{metastore}/{catalog}/{table | upper}", "m1/main/ORDERS"),
        (TABLE, 'table = "ord*"', "{database}.{table}@{workspace}", "sales.orders@adb-1.2.azuredatabricks.net"),
        (SQL, 'host = "sqlproxy.corp"', "mssql://x/{database}/{schema | default dbo}/{table}", "mssql://x/Sales/dbo/Orders"),
        (SQL, 'scheme = "sqlserver"', "{host}:{port} {account} {name} {connector}",
         "sqlproxy.corp:1433 sqlproxy Orders sqlserver"),
        (SQL, 'port = "1433"', "{schema}", None),
        (TOPIC, 'topic = "orders"', "{host}:{port}/{topic}@{namespace}", "b1.corp:9092/orders@primary"),
        (MONGO, 'connector = "mongodb"', "{host}:{port}/{path.1}/{name}", "m.corp:27017/shop/orders"),
        (HBASE, 'connector = "hbase"', "{path.1}:{path.2}@{host}", "ns:t@prod"),
        (SQL, 'host = "{Proxy}.CORP"', "{Proxy | upper}", "SQLPROXY"),
        (path("s3a://b/x"), 'scheme = "{Scheme}"', "{Scheme}", "s3"),
        # what does not hold
        (TABLE, 'host = "*"', "q", None),
        (SQL, 'kind = "path"', "q", None),
        (MONGO, 'table = "*"', "q", None),
        (path("s3a://b/x"), 'path = "X"', "q", None),
        (path("s3a://b/x"), 'path = "x"\nmatch.container = "c"', "q", None),
    ],
)  # fmt: skip
def test_name_of_a_dataset_by_a_rule(dataset: Dataset, match: str, template: str, expected: str | None) -> None:
    around = {"workspace_host": "adb-1.2.azuredatabricks.net", "metastore_id": "m1"}
    assert named(f"match.{match}", template, dataset, **around) == expected


def test_unknown_fields_make_no_name() -> None:
    assert named('match.table = "*"', "{workspace}", TABLE) is None
    assert named('match.table = "*"', "{workspace | default none}", TABLE) == "none"


def test_the_first_rule_that_holds_wins() -> None:
    rules = read_rules(
        """
[[rule]]
match.schema = "audit"
type = "a"
qualifiedName = "a"

[[rule]]
title = "the sales database"
match.database = "sales"
type = "azure_sql_table"
qualifiedName = "mssql://h/{database}/{schema | default dbo}/{table}"
name = "{table} of sales"

[[rule]]
match.kind = "database"
type = "b"
qualifiedName = "b"
""",
        "m.toml",
    )
    asset = asset_by_rules(SQL, NamingContext(rules=rules))
    assert asset is not None
    assert (asset.type_name, asset.qualified_name, asset.name) == (
        "azure_sql_table",
        "mssql://h/Sales/dbo/Orders",
        "Orders of sales",
    )
    assert asset.rule == "the sales database (m.toml, line 7)"
    assert asset.is_known
    other = asset_by_rules(RdbmsDataset(rdbms_type="db2", database="x", table="t"), NamingContext(rules=rules))
    assert other is not None
    assert (other.type_name, other.rule) == ("b", "m.toml, line 14")
    assert asset_by_rules(TOPIC, NamingContext(rules=rules)) is None


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("abfss://raw@lake.dfs.core.windows.net/lookup/countries.csv", Treatment.FILE),
        ("abfs://raw@lake.dfs.core.windows.net/lookup", Treatment.FILE),
        ("abfss://other@lake.dfs.core.windows.net/lookup", Treatment.FOLDER),
        ("abfss://raw@lake.dfs.core.windows.net/Lookup", Treatment.FOLDER),
        ("abfss://raw@pond.dfs.core.windows.net/x", None),
        ("s3a://b", Treatment.RESOURCE_SET),
        ("s3a://b/x", None),
    ],
)
def test_location_has_the_treatment_of_its_rule(uri: str, expected: Treatment | None) -> None:
    rules = read_rules(
        """
[locations]
"abfss://raw@lake.dfs.core.windows.net/lookup/**" = "file"
"abfss://*@lake.dfs.core.windows.net/**" = "folder"
"s3://b" = "resource-set"
""",
        "m.toml",
    )
    found = location(uri, rules)
    assert (found and found.treatment) == expected


def test_invalid_asset_names_match_no_rule() -> None:
    assert named('match.scheme = "s3"', "{path}", path(f"s3a://b/{'x' * 4_000}")) is not None
    assert named('match.scheme = "s3"', "{path}", path(f"s3a://b/{'x' * 5_000}")) is None


@pytest.mark.parametrize("unit", ["a/", "a", "ab/"])
def test_a_hostile_name_takes_linear_time(unit: str) -> None:
    """Match hostile names; the globs themselves are tested in tests/unit/purview/mapping/test_globs.py."""
    rule = '[[rule]]\nmatch.path = "**/a*a/**/a*b/**/{x}c"\ntype = "t"\nqualifiedName = "q"\n'
    rules = read_rules(rule * 2, "m.toml")
    assert asset_by_rules(path(f"s3a://b/{unit * 2_000}"), NamingContext(rules=rules)) is None
    assert fault(lambda text: asset_by_rules(path("s3a://b/" + text), NamingContext(rules=rules)), "", unit) is None
