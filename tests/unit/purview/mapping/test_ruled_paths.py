"""Rules about paths: if a rule's type belongs to a store, the path is looked up as any other."""

from __future__ import annotations

import pytest

from sac_kafka.model import PathDataset, RdbmsDataset
from sac_kafka.names.paths import root
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.matching import with_rules
from sac_kafka.purview.mapping.reading import read_rules
from sac_kafka.purview.names import asset
from sac_kafka.purview.names.paths import asset_of_location
from sac_kafka.purview.naming_context import NamingContext

LAKE = "abfss://raw@lake.dfs.core.windows.net"
AS_BLOB = """
[[rule]]
title = "registered as Blob"
match.host = "lake.dfs.core.windows.net"
type = "azure_blob_path"
qualifiedName = "https://{account}.blob.core.windows.net/{container}/{path}"
"""


def around(text: str, **surroundings: object) -> NamingContext:
    return with_rules(NamingContext(**surroundings), read_rules(text, "m.toml"))  # type: ignore[arg-type]


def named(uri: str, text: str, *, is_output: bool = False, format: str = "parquet", **more: object) -> Asset:
    dataset = PathDataset(path=root(uri), format=format, locations=(uri,))
    return asset(dataset, around(text, **more), is_output=is_output)


@pytest.mark.parametrize(
    ("path", "is_output", "type_name", "tail"),
    [
        ("/sales/orders", True, "azure_blob_resource_set", "/sales/orders/{SparkPartitions}"),
        ("/sales/orders/dt=2026-11-21/part-0.parquet", False, "azure_blob_resource_set", "/sales/orders/{dt}/{SparkPartitions}"),
        ("/logs/2026/11/21/app.json", False, "azure_blob_resource_set", "/logs/{Year}/{Month}/{Day}/app.json"),
        ("/in/orders_2026-11-21.csv", False, "azure_blob_resource_set", "/in/orders_{Year}-{Month}-{Day}.csv"),
        ("", True, "azure_blob_container", ""),
    ],
)  # fmt: skip
def test_a_rule_of_a_store_has_the_resource_sets_of_the_store(
    path: str, is_output: bool, type_name: str, tail: str
) -> None:
    found = named(f"{LAKE}{path}", AS_BLOB, is_output=is_output)
    assert (found.type_name, found.qualified_name) == (type_name, f"https://lake.blob.core.windows.net/raw{tail}")
    assert found.rule == "registered as Blob (m.toml, line 2)"


def test_without_resource_sets_a_rule_names_folders_and_files() -> None:
    read = named(f"{LAKE}/in/Countries.CSV", AS_BLOB, uses_resource_sets=False)
    assert (read.type_name, read.qualified_name) == (
        "azure_blob_path",
        "https://lake.blob.core.windows.net/raw/in/Countries.csv",
    )
    written = named(f"{LAKE}/out", AS_BLOB, is_output=True, uses_resource_sets=False)
    assert (written.type_name, written.qualified_name) == (
        "azure_blob_path",
        "https://lake.blob.core.windows.net/raw/out/",
    )


def test_a_name_is_the_users_or_the_stores() -> None:
    assert named(f"{LAKE}/a/name-of-output", AS_BLOB, is_output=True).name == "name of output"
    text = AS_BLOB + 'name = "{path.1} in the lake"\n'
    assert named(f"{LAKE}/a/name-of-output", text, is_output=True).name == "a in the lake"


def test_a_rule_of_no_store_has_one_name_in_every_run() -> None:
    text = '[[rule]]\nmatch.scheme = "gs"\ntype = "gcs_object"\nqualifiedName = "gs://{container}/{path}"\n'
    first, second = (named(f"gs://b/in/orders_2026-11-{day}.csv", text) for day in (21, 22))
    assert first == second
    assert (first.type_name, first.qualified_name) == ("gcs_object", "gs://b/in/orders_{Year}-{Month}-{Day}.csv")


def test_a_rule_may_name_a_resource_set_itself() -> None:
    text = """
[[rule]]
match.path = "lake/{table}/**"
type = "azure_blob_resource_set"
qualifiedName = "HTTPS://Acct.blob.core.windows.net//c/{table}/{{SparkPartitions}}"
"""
    found = named(f"{LAKE}/lake/orders/x", text, is_output=True)
    assert found.qualified_name == "https://acct.blob.core.windows.net/c/orders/{SparkPartitions}"


def test_rule_precedes_the_facts_of_the_platform() -> None:
    text = '[[rule]]\nmatch.path = "user/hive/warehouse/**"\ntype = "t"\nqualifiedName = "{path.4}"\n'
    uri = "dbfs:/user/hive/warehouse/orders"
    assert named(uri, text, workspace_host="adb-1.2.azuredatabricks.net").qualified_name == "orders"
    assert named(uri, "", workspace_host="adb-1.2.azuredatabricks.net").type_name == "hive_table"


