"""What statements prove to be gone (docs/lineage.md: What replaces), by the lineage that a server holds after their messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import sac_kafka
from sac_kafka.tools.graph.flows import Flow
from tests.cases.hive import hive_conf
from tests.helpers.catalog import building
from tests.helpers.live_runs import session
from tests.helpers.waiting import LONG_SECONDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset]

Step = str | Callable[["SparkSession", str], object]
"""A statement, or a function of the session and the case's prefix of tables; `{t}` is a table, `{p}` a directory of the case."""


def saved(source: str, path: str = "{p}", mode: str = "append") -> Step:
    return lambda spark, prefix: spark.table(source).write.mode(mode).parquet(_own(path, prefix))


def saved_as_table(source: str, mode: str = "overwrite") -> Step:
    return lambda spark, prefix: spark.table(source).write.mode(mode).saveAsTable(f"{prefix}_t")


def written_to(source: str, how: str) -> Step:
    return lambda spark, prefix: getattr(spark.table(source).writeTo(f"mem.db.{prefix}_t"), how)()


def dynamic(statement: str) -> Step:
    def run(spark: SparkSession, prefix: str) -> None:
        spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
        spark.sql(_own(statement, prefix))
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")

    return run


T, MEM, ROWS = "create table {t}", "create table mem.db.{t}", "create table rows.db.{t}"
OF_X, OF_XY = "(x bigint)", "(x bigint, y bigint)"
CASES: dict[str, tuple[Sequence[Step], set[str]]] = {
    # the whole dataset
    "drop, ctas": ([f"{T} using parquet as select x from a", "drop table {t}", f"{T} using parquet as select x from b"], {"b.x>t.x"}),
    "drop, hive ctas": ([f"{T} as select x from a", "drop table {t}", f"{T} as select x from b"], {"b.x>t.x"}),
    "drop, create, insert": ([f"{T} {OF_X} using parquet", "insert into {t} select x from a", "drop table {t}", f"{T} {OF_X} using parquet", "insert into {t} select x from b"], {"b.x>t.x"}),
    "drop, create of hive, insert": ([f"{T} {OF_X}", "insert into {t} select x from a", "drop table {t}", f"{T} {OF_X}", "insert into {t} select x from b"], {"b.x>t.x"}),
    "drop, create like, insert": ([f"{T} as select x from a", "drop table {t}", f"{T} like a", "insert into {t} select x, y from b"], {"b.x>t.x", "b.y>t.y"}),
    "drop, create if not exists": ([f"{T} {OF_X} using parquet", "insert into {t} select x from a", "drop table {t}", "create table if not exists {t} (x bigint) using parquet", "insert into {t} select x from b"], {"b.x>t.x"}),
    "create if not exists of one that exists": ([f"{T} {OF_X} using parquet", "insert into {t} select x from a", "create table if not exists {t} (x bigint) using parquet", "insert into {t} select x from b"], {"a.x>t.x", "b.x>t.x"}),
    "saveAsTable": ([saved_as_table("a"), saved_as_table("b")], {"b.x>t.x", "b.y>t.y"}),
    "saveAsTable append": ([saved_as_table("a"), saved_as_table("b", "append")], {"a.x>t.x", "a.y>t.y", "b.x>t.x", "b.y>t.y"}),
    "insert overwrite": ([f"{T} {OF_X} using parquet", "insert into {t} select x from a", "insert overwrite {t} select x from b"], {"b.x>t.x"}),
    "insert overwrite of hive": ([f"{T} {OF_X}", "insert into {t} select x from a", "insert overwrite {t} select x from b"], {"b.x>t.x"}),
    "insert overwrite by the same flow": ([f"{T} {OF_XY} using parquet", "insert overwrite {t} select x, y from a", "insert overwrite {t} select y, x from a"], {"a.y>t.x", "a.x>t.y"}),
    "save": ([saved("a"), saved("b", mode="overwrite")], {"b.x>p.x", "b.y>p.y"}),
    "save append": ([saved("a"), saved("b")], {"a.x>p.x", "a.y>p.y", "b.x>p.x", "b.y>p.y"}),
    "insert overwrite directory": (["insert overwrite directory '{p}' using parquet select x from a", "insert overwrite directory '{p}' using parquet select x from b"], {"b.x>p.x"}),
    "load data overwrite": ([f"{T} {OF_X} stored as textfile", "insert into {t} select x from a", "load data inpath '{load}' overwrite into table {t}"], {"load>t"}),
    "truncate": ([f"{T} as select x from a", "truncate table {t}", "insert into {t} select x from b"], {"b.x>t.x"}),
    "truncate, same flow": ([f"{T} using parquet as select x, y from a", "truncate table {t}", "insert into {t} select y, x from a"], {"a.y>t.x", "a.x>t.y"}),
    "truncate alone": ([f"{T} using parquet as select x from a", "truncate table {t}"], set()),
    # tables of V2 catalogs
    "v2 drop, ctas": ([f"{MEM} using memory as select x from a", "drop table mem.db.{t}", f"{MEM} using memory as select x from b"], {"b.x>t.x"}),
    "v2 create or replace": ([f"{MEM} using memory as select x from a", "create or replace table mem.db.{t} using memory as select x from b"], {"b.x>t.x"}),
    "v2 create or replace, insert": ([f"{MEM} using memory as select x from a", "create or replace table mem.db.{t} (x bigint) using memory", "insert into mem.db.{t} select x from b"], {"b.x>t.x"}),
    "v2 replace": ([f"{MEM} using memory as select x from a", "replace table mem.db.{t} using memory as select x from b"], {"b.x>t.x"}),
    "v2 createOrReplace": ([written_to("a", "createOrReplace"), written_to("b", "createOrReplace")], {"b.x>t.x", "b.y>t.y"}),
    "v2 insert overwrite": ([f"{MEM} {OF_X} using memory", "insert into mem.db.{t} select x from a", "insert overwrite mem.db.{t} select x from b"], {"b.x>t.x"}),
    "v2 overwritePartitions": ([written_to("a", "createOrReplace"), written_to("b", "overwritePartitions")], {"b.x>t.x", "b.y>t.y"}),
    "v2 truncate": ([f"{MEM} using memory as select x from a", "truncate table mem.db.{t}", "insert into mem.db.{t} select x from b"], {"b.x>t.x"}),
    "v2 delete": ([f"{ROWS} {OF_X}", "insert into rows.db.{t} select x from a", "delete from rows.db.{t}", "insert into rows.db.{t} select x from b"], {"b.x>t.x"}),
    "v2 delete where true": ([f"{ROWS} {OF_X}", "insert into rows.db.{t} select x from a", "delete from rows.db.{t} where true", "insert into rows.db.{t} select x from b"], {"b.x>t.x"}),
    "v2 delete where": ([f"{ROWS} {OF_X}", "insert into rows.db.{t} select x from a", "delete from rows.db.{t} where x > 0", "insert into rows.db.{t} select x from b"], {"a.x>t.x", "b.x>t.x"}),
    # a part of it
    "partition": ([f"{T} (x bigint, p int) using parquet partitioned by (p)", "insert overwrite {t} partition (p = 1) select x from a", "insert overwrite {t} partition (p = 1) select y from a"], {"a.y>t.x"}),
    "partition of hive": ([f"{T} (x bigint) partitioned by (p int)", "insert overwrite {t} partition (p = 1) select x from a", "insert overwrite {t} partition (p = 1) select y from a"], {"a.y>t.x"}),
    "partition, another flow": ([f"{T} (x bigint, p int) using parquet partitioned by (p)", "insert into {t} partition (p = 1) select x from a", "insert overwrite {t} partition (p = 1) select x from b"], {"b.x>t.x"}),
    "partition, another one": ([f"{T} (x bigint, p int) using parquet partitioned by (p)", "insert overwrite {t} partition (p = 1) select x from a", "insert overwrite {t} partition (p = 2) select y from a"], {"a.x>t.x", "a.y>t.x"}),
    "truncate of a partition": ([f"{T} (x bigint, p int) using parquet partitioned by (p)", "insert into {t} partition (p = 1) select x from a", "truncate table {t} partition (p = 1)"], set()),
    "drop of a partition": ([f"{T} (x bigint, p int) using parquet partitioned by (p)", "insert into {t} partition (p = 1) select x from a", "alter table {t} drop partition (p = 1)"], {"a.x>t.x"}),
    "drop of another partition": ([f"{T} (x bigint, p int) using parquet partitioned by (p)", "insert into {t} partition (p = 1) select x from a", "alter table {t} add partition (p = 2)", "alter table {t} drop partition (p = 2)"], {"a.x>t.x"}),
    "dynamic overwrite": ([f"{T} (x bigint, p bigint) using parquet partitioned by (p)", "insert into {t} select x, y from a", dynamic("insert overwrite {t} select x, y from b")], {"a.x>t.x", "a.y>t.p", "b.x>t.x", "b.y>t.p"}),
    "directory within": ([saved("a", "{p}/day=1"), saved("b", "{p}/day=1", "overwrite")], {"b.x>p.x", "b.y>p.y"}),
    "directory within, another one": ([saved("a", "{p}/day=1"), saved("b", "{p}/day=2", "overwrite")], {"a.x>p.x", "a.y>p.y", "b.x>p.x", "b.y>p.y"}),
    "v2 partition": ([f"{MEM} (x bigint, p int) using memory partitioned by (p)", "insert overwrite mem.db.{t} partition (p = 1) select x from a", "insert overwrite mem.db.{t} partition (p = 1) select y from a"], {"a.y>t.x"}),
    # what the catalog holds
    "external table": (["create table {t} using parquet location '{p}' as select x from a", "drop table {t}", f"{T} {OF_X} using parquet location '{{p}}'", "insert into {t} select x from b"], {"a.x>t.x", "b.x>t.x"}),
    "view": (["create view {t} as select x from a", "create or replace view {t} as select x from b"], {"b.x>t.x"}),
    "alter view": (["create view {t} as select x from a", "alter view {t} as select x from b"], {"b.x>t.x"}),
    "drop view": (["create view {t} as select x from a", "drop view {t}"], set()),
    "rename over": ([f"{T} using parquet as select x from a", "alter table {t} rename to {u}", f"{T} using parquet as select x from b"], {"a.x>u.x", "b.x>t.x"}),
    "rename to a former name": ([f"{T} using parquet as select x from a", "drop table {t}", "create table {u} using parquet as select x from b", "alter table {u} rename to {t}"], {"b.x>t.x"}),
    "v2 drop column": ([f"{MEM} using memory as select x, y from a", "alter table mem.db.{t} drop column y"], {"a.x>t.x"}),
    "v2 replace columns": ([f"{MEM} using memory as select x, y from a", "alter table mem.db.{t} replace columns (z bigint)"], {"a>t"}),
    # what stays
    "of itself": ([f"{T} using parquet as select x, y from a", "create table {u} using parquet as select * from {t}", "insert overwrite {t} select x, y from {u}"], {"a.x>t.x", "a.y>t.y", "t.x>u.x", "t.y>u.y", "u.x>t.x", "u.y>t.y"}),
    "a copy has the rows": ([f"{T} using parquet as select x from a", "create table {u} using parquet as select x from {t}", "insert overwrite {t} select x from b"], {"a.x>t.x", "t.x>u.x", "b.x>t.x"}),
    "the copy is replaced, too": ([f"{T} using parquet as select x from a", "create table {u} using parquet as select x from {t}", "insert overwrite {t} select x from b", "insert overwrite {u} select x from {t}"], {"t.x>u.x", "b.x>t.x"}),
    "v2 of itself, other columns": ([f"{MEM} using memory as select x, y from a", "create or replace table mem.db.{t} using memory as select x + 1 z from mem.db.{t}"], {"a>t", "t.x>t.z"}),
    "v2 merge": ([f"{ROWS} {OF_XY}", "insert into rows.db.{t} select x, y from a", "merge into rows.db.{t} t using b on t.x = b.x when matched then update set y = b.y"], {"a.x>t.x", "a.y>t.y", "b.y>t.y"}),
}  # fmt: skip


