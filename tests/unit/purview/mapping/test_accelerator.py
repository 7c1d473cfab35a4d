"""Mappings of the accelerator: each token and each comparison, over what OpenLineage calls our datasets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sac_kafka.errors import WrongRulesError
from sac_kafka.lineage.model import (
    Dataset,
    HBaseDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.purview.mapping.accelerator.mappings import AcceleratorMapping
from sac_kafka.purview.mapping.accelerator.names import open_lineage_name
from sac_kafka.purview.mapping.accelerator.reading import read_mappings
from sac_kafka.purview.mapping.accelerator.tokens import parts, token
from sac_kafka.purview.mapping.dataset_fields import dataset_fields
from tests.helpers.hostile import FILLERS, fault

EXAMPLE = parts("test://part1/part2/part3/part4@mycon.one.two;one=1;two=2/", "[myname.test][for.you]", "adb-1.2.net")


def path(uri: str) -> PathDataset:
    return PathDataset(path=uri, format="parquet")


def database(kind: str, host: str, port: int | None, name: str, table: str, schema: str | None = None) -> RdbmsDataset:
    return RdbmsDataset(rdbms_type=kind, host=host, port=port, database=name, schema=schema, table=table)


def mappings(*entries: Any) -> tuple[AcceleratorMapping, ...]:
    wrong: list[str] = []
    found = tuple(read_mappings(json.dumps({"olToPurviewMappings": entries}), "m.json", wrong))
    assert wrong == []
    return tuple(each for each in found if isinstance(each, AcceleratorMapping))


def entry(template: str, *conditions: tuple[str, str, str], name: str = "rule") -> dict[str, Any]:
    asked = [{"op1": op1, "compare": compare, "op2": op2} for op1, compare, op2 in conditions]
    return {
        "name": name,
        "parserConditions": asked or [{"op1": "prefix", "compare": "!=", "op2": "none"}],
        "qualifiedName": template,
        "purviewDataType": "t",
        "purviewPrefix": "https",
    }


def named(dataset: Dataset, rule: dict[str, Any], workspace: str = "") -> str | None:
    (mapped,) = mappings(rule)
    found = mapped.asset(dataset_fields(dataset), {"workspace": workspace} if workspace else {})
    return found and found.qualified_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prefix", ["test"]),
        ("nameSpcBodyParts[0]", ["part1"]),
        ("nameSpcBodyParts[3]", ["part4"]),
        ("nameSpcBodyParts[4]", ["mycon.one.two"]),
        ("nameSpcBodyParts[5]", []),
        ("nameSpcConParts[0]", ["mycon"]),
        ("nameSpcConParts[2]", ["two"]),
        ("nameSpcConParts", ["mycon", "one", "two"]),
        ("nameSpcNameVals['one']", ["1"]),
        ("nameSpcNameVals['two']", ["2"]),
        ("nameSpcNameVals['three']", []),
        ("nameGroups[0]", ["myname.test"]),
        ("nameGroups[1]", ["for.you"]),
        ("nameGroups", ["myname.test", "for.you"]),
        ("nameGroups[0].parts[0]", ["myname"]),
        ("nameGroups[0].parts[1]", ["test"]),
        ("nameGroups[1].parts", ["for", "you"]),
        ("nameSpaceBodyJoinedBySlashFrom[2]", ["part3/part4/mycon.one.two"]),
        ("nameSpaceBodyJoinedBySlashFrom[9]", []),
        ("AdbWorkspaceUrl", ["adb-1.2.net"]),
    ],
)
def test_what_a_token_stands_for(text: str, expected: list[str]) -> None:
    assert list(token(text).texts(EXAMPLE)) == expected


def test_the_name_of_a_database_has_two_keys() -> None:
    found = parts("sqlserver://h:1433;databaseName=Sales;", "t")
    for key in ("database", "databaseName", "Database"):
        assert token(f"nameSpcNameVals['{key}']").texts(found) == ("Sales",)


def test_a_name_is_divided_at_dots_and_slashes() -> None:
    found = parts("dbfs", "/user/hive/warehouse/sales.db/orders")
    assert found.prefix == "dbfs"
    assert token("nameGroups[0].parts").texts(found) == ("user", "hive", "warehouse", "sales", "db", "orders")


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        (path("abfss://c@a.dfs.core.windows.net/x/y"), ("abfss://c@a.dfs.core.windows.net", "x/y")),
        (path("abfs://c@a.dfs.core.windows.net"), ("abfss://c@a.dfs.core.windows.net", "")),
        (path("s3a://b/x"), ("s3://b", "x")),
        (path("adl://a.azuredatalakestore.net/x"), ("adl://a.azuredatalakestore.net", "/x")),
        (path("dbfs:/user/x"), ("dbfs", "/user/x")),
        (path("file:/data"), ("file", "/data")),
        (path("hdfs://nn1:8020/data"), ("hdfs://nn1:8020", "/data")),
        (database("sqlserver", "s.net", 1433, "db", "t", "dbo"), ("sqlserver://s.net:1433;database=db", "dbo.t")),
        (database("sqlserver", "s.net", 1433, "db", "t"), ("sqlserver://s.net:1433;database=db", "t")),
        (database("sqlserver", "s.net", 1433, "db", "a.b", "s"), ("sqlserver://s.net:1433;database=db", "[s].[a.b]")),
        (database("postgresql", "p.net", 5432, "db", "t", "s"), ("postgresql://p.net:5432/db", "s.t")),
        (database("mysql", "m.net", None, "db", "t"), ("mysql://m.net/db", "t")),
        (database("snowflake", "a.snowflakecomputing.com", None, "D", "T", "S"),
         ("snowflake://a.snowflakecomputing.com", "D.S.T")),
        (OtherDataset(system="kusto", host="c.kusto.windows.net", parts=("db", "t")),
         ("azurekusto://c.kusto.windows.net/db", "t")),
        (OtherDataset(system="cosmos", host="a.documents.azure.com", parts=("db", "c")),
         ("azurecosmos://a.documents.azure.com/dbs/db", "colls/c")),
        (OtherDataset(system="mongodb", host="m:27017", parts=("db", "c")), ("mongodb://m:27017", "db.c")),
        (HBaseDataset(namespace="ns", table="t", cluster="c"), ("hbase://c", "ns.t")),
        (TopicDataset(topic="orders", servers="b1:9092,b2:9092"), ("kafka://b1:9092", "orders")),
        (TableDataset(database="sales", name="orders", location="dbfs:/user/hive/warehouse/x"), None),
    ],
)  # fmt: skip
def test_what_openlineage_calls_a_dataset(dataset: Dataset, expected: tuple[str, str] | None) -> None:
    assert open_lineage_name(dataset_fields(dataset)) == expected


LAKE = path("abfss://raw@contosolake.dfs.core.windows.net/sales/orders.v2")


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (("prefix", "=", "abfss"), True),
        (("prefix", "=", "abfs"), True),
        (("prefix", "=", "wasbs"), False),
        (("prefix", "!=", "abfss"), False),
        (("prefix", "!=", "wasbs"), True),
        (("nameSpcBodyParts[1]", "contains", "contoso"), True),
        (("nameSpcBodyParts[1]", "contains", "blob"), False),
        (("nameSpcConParts[1]", "=", "dfs"), True),
        (("nameSpcConParts[9]", "=", ""), True),
        (("nameSpcConParts", ">", "4"), True),
        (("nameSpcConParts", ">", "5"), False),
        (("nameSpcConParts", "<", "6"), True),
        (("nameSpcConParts", "<", "5"), False),
        (("nameSpcBodyParts", ">", "2"), False),
        (("nameGroups", ">", "1"), False),
        (("nameGroups[0].parts", ">", "2"), True),
        (("nameGroups[0]", "=", ""), False),
        (("nameGroups[0]", "!=", ""), True),
        (("nameSpcNameVals['database']", "=", "x"), False),
        (("AdbWorkspaceUrl", "contains", "adb-1"), False),
    ],
)
def test_what_a_condition_asks(condition: tuple[str, str, str], holds: bool) -> None:
    assert named(LAKE, entry("q", condition)) == ("q" if holds else None)


def test_all_conditions_have_to_hold() -> None:
    held, not_held = ("prefix", "=", "abfss"), ("prefix", "=", "wasbs")
    assert named(LAKE, entry("q", held, ("nameSpcConParts", ">", "2"))) == "q"
    assert named(LAKE, entry("q", held, not_held)) is None


@pytest.mark.parametrize(
    ("dataset", "template", "expected"),
    [
        (LAKE, "https://{nameSpcBodyParts[1]}/{nameSpcBodyParts[0]}/{nameGroups[0]}",
         "https://contosolake.dfs.core.windows.net/raw/sales/orders.v2"),
        (path("abfss://raw@a.blob.core.windows.net/x"),
         "https://{nameSpcConParts[0]}.dfs.{nameSpcConParts[2]}.{nameSpcConParts[3]}.{nameSpcConParts[4]}/{nameSpcBodyParts[0]}/{nameGroups[0]}",
         "https://a.dfs.core.windows.net/raw/x"),
        (database("sqlserver", "s.net", 1433, "db", "t", "sch"),
         "mssql://{nameSpcBodyParts[0]}/{nameSpcNameVals['database']}/{nameGroups[0].parts[0]}/{nameGroups[0].parts[1]}",
         "mssql://s.net/db/sch/t"),
        (database("sqlserver", "s.net", 1433, "db", "a.b", "s"),
         "mssql://{nameSpcBodyParts[0]}/{nameSpcNameVals['databaseName']}/{nameGroups[0]}/{nameGroups[1]}", "mssql://s.net/db/s/a.b"),
        (database("postgresql", "p.net", 5432, "db", "t", "s"),
         "postgresql://servers/{nameSpcBodyParts[0]}:{nameSpcBodyParts[1]}/dbs/{nameSpcBodyParts[2]}/{nameGroups[0].parts[1]}",
         "postgresql://servers/p.net:5432/dbs/db/t"),
        (database("mysql", "m.net", 3306, "db", "t"), "{nameSpcNameVals['Database']}/{nameGroups[0]}", "db/t"),
        (OtherDataset(system="cosmos", host="a.documents.azure.com", parts=("db", "c")),
         "https://{nameSpcBodyParts[0]}/{nameSpcBodyParts[1]}/{nameSpcBodyParts[2]}/{nameGroups[0]}",
         "https://a.documents.azure.com/dbs/db/colls/c"),
        (path("dbfs:/user/hive/warehouse/sales.db/orders"),
         "{nameGroups[0].parts[3]}.{nameGroups[0].parts[5]}@{AdbWorkspaceUrl}", "sales.orders@adb-1.2.net"),
        (LAKE, "{nameGroups[0].parts[9]}", None),
        (LAKE, "x{nameSpcNameVals['database']}", None),
    ],
)  # fmt: skip
def test_what_a_mapping_makes(dataset: Dataset, template: str, expected: str | None) -> None:
    assert named(dataset, entry(template), workspace="adb-1.2.net") == expected


def test_a_prefix_of_a_driver_is_that_of_the_database() -> None:
    mysql = database("mysql", "m.net", 3306, "db", "t")
    assert named(mysql, entry("q", ("prefix", "=", "jdbc:mysql"))) == "q"
    oracle = database("oracle", "o.net", 1521, "db", "t")
    assert named(oracle, entry("q", ("prefix", "=", "jdbc:oracle:thin:"))) == "q"
    assert named(database("postgresql", "p", 1, "d", "t"), entry("q", ("prefix", "=", "postgres"))) == "q"


def test_a_mapping_says_where_it_stands() -> None:
    text = '{"olToPurviewMappings": [\n' + ",\n".join(json.dumps(entry("q", name=name)) for name in ("a", "")) + "]}"
    found = [each.description for each in read_mappings(text, "m.json", []) if isinstance(each, AcceleratorMapping)]
    assert found == ["a (m.json, line 2)", "m.json, line 3"]


@pytest.mark.parametrize("text", ["[]", '{"OlToPurviewMappings": []}', '\ufeff{"olToPurviewMappings": []}\n'])
def test_other_ways_to_write_the_list(text: str) -> None:
    assert list(read_mappings(text, "m.json", [])) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"qualifiedName": ""}, "has no qualifiedName"),
        (
            {"qualifiedName": "{nameSpcBodyParts[0]nameSpcNameVals['databaseName']}"},
            "is not a token; available: prefix",
        ),
        ({"qualifiedName": "{nameGroup[0]}"}, "did you mean nameGroups?"),
        ({"qualifiedName": "{nameGroups}"}, "has several values; select one by [0]"),
        ({"qualifiedName": "{prefix"}, "has an unbalanced brace"),
        ({"qualifiedName": "{prefix[0]}"}, "an index is allowed for"),
        ({"qualifiedName": "{nameSpcNameVals[0]}"}, "is not a token; write nameSpcNameVals['database']"),
        ({"qualifiedName": "{nameSpcBodyParts[0].parts[1]}"}, "is not a token; write"),
        ({"purviewDataType": "a b"}, "is not a valid type name"),
        ({"parserConditions": []}, "has no parserConditions"),
        ({"parserConditions": ["x"]}, "a condition must have op1, compare and op2"),
        ({"parserConditions": [{"op1": "prefix", "compare": "contains-in", "op2": "a|b"}]}, "(did you mean contains?)"),
        ({"parserConditions": [{"op1": "prefixx", "compare": "=", "op2": "a"}]}, "op1: 'prefixx' is not a token"),
        ({"parserConditions": [{"op1": "nameGroups", "compare": ">", "op2": "x"}]}, "op2 = 'x' must be a number"),
        ({"parserConditions": [{"op1": "prefix", "compare": ">", "op2": "1"}]}, "> requires a list"),
        ({"parserConditions": [{"op1": "nameGroups", "compare": "=", "op2": "1"}]}, "= requires a single value"),
        ({"qualifiedName": "https://u:geheim12@h/{prefix}"}, "looks like a secret"),
    ],
)
def test_what_is_no_mapping_is_said_with_its_line_and_name(change: dict[str, Any], said: str) -> None:
    wrong: list[str] = []
    text = '{"olToPurviewMappings":\n [\n' + json.dumps({**entry("q"), **change}) + "]}"
    (found,) = read_mappings(text, "m.json", wrong)
    assert isinstance(found, str)
    assert wrong
    assert wrong[0].startswith("m.json, line 3 (rule): ")
    assert said in wrong[0]
    assert "geheim12" not in wrong[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "m.json: is not valid JSON: line 1: Expecting property name"),
        ('{"x": 1}', "m.json: has no list of mappings"),
        ('{"olToPurviewMappings": 3}', "m.json: has no list of mappings"),
        ("[" * 9_000, "m.json: is not valid JSON: nested too deeply"),
        ("[" + "3," * 1_000 + "3]", "has 1,001 mappings; the maximum is 1,000"),
        ("[" + " " * 1_000_000 + "]", "has 1,000,002 characters"),
    ],
)
def test_what_is_no_file_of_mappings(text: str, said: str) -> None:
    with pytest.raises(WrongRulesError) as raised:
        list(read_mappings(text, "m.json", []))
    assert said in str(raised.value)


@pytest.mark.parametrize("unit", [*FILLERS[::4], "[a]", "a@", "a=b;", "[[", "a.b/"])
def test_hostile_names_take_linear_time(unit: str) -> None:
    assert fault(lambda text: parts("x://" + text, text), "", unit) is None
