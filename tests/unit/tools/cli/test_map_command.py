"""`sac-kafka map`: output for datasets and for files of rules, and its exit status."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.unit.tools.cli.conftest import Cli

LAKE = "abfss://raw@contosolake.dfs.core.windows.net"
RULES = """
[mounts]
"dbfs:/mnt/raw" = "abfss://raw@contosolake.dfs.core.windows.net"

[locations]
"abfss://raw@contosolake.dfs.core.windows.net/lookup/**" = "file"

[[rule]]
title = "registered as Blob"
match.host = "contosolake.dfs.core.windows.net"
type = "azure_blob_path"
qualifiedName = "https://{account}.blob.core.windows.net/{container}//{path}"
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    Path("mapping.toml").write_text(RULES, "utf-8")


@pytest.fixture
def run(cli: Cli) -> Cli:
    return partial(cli, "map")


def explained(run: Cli, *arguments: str) -> dict[str, str]:
    """Explain one dataset and return the output by the titles of its lines."""
    status, out, err = run("explain", *arguments)
    assert (status, err) == (0, "")
    first, *lines = out.splitlines()
    return {"": first, **{line[:17].strip(): line[17:] for line in lines}}


def test_a_path_is_explained_by_the_general_rule(run: Cli) -> None:
    assert explained(run, f"{LAKE}/sales/orders", "--side", "output") == {
        "": f"path {LAKE}/sales/orders, written",
        "fields": "kind = path, scheme = abfss, host = contosolake.dfs.core.windows.net, account = contosolake, "
        "container = raw, path = sales/orders, name = orders",
        "rule": "ADLS Gen2 resource set, built-in rule",
        "type": "azure_datalake_gen2_resource_set",
        "qualifiedName": "https://contosolake.dfs.core.windows.net/raw/sales/orders/{SparkPartitions}",
        "name": "orders",
        "resource set": "yes",
    }


def test_a_path_is_explained_by_a_rule_of_the_user(run: Cli) -> None:
    found = explained(run, "dbfs:/mnt/raw/sales/orders", "--side", "output", "--rules", "mapping.toml")
    assert found["behind mount"] == f"{LAKE}/sales/orders"
    assert found["rule"] == f"registered as Blob ({Path.cwd()}/mapping.toml, line 8), rule of your mapping file"
    assert found["qualifiedName"] == "https://contosolake.blob.core.windows.net/raw/sales/orders/{SparkPartitions}"
    assert found["normalised by"] == "Remove double slash"


def test_a_location_is_explained(run: Cli) -> None:
    found = explained(run, f"{LAKE}/lookup/countries", "--rules", "mapping.toml")
    assert found["location"] == f"file, by {Path.cwd()}/mapping.toml, line 6"
    assert found["resource set"] == "no"
    assert found["qualifiedName"] == "https://contosolake.blob.core.windows.net/raw/lookup/countries"


def test_shows_what_normalisation_changes(run: Cli) -> None:
    found = explained(run, "abfss://raw@ContosoLake.dfs.core.windows.net//in/Countries.CSV")
    assert found["normalised by"] == "Lowercase File Extension, Lowercase hostname, Remove double slash"
    assert found["qualifiedName"] == "https://contosolake.dfs.core.windows.net/raw/in/Countries.csv"


