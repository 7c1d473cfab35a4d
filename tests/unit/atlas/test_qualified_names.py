"""Rules of qualified names, one per row."""

from __future__ import annotations

import pytest

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.model import AtlasObjectId
from tests.helpers.every_row import every_row

A = AtlasObjectId("spark_table", "db.a@prod")
B = AtlasObjectId("spark_table", "db.b@prod")
C = AtlasObjectId("fs_path", "file:/c@prod")


@every_row(
    ("actual", "expected"),
    [
        (qualified_name.database("db", catalog=None, namespace="prod"), "db@prod"),
        (qualified_name.database("db", catalog="lake", namespace="prod"), "lake.db@prod"),
        (qualified_name.database("a.b", catalog="lake", namespace="prod"), "lake.a.b@prod"),
        (qualified_name.table("db", "t", catalog=None, namespace="prod"), "db.t@prod"),
        (qualified_name.table("Db", "T", catalog=None, namespace="Prod"), "Db.T@Prod"),
        (qualified_name.table("db", "t", catalog="lake", namespace="prod"), "lake.db.t@prod"),
        (qualified_name.table_column("db.t", "c", "prod"), "db.t.c@prod"),
        (qualified_name.table_column("db.t", "b c", "prod"), "db.t.b c@prod"),
        (qualified_name.table_column("db.t", "a.b c", "prod"), "db.t.`a.b c`@prod"),
        (qualified_name.table_column("db.t", "a`b", "prod"), "db.t.`a``b`@prod"),
        (qualified_name.hive_database("Db", "Prod"), "db@Prod"),
        (qualified_name.hive_table("Db", "T", "Prod"), "db.t@Prod"),
        (qualified_name.hive_column("db.t", "A.B", "Prod"), "db.t.a.b@Prod"),
        (qualified_name.topic("Orders", "Prod"), "orders@Prod"),
        (qualified_name.hbase_namespace("Shop", "Prod"), "shop@Prod"),
        (qualified_name.hbase_table("Shop", "Orders", "Prod"), "shop:orders@Prod"),
        (qualified_name.rdbms_instance("MySQL", "M", 3306, "prod"), "mysql://m:3306@prod"),
        (qualified_name.rdbms_instance("sqlserver", "s\\i", None, "prod"), "sqlserver://s\\i@prod"),
        (qualified_name.rdbms_instance("h2", "", None, "prod"), "h2@prod"),
        (qualified_name.rdbms_database("mysql", "m", 3306, "Shop", "prod"), "mysql://m:3306/Shop@prod"),
        (qualified_name.rdbms_database("h2", "", None, "mem:a", "prod"), "h2:mem:a@prod"),
        (qualified_name.rdbms_table("mysql://m/Shop", None, "T", "prod"), "mysql://m/Shop/t@prod"),
        (qualified_name.rdbms_table("x://h/d", "S", "T", "prod"), "x://h/d/s.t@prod"),
        (qualified_name.rdbms_column("x://h/d/s.t", "Id", "prod"), "x://h/d/s.t.id@prod"),
        (qualified_name.storage("db.t@prod"), "db.t@prod_storage"),
        (qualified_name.path("hdfs://nn1/Data/A", "prod"), "hdfs://nn1/Data/A@prod"),
        (qualified_name.path("file:/data/a", "prod"), "file:/data/a@prod"),
        (qualified_name.schema("file:/data/a", "prod"), "file:/data/a#schema@prod"),
        (qualified_name.field("file:/data/a", "id", "prod"), "file:/data/a#id@prod"),
        (qualified_name.field("file:/data/a", "a.b", "prod"), "file:/data/a#a.b@prod"),
        (qualified_name.field("file:/data/a", "b#c", "prod"), "file:/data/a#`b#c`@prod"),
        (qualified_name.application("daily load", "prod"), "daily load@prod"),
    ],
)
def test_name(actual, expected):
    assert actual == expected