def _own(text: str, prefix: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda name: name[1] if name[1] not in _PLACES else _place(name[1], prefix), text)


_PLACES = ("t", "u", "p", "load")
WORK: list[str] = []


def _place(name: str, prefix: str) -> str:
    return f"{WORK[-1]}/{prefix}_{name}" if name in ("p", "load") else f"{prefix}_{name}"


@pytest.fixture(scope="module")
def lineage(work: Path) -> Iterator[tuple[Flow, ...]]:
    """Run all cases in one driver, and return the lineage that a server holds afterwards."""
    conf = {
        **hive_conf(str(work)),
        **building.settings("mem"),
        **building.settings("rows", row_level=True),
        "spark.atlas.metadata.namespace": "ns",
        "spark.atlas.client.type": "memory",
        "spark.atlas.hook.spool.dir": str(work / "spool"),
    }
    spark = session(str(work), **conf)
    WORK.append(str(work))
    hook = sac_kafka.attach(spark)
    for name in ("mem", "rows"):
        spark.sql(f"create namespace {name}.db")
    for name in ("a", "b"):
        spark.sql(f"create table {name} using parquet as select id x, id y from range(3)")
    for number, (steps, _) in enumerate(CASES.values()):
        (work / f"c{number}_load").write_text("1\n")
        for step in steps:
            if isinstance(step, str):
                spark.sql(_own(step, f"c{number}"))
            else:
                step(spark, f"c{number}")
    assert hook.flush(LONG_SECONDS)
    yield hook.lineage()
    hook.detach()
    spark.stop()


@pytest.mark.parametrize("name", CASES)
def test_what_is_gone_goes_and_all_else_stays(lineage: tuple[Flow, ...], name: str) -> None:
    prefix = f"c{[*CASES].index(name)}"
    shown = set()
    for flow in lineage:
        ends = (*flow.inputs, *flow.outputs)
        if any(f"{prefix}_" in each for each in ends):
            edges = {
                f"{_short(source)}>{_short(column)}" for column, sources in flow.columns.items() for source in sources
            }
            shown |= edges or {f"{_short(each)}>{_short(flow.outputs[0])}" for each in flow.inputs}
    assert shown == CASES[name][1]


def _short(name: str) -> str:
    """Return a table, directory or column without what precedes its own name."""
    return re.sub(r".*/|(mem\.db|rows\.db|default)\.|c\d+_", "", name).replace("#", ".")