@pytest.mark.parametrize(
    ("arguments", "type_name", "qualified_name"),
    [
        (["jdbc:sqlserver://s.database.windows.net:1433;database=sales", "--dbtable", "s.orders"], "azure_sql_table",
         "mssql://s.database.windows.net/sales/s/orders"),
        (["--format", "jdbc", "--option", "url=jdbc:postgresql://p.postgres.database.azure.com/db", "--option", "dbtable=t"],
         "azure_postgresql_table", "postgresql://p.postgres.database.azure.com/db/public/t"),
        (["--format", "snowflake", "--option", "sfURL=a.snowflakecomputing.com", "--option", "sfDatabase=D",
          "--option", "sfSchema=S", "--option", "dbtable=T"],
         "snowflake_table", "snowflake://a.snowflakecomputing.com/databases/D/schemas/S/tables/T"),
        (["--format", "kafka", "--option", "kafka.bootstrap.servers=b:9092", "--option", "subscribe=orders"],
         "kafka_topic", "orders@primary"),
        (["--format", "delta", f"{LAKE}/d"], "azure_datalake_gen2_resource_set",
         "https://contosolake.dfs.core.windows.net/raw/d/{SparkPartitions}"),
        (["--format", "parquet", "--option", "path=s3a://b/x"], "aws_s3_v2_resource_set", "s3://b/x/{SparkPartitions}"),
        (["topic:orders"], "kafka_topic", "orders@primary"),
        (["sales.orders", "--conf", "spark.databricks.workspaceUrl=adb-1.2.azuredatabricks.net"], "hive_table",
         "sales.orders@adb-1.2.azuredatabricks.net"),
        (["sales.orders", "--conf", "atlas.metadata.namespace=prod"], "hive_table", "sales.orders@prod"),
    ],
)  # fmt: skip
def test_every_form_of_a_dataset_name(run: Cli, arguments: list[str], type_name: str, qualified_name: str) -> None:
    found = explained(run, *arguments)
    assert (found["type"], found["qualifiedName"]) == (type_name, qualified_name)


def test_dataset_without_a_rule_is_reported_with_status_1(run: Cli) -> None:
    out = run("explain", "gs://b/x", f"{LAKE}/x").text(1)
    assert "gs: is not scanned, no built-in rule: if Purview scans it, add a mapping rule" in out
    assert out.count("\n\n") == 1


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (
            ("main.sales.orders", "--conf", "spark.databricks.workspaceUrl=adb-1.2.azuredatabricks.net"),
            "without the id of its metastore, no built-in rule: set atlas.hook.spark.purview.databricks.metastore",
        ),
        (
            ("main.sales.orders",),
            "no built-in rule: if it is in Unity Catalog, set atlas.hook.spark.purview.databricks.metastore, the last part of ",
        ),
        (
            ("hive_metastore.sales.orders",),
            "no built-in rule: its name has the workspace of Databricks: add --conf spark.databricks.workspaceUrl=HOST",
        ),
        (("dbfs:/mnt/raw/orders",), "DBFS, no built-in rule: only the workspace knows its mounts"),
    ],
)
def test_fix_names_a_setting_instead_of_a_rule_if_one_helps(run: Cli, arguments: tuple[str, ...], remedy: str) -> None:
    run("explain", *arguments).check(1, remedy)


def test_json_is_a_line_for_each_dataset(run: Cli) -> None:
    status, out, _ = run("explain", f"{LAKE}/lookup/x", "gs://b/ä", "--rules", "mapping.toml", "--json")
    first, second = map(json.loads, out.splitlines())
    assert status == 1
    assert first["is_by_user"] is True
    assert first["location"] == {"treatment": "file", "place": f"{Path.cwd()}/mapping.toml, line 6"}
    assert (second["is_known"], second["type"], second["name"], second["side"]) == (False, "DataSet", "ä", "input")
    assert first["normalised_by"] == ["Remove double slash"]


def test_rules_are_found_next_to_the_configuration(run: Cli, tmp_path: Path) -> None:
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "m.toml").write_text(RULES.replace("registered as Blob", "of the configuration"), "utf-8")
    (conf / "atlas-application.properties").write_text("atlas.hook.spark.purview.mapping.file=m.toml\n", "utf-8")
    words = (f"{LAKE}/x", "--conf-dir", str(conf))
    assert "of the configuration" in explained(run, *words)["rule"]
    assert "registered as Blob" in explained(run, *words, "--rules", "mapping.toml")["rule"]