@pytest.mark.parametrize(
    ("uri", "scheme", "bare"),
    [
        ("hdfs://nn1:8020/data/a", "hdfs", "/data/a"),
        ("hdfs:/data/a", "hdfs", "/data/a"),
        ("HDFS://nn1/a", "hdfs", "/a"),
        ("viewfs://cluster/a", "viewfs", "/a"),
        ("file:/data/a", "file", "/data/a"),
        ("file:///data/a", "file", "/data/a"),
        ("s3a://bucket", "s3a", "/"),
        ("s3a://bucket/a:b", "s3a", "/a:b"),
        ("/data/a", "", "/data/a"),
        ("C:/data/a", "", "C:/data/a"),
        ("file:/C:/data", "file", "/C:/data"),
        ("data/a", "", "data/a"),
        ("", "", "/"),
    ],
)
def test_path_in_the_spelling_of_hadoop(uri, scheme, bare):
    assert (qualified_name.scheme(uri), qualified_name.bare_path(uri)) == (scheme, bare)


@pytest.mark.parametrize(
    ("uri", "authority"),
    [
        ("hdfs://nn1:8020/a", "nn1:8020"),
        ("s3a://bucket", "bucket"),
        ("abfss://c@acc.dfs.core.windows.net/x@y", "c@acc.dfs.core.windows.net"),
        ("file:/a//b", ""),
        ("/a", ""),
        ("", ""),
    ],
)
def test_authority_of_a_path(uri, authority):
    assert qualified_name.authority(uri) == authority


def test_separators_in_names_never_merge_two_entities():
    names = [
        qualified_name.table_column(qualified_name.stem(name, "prod"), column, "prod")
        for name, column in [
            (qualified_name.table("d", "t", catalog=None, namespace="prod"), "a.b"),
            (qualified_name.table("d", "t.a", catalog=None, namespace="prod"), "b"),
            (qualified_name.table("d.t", "a", catalog=None, namespace="prod"), "b"),
            (qualified_name.table("d", "t", catalog=None, namespace="prod"), "`a.b`"),
        ]
    ]
    assert len(set(names)) == len(names)


def test_stem_is_the_name_without_its_namespace_only():
    assert qualified_name.stem("user@host/a@prod", "prod") == "user@host/a"
    assert qualified_name.stem("db.t@other", "prod") == "db.t@other"


def _process(outputs, inputs, job="job"):
    return qualified_name.process(job, outputs=outputs, inputs=inputs, namespace="prod")


def test_process_name_has_job_and_first_output():
    assert _process([B, C], [A]).rpartition(":")[0] == "job:file:/c"
    assert _process([B], [A]).rpartition(":")[0] == "job:db.b"
    assert len(_process([B], [A]).removesuffix("@prod").rpartition(":")[2]) == 12


def test_process_that_only_reads_is_named_by_its_input():
    assert _process([], [A]).startswith("job:db.a:")
    assert _process([], []).startswith("job:")


def test_process_name_does_not_depend_on_the_order():
    assert _process([A, B], [C, A]) == _process([B, A, B], [A, C])


def test_process_names_differ_where_flows_do():
    flows = [([B], [A]), ([B], [A, C]), ([B, C], [A]), ([A], [B]), ([B], []), ([], [B]), ([A, B], [C]), ([A], [B, C])]
    names = {_process(*flow) for flow in flows} | {_process([B], [A], job="other")}
    assert len(names) == len(flows) + 1


def test_process_name_is_the_same_in_every_run_and_version():
    assert _process([B], [A]) == "job:db.b:f8832a0746fc@prod"


def test_same_name_of_another_type_is_another_flow():
    assert _process([B], [A]) != _process([B], [AtlasObjectId("hive_table", "db.a@prod")])


def _lineage(column, inputs, output=None):
    return qualified_name.column_lineage("job:db.b:0123", column, output=output, inputs=inputs, namespace="prod")


def test_column_lineage_name_has_process_and_column():
    stem, _, digest = _lineage("total", [A]).removesuffix("@prod").rpartition(":")
    assert (stem, len(digest)) == ("job:db.b:0123:total", 8)


def test_column_lineage_name_has_the_output_if_there_are_several():
    assert _lineage("total", [A], output="db.c").startswith("job:db.b:0123:db.c.total:")


def test_column_lineage_is_another_with_other_inputs():
    assert _lineage("total", [A, B]) == _lineage("total", [B, A]) != _lineage("total", [A])


def test_lone_surrogate_in_a_name():
    assert _process([AtlasObjectId("fs_path", "file:/\ud83d@prod")], []).startswith("job:file:/\ud83d:")
