"""Mappings of the accelerator become rules that name datasets alike; reasons for those that cannot be converted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from sac_kafka.errors import WrongRulesError
from sac_kafka.model import Dataset, OtherDataset, PathDataset, RdbmsDataset, TopicDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.accelerator import INVALID, UNSUPPORTED, as_toml
from sac_kafka.purview.mapping.loading import read_mappings, rules_of
from sac_kafka.purview.mapping.rules import MappingRules
from sac_kafka.purview.names import asset
from sac_kafka.purview.naming_context import NamingContext
from tests.helpers.every_row import every_row
from tests.helpers.hostile import FILLERS, fault

Conditions = tuple[tuple[str, str, str], ...]


def mapping(name: str, prefix: str, conditions: Conditions, template: str, type_name: str) -> dict[str, Any]:
    converted = [
        {"op1": op1, "compare": compare, "op2": op2} for op1, compare, op2 in (("prefix", "=", prefix), *conditions)
    ]
    return {"name": name, "parserConditions": converted, "qualifiedName": template, "purviewDataType": type_name}


BODY, HOST, NAME = "nameSpcBodyParts", "nameSpcConParts", "nameGroups[0]"
DEEP: Conditions = ((BODY, ">", "2"),)
IS_BLOB: Conditions = ((f"{BODY}[1]", "contains", "blob"),)
IS_ROOT: Conditions = ((NAME, "=", ""),)
ON_AZURE: Conditions = ((HOST, ">", "4"), (f"{HOST}[3]", "=", "azure"))
HAS_SCHEMA: Conditions = ((f"{NAME}.parts", ">", "1"),)
AS_DFS = f"https://{{{HOST}[0]}}.dfs.{{{HOST}[2]}}.{{{HOST}[3]}}.{{{HOST}[4]}}/{{{BODY}[0]}}"
PLAIN = f"https://{{{BODY}[1]}}/{{{BODY}[0]}}"
BELOW = "/{nameSpaceBodyJoinedBySlashFrom[2]}"
DATABASE = "{nameSpcNameVals['database']}"
SCHEMA_AND_TABLE = f"{{{NAME}.parts[0]}}/{{{NAME}.parts[1]}}"
WAREHOUSE: Conditions = ((NAME, "contains", "hive/warehouse"),)
POSTGRES = (
    f"postgresql://servers/{{{BODY}[0]}}:{{{BODY}[1]}}/dbs/{{{BODY}[2]}}"
    f"/schemas/{{{NAME}.parts[0]}}/tables/{{{NAME}.parts[1]}}"
)
PATH, ROOT = "azure_datalake_gen2_path", "azure_datalake_gen2_filesystem"


def families() -> Iterator[dict[str, Any]]:
    """Write a file with a mapping for each of the families that the accelerator ships, under other names."""
    for each in shipped():
        if not each["name"].startswith("hive"):  # conditions on a part of a path
            yield {**each, "name": f"my {each['name']}"}


def shipped() -> Iterator[dict[str, Any]]:
    for scheme in ("wasb", "wasbs"):
        yield mapping(f"{scheme}NLayerMnt", scheme, DEEP, f"{PLAIN}{BELOW}/{{{NAME}}}", "azure_blob_path")
        yield mapping(scheme, scheme, (), f"{PLAIN}/{{{NAME}}}", "azure_blob_path")
    for scheme in ("abfs", "abfss"):
        yield mapping(f"{scheme}BlobRootFSNLayerMnt", scheme, (*IS_BLOB, *IS_ROOT, *DEEP), f"{AS_DFS}{BELOW}", ROOT)
        yield mapping(f"{scheme}BlobRootFS", scheme, (*IS_BLOB, *IS_ROOT), AS_DFS, ROOT)
        yield mapping(f"{scheme}RootFSNLayerMnt", scheme, (*IS_ROOT, *DEEP), f"{PLAIN}{BELOW}", ROOT)
        yield mapping(f"{scheme}RootFS", scheme, IS_ROOT, PLAIN, ROOT)
        yield mapping(f"{scheme}BlobNLayerMnt", scheme, (*IS_BLOB, *DEEP), f"{AS_DFS}{BELOW}/{{{NAME}}}", PATH)
        yield mapping(f"{scheme}Blob", scheme, IS_BLOB, f"{AS_DFS}/{{{NAME}}}", PATH)
        yield mapping(f"{scheme}NLayerMnt", scheme, DEEP, f"{PLAIN}{BELOW}/{{{NAME}}}", PATH)
        yield mapping(scheme, scheme, (), f"{PLAIN}/{{{NAME}}}", PATH)
    in_synapse: Conditions = ((f"{BODY}[0]", "contains", "azuresynapse"),)
    sql, synapse = f"mssql://{{{BODY}[0]}}/{DATABASE}", "azure_synapse_dedicated_sql_table"
    yield mapping("synapseSqlNonDbo", "sqlserver", (*in_synapse, *HAS_SCHEMA), f"{sql}/{SCHEMA_AND_TABLE}", synapse)
    yield mapping("synapseSql", "sqlserver", in_synapse, f"{sql}/dbo/{{{NAME}.parts[0]}}", synapse)
    in_groups = f"{sql}/{{nameGroups[0]}}/{{nameGroups[1]}}"
    yield mapping("azureSQLNonDbo", "sqlserver", (("nameGroups", ">", "1"),), in_groups, "azure_sql_table")
    yield mapping(
        "azureSQLNonDboNoDotsInNames", "sqlserver", HAS_SCHEMA, f"{sql}/{SCHEMA_AND_TABLE}", "azure_sql_table"
    )
    yield mapping("azureSQL", "sqlserver", (), f"{sql}/dbo/{{{NAME}}}", "azure_sql_table")
    azure, server = (
        f"postgresql://{{{BODY}[0]}}/{{{BODY}[2]}}",
        f"postgresql://servers/{{{BODY}[0]}}:{{{BODY}[1]}}/dbs/{{{BODY}[2]}}",
    )
    as_levels = f"schemas/{{{NAME}.parts[0]}}/tables/{{{NAME}.parts[1]}}"
    of_azure = "azure_postgresql_table"
    yield mapping(
        "azurePostgresNonPublic", "postgresql", (*ON_AZURE, *HAS_SCHEMA), f"{azure}/{SCHEMA_AND_TABLE}", of_azure
    )
    yield mapping("azurePostgres", "postgresql", ON_AZURE, f"{azure}/public/{{{NAME}}}", of_azure)
    yield mapping("postgresNonPublic", "postgresql", HAS_SCHEMA, f"{server}/{as_levels}", "postgresql_table")
    yield mapping("postgres", "postgresql", (), f"{server}/schemas/public/tables/{{{NAME}}}", "postgresql_table")
    hive = "@{AdbWorkspaceUrl}"
    in_database: Conditions = (*WAREHOUSE, (f"{NAME}.parts", ">", "4"))
    yield mapping(
        "hiveManagedTableNotDefault",
        "dbfs",
        in_database,
        f"{{{NAME}.parts[3]}}.{{{NAME}.parts[5]}}{hive}",
        "hive_table",
    )
    yield mapping("hiveManagedTableDefault", "dbfs", WAREHOUSE, f"default.{{{NAME}.parts[3]}}{hive}", "hive_table")
    yield mapping("azureMySql", "mysql", (), f"mysql://{{{BODY}[0]}}/{{{BODY}[2]}}/{{{NAME}}}", "azure_mysql_table")
    yield mapping(
        "kusto", "azurekusto", (), f"https://{{{BODY}[0]}}/{{{BODY}[1]}}/{{{NAME}}}", "azure_data_explorer_table"
    )
    # of its gallery
    yield mapping("adls1", "adl", (), f"adl://{{{BODY}[0]}}{{{NAME}}}", "azure_datalake_gen1_path")
    yield mapping("snowflake", "snowflake", (),
                  f"snowflake://{{{BODY}[0]}}/databases/{{{NAME}.parts[0]}}/schemas/{{{NAME}.parts[1]}}/tables/{{{NAME}.parts[2]}}",
                  "snowflake_table")  # fmt: skip
    yield mapping("cosmos", "azurecosmos", (), f"https://{{{BODY}[0]}}/{{{BODY}[1]}}/{{{BODY}[2]}}/{{{NAME}}}",
                  "azure_cosmosdb_sqlapi_collection")  # fmt: skip
    yield mapping("kafka", "kafka", (), f"{{{NAME}}}@{{{BODY}[0]}}", "kafka_topic")


def file(*mappings: dict[str, Any]) -> str:
    return json.dumps({"olToPurviewMappings": mappings or [*families()]}, indent=1)


class Converted(NamedTuple):
    text: str
    unconverted: tuple[str, ...]


def taken_over(text: str) -> tuple[Converted, MappingRules]:
    found = tuple(read_mappings(text, "m.json"))
    unconverted = tuple(f"{each.label}: {each.note}" for each in found if each.reason in (UNSUPPORTED, INVALID))
    converted = Converted(as_toml(found, "m.json"), unconverted)
    return converted, rules_of(converted.text, "m.toml")


def path(uri: str) -> PathDataset:
    return PathDataset(path=uri, format="parquet", locations=(uri,))


def database(kind: str, host: str, port: int | None, table: str, schema: str | None = None) -> RdbmsDataset:
    return RdbmsDataset(rdbms_type=kind, host=host, port=port, database="db", schema=schema, table=table)


GEN2, BLOB = "lake.dfs.core.windows.net", "lake.blob.core.windows.net"
SQL, POOL = "s.database.windows.net", "ws.sql.azuresynapse.net"
ON_PREMISES = "pg1.corp.example.org"
CASES: tuple[tuple[Dataset, str, str], ...] = (
    (path(f"wasbs://c@{BLOB}/a/b.csv"), "azure_blob_path", f"https://{BLOB}/c/a/b.csv"),
    (path(f"wasb://c@{BLOB}/a/b.csv"), "azure_blob_path", f"https://{BLOB}/c/a/b.csv"),
    (path(f"wasbs://c@{BLOB}/out"), "azure_blob_resource_set", f"https://{BLOB}/c/out/{{SparkPartitions}}"),
    (path(f"abfss://c@{GEN2}"), ROOT, f"https://{GEN2}/c"),
    (path(f"abfs://c@{BLOB}"), ROOT, f"https://{GEN2}/c"),
    (path(f"abfss://c@{GEN2}/a/b.csv"), PATH, f"https://{GEN2}/c/a/b.csv"),
    (path(f"abfss://c@{BLOB}/a/b.csv"), PATH, f"https://{GEN2}/c/a/b.csv"),
    (database("sqlserver", POOL, 1433, "t"), "azure_synapse_dedicated_sql_table", f"mssql://{POOL}/db/dbo/t"),
    (database("sqlserver", POOL, 1433, "t", "s"), "azure_synapse_dedicated_sql_table", f"mssql://{POOL}/db/s/t"),
    (database("sqlserver", SQL, 1433, "t"), "azure_sql_table", f"mssql://{SQL}/db/dbo/t"),
    (database("sqlserver", SQL, 1433, "t", "dbo"), "azure_sql_table", f"mssql://{SQL}/db/dbo/t"),
    (database("sqlserver", SQL, 1433, "t", "s"), "azure_sql_table", f"mssql://{SQL}/db/s/t"),
    (database("sqlserver", SQL, 1433, "a.b", "s"), "azure_sql_table", f"mssql://{SQL}/db/s/a.b"),
    (database("postgresql", "p.postgres.database.azure.com", 5432, "t"), "azure_postgresql_table",
     "postgresql://p.postgres.database.azure.com/db/public/t"),
    (database("postgresql", "p.postgres.database.azure.com", 5432, "t", "s"), "azure_postgresql_table",
     "postgresql://p.postgres.database.azure.com/db/s/t"),
    (database("postgresql", ON_PREMISES, 5432, "t"), "postgresql_table",
     f"postgresql://servers/{ON_PREMISES}:5432/dbs/db/schemas/public/tables/t"),
    (database("postgresql", ON_PREMISES, 5432, "t", "s"), "postgresql_table",
     f"postgresql://servers/{ON_PREMISES}:5432/dbs/db/schemas/s/tables/t"),
    (database("mysql", "m.mysql.database.azure.com", 3306, "t"), "azure_mysql_table", "mysql://m.mysql.database.azure.com/db/t"),
    (database("snowflake", "a.snowflakecomputing.com", 443, "T", "S"), "snowflake_table",
     "snowflake://a.snowflakecomputing.com/databases/DB/schemas/S/tables/T"),
    (path("adl://a.azuredatalakestore.net/x/y.csv"), "azure_datalake_gen1_path", "adl://a.azuredatalakestore.net/x/y.csv"),
    (OtherDataset(system="kusto", host="c.westeurope.kusto.windows.net", parts=("db", "t")), "azure_data_explorer_table",
     "https://c.westeurope.kusto.windows.net/db/t"),
    (OtherDataset(system="cosmos", host="a.documents.azure.com", parts=("db", "c")), "azure_cosmosdb_sqlapi_collection",
     "https://a.documents.azure.com/dbs/db/colls/c"),
    (TopicDataset(topic="orders", servers="b1:9092"), "kafka_topic", "orders@b1"),
)  # fmt: skip


def named(dataset: Dataset, rules: MappingRules) -> Asset:
    around = NamingContext(workspace_host="adb-1.2.azuredatabricks.net", rules=rules)
    return asset(dataset, around, is_output=False)


@pytest.mark.slow
@every_row(("dataset", "type_name", "qualified_name"), CASES)
@every_row("is_taken_over", [False, True])
def test_a_file_of_all_families(dataset: Dataset, type_name: str, qualified_name: str, is_taken_over: bool) -> None:
    rules = taken_over(file())[1] if is_taken_over else rules_of(file(), "m.json")
    found = named(dataset, rules)
    assert (found.type_name, found.qualified_name) == (type_name, qualified_name)
    assert ("m.toml" if is_taken_over else "m.json") in found.rule  # and no rule of ours


def test_file_of_all_families_is_converted_completely() -> None:
    found, rules = taken_over(file())
    assert found.unconverted == ()
    assert rules.warnings == ()
    assert len(rules.rules) < len([*families()])  # mounts in layers need no rule, and drivers of one store one rule
    assert (
        "# my wasbNLayerMnt (m.json, mapping 1): a mount's own folders are part of the path here, so it needs no rule."
        in found.text
    )
    assert "# my wasbs (" in found.text
    assert " is identical to my wasb (m.json, mapping 2)." in found.text


def test_mappings_that_the_accelerator_ships_need_no_rule() -> None:
    conditions: Conditions = (("nameGroups[0].parts", ">", "1"),)
    mine = mapping("wasbs", "wasbs", IS_BLOB, f"{PLAIN}/{{{NAME}}}", "azure_blob_path")
    text = file(
        mapping("wasbs", "wasbs", (), f"{PLAIN}/{{{NAME}}}", "azure_blob_path"),
        mapping("postgresNonPublic", "postgresql", conditions, POSTGRES, "postgresql_table"),
        mine,
    )
    found, rules = taken_over(text)
    assert found.unconverted == ()
    assert [rule.description for rule in rules.rules] == [f"wasbs (m.toml, line {found.text.count(chr(10)) - 5})"]
    assert "# wasbs (m.json, mapping 1): the hook names this itself, so it needs no rule.\n" in found.text
    assert "\n# postgresNonPublic (m.json, mapping 2" in found.text
    used = rules_of(text, "m.json")
    assert (used.ignored, len(used.rules)) == (2, 1)
    instance = database("sqlserver", "mi1.abc123.database.windows.net", 1433, "t")
    assert named(instance, rules_of(file(*shipped()), "m.json")) == named(instance, MappingRules())


def test_a_rule_is_readable() -> None:
    found, _ = taken_over(
        file(mapping("my lake", "abfss", ((f"{BODY}[1]", "contains", "contoso"),), f"{PLAIN}/{{{NAME}}}", PATH))
    )
    assert found.text == (
        "# Converted from m.json by sac-kafka map import.\n\n"
        "# my lake (m.json, mapping 1)\n"
        "[[rule]]\n"
        'title = "my lake"\n'
        'match.scheme = "abfss"\n'
        'match.host = "*contoso*"\n'
        'type = "azure_datalake_gen2_path"\n'
        'qualifiedName = "https://{host}/{container}/{path}"\n'
    )


@pytest.mark.parametrize(
    ("prefix", "conditions", "template", "matched"),
    [
        ("postgresql", ((f"{HOST}[0]", "=", "pg1"),), "q", 'match.host = ["pg1", "pg1.*"]'),
        ("postgresql", ((HOST, ">", "2"),), "q", 'match.host = "*.*.*"'),
        ("postgresql", ((f"{BODY}[1]", "=", "5433"),), "q", 'match.port = "5433"'),
        ("sqlserver", (("nameSpcNameVals['databaseName']", "=", "sales"),), "q", 'match.database = "sales"'),
        ("abfss", ((NAME, "=", "raw/x"),), "q", 'match.path = "raw/x"'),
        ("abfss", ((f"{BODY}[0]", "=", "raw"),), "q", 'match.container = "raw"'),
        ("azurekusto", (), "q", 'match.connector = "kusto"'),
    ],
)
def test_converted_conditions(prefix: str, conditions: Conditions, template: str, matched: str) -> None:
    found, _ = taken_over(file(mapping("x", prefix, conditions, template, "t")))
    assert found.unconverted == ()
    assert f"{matched}\n" in found.text


@pytest.mark.parametrize(
    ("prefix", "conditions", "template", "why"),
    [
        ("unheard", (), "q", "unknown prefix 'unheard'"),
        ("abfss", (("prefix", "=", "wasbs"),), "q", "it needs exactly one condition prefix = VALUE"),
        (
            "abfss",
            ((f"{BODY}[0]", "!=", "raw"),),
            "q",
            "rules do not support the condition nameSpcBodyParts[0] != 'raw'",
        ),
        ("abfss", ((NAME, "contains", "raw"),), "q", "two conditions on path, or one on a part of a path"),
        ("abfss", ((f"{BODY}[0]", "=", "a*b"),), "q", "rules do not support the condition nameSpcBodyParts[0] = 'a*b'"),
        ("abfss", ((f"{BODY}[0]", "=", "a"), (f"{BODY}[0]", "=", "b")), "q", "two conditions on container"),
        (
            "abfss",
            ((f"{NAME}.parts", ">", "3"),),
            "q",
            "rules do not support the condition nameGroups[0].parts > '3'",
        ),
        ("abfss", ((HOST, "<", "3"),), "q", "rules do not support the condition nameSpcConParts < '3'"),
        ("abfss", (), f"{{{NAME}.parts[1]}}", "templates have no field for nameGroups"),
        ("s3", (), f"{{{HOST}[0]}}", "templates have no field for nameSpcConParts"),
        (
            "abfss",
            (("AdbWorkspaceUrl", "contains", "adb-1"),),
            "q",
            "rules do not support the condition AdbWorkspaceUrl contains 'adb-1'",
        ),
        (
            "mysql",
            (("nameSpcNameVals['ssl']", "=", "1"),),
            "q",
            "rules do not support the condition nameSpcNameVals['ssl'] = '1'",
        ),
    ],
)
def test_unconvertible_mapping_is_a_comment(prefix: str, conditions: Conditions, template: str, why: str) -> None:
    found, rules = taken_over(file(mapping("x", prefix, conditions, template, "t")))
    assert rules.rules == ()
    assert len(found.unconverted) == 1
    assert why in found.unconverted[0]
    assert "# Not converted: x (m.json, mapping 1): " in found.text
    used = rules_of(file(mapping("x", prefix, conditions, template, "t")), "m.json")
    assert used.rules == ()
    assert why in used.warnings[0]


def test_invalid_mapping_is_a_comment() -> None:
    found, rules = taken_over(file(mapping("x", "s3", (), "{nope}", "t"), mapping("y", "s3", (), "q", "t")))
    assert len(rules.rules) == 1
    assert len(found.unconverted) == 1
    assert "# Not converted: x (m.json, mapping 1): 'nope' is not a token" in found.text


def test_a_name_with_the_end_of_a_line_writes_no_rule() -> None:
    name = 'x\n[[rule]]\n"'
    found, rules = taken_over(
        file(mapping(name, "unheard\n[[rule]]", (), "q", "t"), mapping(name, "s3", (), "q\x7f", "t"))
    )
    assert len(rules.rules) == 0
    assert len(found.unconverted) == 2
    assert found.text.count("\n[[rule]]") == 0


@pytest.mark.parametrize("form", ["{}", "{},\n{}", "{},\n{},\n", "\n\n{}"])
def test_mappings_as_people_paste_them_are_read(form: str) -> None:
    one = json.dumps(mapping("one", "abfss", IS_BLOB, f"{PLAIN}/{{{NAME}}}", PATH), indent=1)
    found, rules = taken_over(form.replace("{}", "%s") % ((one,) * form.count("{}")))
    assert found.unconverted == ()
    assert len(rules.rules) == 1
    assert "# one (m.json, mapping 1)\n" in found.text


@pytest.mark.parametrize("text", ["[]", '{"OlToPurviewMappings": []}', '\ufeff{"olToPurviewMappings": []}\n'])
def test_other_forms_of_the_list(text: str) -> None:
    assert list(read_mappings(text, "m.json")) == []


def test_driver_as_the_prefix() -> None:
    for prefix in ("jdbc:mysql", "jdbc:oracle:thin:", "postgres", "mssql", "abfs", "s3a"):
        _, rules = taken_over(file(mapping("x", prefix, (), "q", "t")))
        assert len(rules.rules) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qualifiedName": ""}, "or no qualifiedName"),
        (
            {"qualifiedName": "{nameSpcBodyParts[0]nameSpcNameVals['databaseName']}"},
            "is not a token; available: prefix",
        ),
        ({"qualifiedName": "{nameGroup[0]}"}, "did you mean nameGroups?"),
        ({"qualifiedName": "{nameGroups}"}, "a list without index"),
        ({"qualifiedName": "{prefix"}, "unbalanced brace"),
        ({"qualifiedName": "{nameSpcNameVals[0]}"}, "is not a token; available"),
        ({"qualifiedName": "{nameSpcBodyParts[0].parts[1]}"}, "is not a token; available"),
        ({"qualifiedName": "{nameSpaceBodyJoinedBySlashFrom}"}, "is not a token; available"),
        ({"purviewDataType": "a b"}, "is not a valid type name"),
        ({"parserConditions": []}, "has no parserConditions"),
        ({"parserConditions": ["x"]}, "a condition must have op1, op2, and compare"),
        (
            {"parserConditions": [{"op1": "prefix", "compare": "contains-in", "op2": "a|b"}]},
            "compare: one of =, !=, contains",
        ),
        ({"parserConditions": [{"op1": "prefix", "compare": ["="], "op2": "a"}]}, "compare: one of =, !=, contains"),
        ({"parserConditions": [{"op1": "prefixx", "compare": "=", "op2": "a"}]}, "'prefixx' is not a token"),
        ({"parserConditions": [{"op1": "nameGroups", "compare": ">", "op2": "x"}]}, "> and < take a list"),
        ({"parserConditions": [{"op1": "prefix", "compare": ">", "op2": "1"}]}, "> and < take a list"),
        ({"parserConditions": [{"op1": "nameGroups", "compare": "=", "op2": "1"}]}, "> and < take a list"),
        ({"qualifiedName": "https://u:geheim12@h/{prefix}"}, "looks like a secret"),
    ],
)
def test_an_invalid_mapping_is_named(change: dict[str, Any], message: str) -> None:
    text = file({**mapping("rule", "s3", (), "q", "t"), **change})
    (found,) = read_mappings(text, "m.json")
    assert (found.reason, found.toml, found.label) == (INVALID, "", "rule (m.json, mapping 1)")
    assert message in found.note
    assert "geheim12" not in found.note
    with pytest.raises(WrongRulesError, match=re.escape("rule (m.json, mapping 1): ")):
        rules_of(text, "m.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "m.json: is not valid JSON: Expecting property name"),
        ('{"x": 1}', "m.json: has no list of mappings"),
        ('{"olToPurviewMappings": 3}', "m.json: has no list of mappings"),
        ("[" * 90_000, "m.json: is not valid JSON: "),
        ("[" + "3," * 1_000 + "3]", "has 1,001 mappings; the maximum is 1,000"),
        ("[" + " " * 1_000_000 + "]", "has 1,000,002 characters"),
    ],
)
def test_a_file_without_mappings_is_an_error(text: str, message: str) -> None:
    with pytest.raises(WrongRulesError, match=re.escape(message)):
        list(read_mappings(text, "m.json"))


@pytest.mark.parametrize("unit", [*FILLERS[::4], "{", "{prefix}", "[a]", "nameGroups[0]"])
def test_hostile_mappings_take_linear_time(unit: str) -> None:
    def read(text: str) -> object:
        return list(read_mappings(file(mapping(text, "s3", ((text, "=", text),), text, "t")), "m.json"))

    assert fault(read, "", unit) is None