def test_no_password_is_printed(run: Cli) -> None:
    url = "jdbc:sqlserver://s.database.windows.net;database=x;user=u;password=geheim12"
    for arguments in ([url, "--dbtable", "t"], [url], ["--format", "jdbc", "--option", "password=geheim12"]):
        try:
            status, out, err = run("explain", *arguments)
        except SystemExit:
            continue
        assert status in (0, 2)
        assert "geheim12" not in out + err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain"], "no dataset given; name a URI, a table or a JDBC URL"),
        (["explain", "jdbc:postgresql://h/db"], "give the table with --dbtable"),
        (["explain", "jdbc:postgresql://h/db", "--dbtable", "(select 1) x"], "give the name of a table, not a query"),
        (["explain", "x", "--dbtable", "t"], "--dbtable needs exactly one JDBC URL"),
        (["explain", "--option", "dbtable=t"], "--option needs --format"),
        (["explain", "--format", "delta"], "no path given"),
        (["explain", "--format", "snowflake"], "the options do not identify a dataset"),
        (["explain", "job:daily"], "a job is not a dataset"),
        (["explain", "x", "--rules", "gone.toml"], "--rules = gone.toml: no such file in"),
        (["explain", "x", "--conf-dir", "gone"], "no such file or directory"),
        (["check", "gone.toml"], "FILE = gone.toml: no such file in"),
        (["import", "mapping.toml"], "mapping.toml: invalid JSON; name the accelerator's file"),
        (["import", "gone.json"], "FILE = gone.json: no such file in"),
    ],
)  # fmt: skip
def test_error_is_one_line_with_a_fix(run: Cli, arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_check_summarises_a_file(run: Cli) -> None:
    run("check", "mapping.toml").check(0, f"{Path.cwd()}/mapping.toml: 1 rule, 1 mount, 1 location\n")


def test_check_warns_about_a_shadowed_rule(run: Cli) -> None:
    Path("mapping.toml").write_text(RULES + RULES[RULES.index("[[rule]]") :].replace("as Blob", "again"), "utf-8")
    out = run("check", "mapping.toml").text(1)
    assert "Warning: registered again (" in out
    assert "never matches, because registered as Blob (" in out


@pytest.mark.parametrize(
    ("type_name", "meant"),
    [
        ("azure_blob_pth", "azure_blob_path"),
        ("azure_sql_tabel", "azure_sql_table"),
        ("gcs_object", None),
        ("DataSet", None),
    ],
)
def test_check_warns_about_a_misspelt_type(run: Cli, type_name: str, meant: str | None) -> None:
    Path("mapping.toml").write_text(RULES.replace("azure_blob_path", type_name), "utf-8")
    out = run("check", "mapping.toml").text(1 if meant else 0)
    assert (f"{type_name} is not a built-in type of Purview (did you mean {meant}?)" in out) is (meant is not None)


def test_check_reports_each_error_in_a_line(run: Cli) -> None:
    Path("mapping.toml").write_text(RULES.replace("match.host", "match.hots").replace('"file"', '"fle"'), "utf-8")
    status, out, err = run("check", "mapping.toml")
    assert (status, out) == (2, "")
    assert [line.partition("mapping.toml, ")[2].partition(":")[0] for line in err.splitlines()] == ["line 10", "line 6"]


MAPPINGS = {
    "olToPurviewMappings": [
        {
            "name": name,
            "parserConditions": [{"op1": "prefix", "compare": compare, "op2": "wasbs"}],
            "qualifiedName": "https://{nameSpcBodyParts[1]}/{nameSpcBodyParts[0]}/{nameGroups[0]}",
            "purviewDataType": "azure_blob_path",
            "purviewPrefix": "https",
        }
        for name, compare in (("blobs", "="), ("others", "!="))
    ]
}


def test_imported_rules_pass_the_check(run: Cli) -> None:
    Path("m.json").write_text(json.dumps(MAPPINGS, indent=1), "utf-8")
    status, out, err = run("import", "m.json")
    assert status == 1
    assert err.startswith("sac-kafka map import: not converted: others (")
    Path("m.toml").write_text(out, "utf-8")
    status, out, err = run("check", "m.toml")
    assert (status, err) == (1, "")
    head, warning = out.splitlines()
    assert head == f"{Path.cwd()}/m.toml: 1 rule, 0 mounts, 0 locations"
    assert ": overrides the built-in rules for all of wasbs, which support resource sets" in warning
    assert warning.endswith("restrict it to hosts or paths, or remove it")
    del MAPPINGS["olToPurviewMappings"][1:]
    Path("m.json").write_text(json.dumps(MAPPINGS), "utf-8")
    assert run("import", "m.json")[0] == 0


def test_file_of_the_accelerator_is_used_directly(run: Cli) -> None:
    Path("m.json").write_text(json.dumps(MAPPINGS, indent=1), "utf-8")
    found = explained(run, "wasbs://c@a.blob.core.windows.net/x", "--rules", "m.json")
    assert found["rule"] == f"blobs ({Path.cwd()}/m.json, mapping 1), rule of your mapping file"
