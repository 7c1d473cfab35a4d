"""One rule of naming a row."""

from __future__ import annotations

import pytest

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.model import AtlasObjectId

A = AtlasObjectId("spark_table", "db.a@prod")
B = AtlasObjectId("spark_table", "db.b@prod")
C = AtlasObjectId("fs_path", "file:/c@prod")


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (qualified_name.database("db", catalog=None, namespace="prod"), "db@prod"),
        (qualified_name.database("db", catalog="lake", namespace="prod"), "lake.db@prod"),
        (qualified_name.database("a.b", catalog="lake", namespace="prod"), "lake.a.b@prod"),
        (qualified_name.table("db", "t", catalog=None, namespace="prod"), "db.t@prod"),
        (qualified_name.table("Db", "T", catalog=None, namespace="Prod"), "Db.T@Prod"),
        (qualified_name.table("db", "t", catalog="lake", namespace="prod"), "lake.db.t@prod"),
        (qualified_name.table_column("db.t", "c", "prod"), "db.t.c@prod"),
        (qualified_name.table_column("db.t", "a.b c", "prod"), "db.t.a.b c@prod"),
        (qualified_name.storage("db.t@prod"), "db.t@prod_storage"),
        (qualified_name.path("hdfs://nn1/Data/A", "prod"), "hdfs://nn1/Data/A@prod"),
        (qualified_name.path("file:/data/a", "prod"), "file:/data/a@prod"),
        (qualified_name.schema("file:/data/a", "prod"), "file:/data/a#schema@prod"),
        (qualified_name.field("file:/data/a", "id", "prod"), "file:/data/a#id@prod"),
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
def test_path_is_read_as_hadoop_writes_it(uri, scheme, bare):
    assert (qualified_name.scheme(uri), qualified_name.bare_path(uri)) == (scheme, bare)


def test_stem_is_the_name_without_its_namespace_only():
    assert qualified_name.stem("user@host/a@prod", "prod") == "user@host/a"
    assert qualified_name.stem("db.t@other", "prod") == "db.t@other"


def _process(outputs, inputs, job="job"):
    return qualified_name.process(job, outputs=outputs, inputs=inputs, namespace="prod")


def test_process_says_job_and_first_output():
    assert _process([B, C], [A]).rpartition(":")[0] == "job:file:/c"
    assert _process([B], [A]).rpartition(":")[0] == "job:db.b"
    assert len(_process([B], [A]).removesuffix("@prod").rpartition(":")[2]) == 12


def test_process_that_only_reads_is_named_by_its_input():
    assert _process([], [A]).startswith("job:db.a:")
    assert _process([], []).startswith("job:")


def test_process_name_is_the_same_whatever_the_order():
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


def test_column_lineage_says_process_and_column():
    stem, _, digest = _lineage("total", [A]).removesuffix("@prod").rpartition(":")
    assert (stem, len(digest)) == ("job:db.b:0123:total", 8)


def test_column_lineage_of_several_outputs_says_which():
    assert _lineage("total", [A], output="db.c").startswith("job:db.b:0123:db.c.total:")


def test_column_lineage_is_another_with_other_inputs():
    assert _lineage("total", [A, B]) == _lineage("total", [B, A]) != _lineage("total", [A])


def test_half_a_surrogate_pair_is_a_name_too():
    assert _process([AtlasObjectId("fs_path", "file:/\ud83d@prod")], []).startswith("job:file:/\ud83d:")