def test_rule_sees_the_target_of_a_mount_and_the_user_mount_counts() -> None:
    text = '[mounts]\n"dbfs:/mnt/raw" = "abfss://raw@lake.dfs.core.windows.net/in"\n' + AS_BLOB
    driver = (("dbfs:/mnt/raw/", "wasbs://x@y.blob.core.windows.net"), ("dbfs:/mnt/b", "s3a://b"))
    for uri in ("dbfs:/mnt/raw/orders", "/dbfs/mnt/raw/orders"):
        found = named(uri, text, is_output=True, mounts=driver)
        assert found.qualified_name == "https://lake.blob.core.windows.net/raw/in/orders/{SparkPartitions}"
    assert named("dbfs:/mnt/b/x", text, is_output=True, mounts=driver).qualified_name == "s3://b/x/{SparkPartitions}"


def test_the_location_of_a_table_is_named_by_rules_too() -> None:
    found = asset_of_location(f"{LAKE}/t", around(AS_BLOB), is_output=True)
    assert found.qualified_name == "https://lake.blob.core.windows.net/raw/t/{SparkPartitions}"


@pytest.mark.parametrize(
    ("treatment", "uri", "is_output", "type_name", "tail"),
    [
        ("folder", "/a/orders", True, "azure_datalake_gen2_path", "/a/orders/"),
        ("folder", "/a/orders_2026-11-21.csv", False, "azure_datalake_gen2_path", "/a/"),
        ("folder", "/a/countries2.csv", False, "azure_datalake_gen2_path", "/a/countries2.csv"),
        ("file", "/a/lookup", False, "azure_datalake_gen2_path", "/a/lookup"),
        ("file", "/a/lookup", True, "azure_datalake_gen2_path", "/a/lookup"),
        ("resource-set", "/a/orders", True, "azure_datalake_gen2_resource_set", "/a/orders/{SparkPartitions}"),
        ("resource-set", "/b/orders", True, "azure_datalake_gen2_resource_set", "/b/orders/{SparkPartitions}"),
    ],
)
def test_treatment_of_a_location_applies(treatment: str, uri: str, is_output: bool, type_name: str, tail: str) -> None:
    text = f'[locations]\n"abfss://raw@lake.dfs.core.windows.net/a/**" = "{treatment}"\n'
    found = named(f"{LAKE}{uri}", text, is_output=is_output)
    assert (found.type_name, found.qualified_name) == (type_name, f"https://lake.dfs.core.windows.net/raw{tail}")


def test_location_may_be_a_resource_set_although_they_are_disabled() -> None:
    text = '[locations]\n"abfss://raw@lake.dfs.core.windows.net/a/**" = "resource-set"\n'
    assert named(f"{LAKE}/a/x", text, is_output=True, uses_resource_sets=False).qualified_name.endswith(
        "{SparkPartitions}"
    )
    assert named(f"{LAKE}/b/x", text, is_output=True, uses_resource_sets=False).qualified_name.endswith("/b/x/")


def test_the_name_of_a_database_is_normalised_and_falls_back_to_the_general_rule() -> None:
    text = """
[[rule]]
match.host = "sqlproxy.corp"
match.schema = "*"
type = "azure_sql_table"
qualifiedName = "MSSQL://Contoso.database.windows.net//{database}/{schema}/{table}"
"""
    dataset = RdbmsDataset(rdbms_type="sqlserver", host="sqlproxy.corp", database="db", schema="s", table="[t x]")
    assert (
        asset(dataset, around(text), is_output=False).qualified_name
        == "mssql://contoso.database.windows.net/db/s/t%20x"
    )
    without = RdbmsDataset(rdbms_type="sqlserver", host="sqlproxy.corp", database="db", table="t")
    assert asset(without, around(text), is_output=False) == asset(without, NamingContext(), is_output=False)


@pytest.mark.parametrize(
    ("glob", "read"),
    [
        (f"{LAKE}/out/orders.parquet", "/out/orders.parquet/{SparkPartitions}"),
        (f"{LAKE}/out/*", "/out/orders.parquet"),
        (f"{LAKE}/out/**", "/out/orders.parquet"),
    ],
)
def test_directory_named_like_a_file_is_one_if_a_rule_names_it(glob: str, read: str) -> None:
    text = f'[locations]\n"{glob}" = "resource-set"\n'
    found, written = (named(f"{LAKE}/out/orders.parquet", text, is_output=each) for each in (False, True))

    assert found.qualified_name == f"https://lake.dfs.core.windows.net/raw{read}"
    assert written.qualified_name == "https://lake.dfs.core.windows.net/raw/out/orders.parquet/{SparkPartitions}"
