"""Filter rules: per row a rule, a dataset, and whether the rule excludes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from sac_kafka.model import Database, Dataset
from sac_kafka.stages.filters.names import MAX_PLACES
from tests.helpers.every_row import every_row
from tests.helpers.work import assert_linear
from tests.unit.lineage.filters.datasets import hbase, is_kept, other, path, rdbms, selection, table, topic

AUDIT = rdbms("postgresql", "db1", 5432, "shop", "audit.log")
EMBEDDED = rdbms("h2", "", None, "mem:shop", "public.orders")
V6 = rdbms("postgresql", "fe80::1", 5432, "shop", "audit.log")

ROWS: tuple[tuple[str, Dataset, bool], ...] = (
    # tables: from the right, a star within a part
    ("table:sales.orders", table("sales.orders"), True),
    ("table:sales.orders", table("sales.orders", "lake"), True),
    ("table:sales.orders", table("sales.orders_2"), False),
    ("table:sales.orders", table("presales.orders"), False),
    ("table:SALES.Orders", table("sales.orders"), True),
    ("table:sales.orders", table("Sales.ORDERS"), True),
    ("table:orders", table("sales.orders"), True),
    ("table:tmp_*", table("sales.tmp_1"), True),
    ("table:tmp_*", table("tmp_1.orders"), False),
    ("table:tmp_*.*", table("tmp_1.orders"), True),
    ("table:tmp_*.*", table("sales.tmp_1"), False),
    ("table:tmp_*.*", table("tmp_1.orders", "lake"), True),
    ("table:*.tmp_*", table("a.b.tmp_1", "lake"), True),
    ("table:lake.*.*", table("sales.orders", "lake"), True),
    ("table:lake.*.*", table("lake.orders"), False),
    ("table:lake.*.*", table("a.b.orders", "lake"), False),
    ("table:lake.**", table("a.b.orders", "lake"), True),
    ("table:lake.**", table("sales.lake"), False),
    ("table:spark_catalog.sales.*", table("sales.orders"), True),
    ("table:spark_catalog.sales.*", table("sales.orders", "lake"), False),
    ("table:lake.**.orders", table("a.b.orders", "lake"), True),
    ("table:lake.**.orders", table("orders", "lake"), True),
    ("table:sales.order?", table("sales.orders"), True),
    ("table:sales.order?", table("sales.order"), False),
    ("table:sales.*_*_old", table("sales.orders_v1_old"), True),
    ("table:sales.*_*_old", table("sales.orders_old"), False),
    ("table:sales.`my.orders`", table("sales").__class__(database="sales", name="my.orders"), True),
    ("table:sales.*", table("sales").__class__(database="sales", name="my.orders"), True),
    ("table:my.orders", table("sales").__class__(database="sales", name="my.orders"), False),
    ("table:sales.tmp_{uuid}", table("sales.tmp_0a1b2c3d4e5f60718293a4b5c6d7e8f9"), True),
    ("table:sales.tmp_{uuid}", table("sales.tmp_orders"), False),
    ("table:sales.o[r]ders", table("sales.orders"), False),
    ("table:*", path("/data/orders"), False),
    # paths: a star within a directory, two below it; from a scheme, from the root, or from any directory on
    ("path:/scratch/**", path("hdfs://nn1/scratch/a/b"), True),
    ("path:/scratch/**", path("file:/scratch/a"), True),
    ("path:/scratch/**", path("s3a://bucket/scratch/a"), True),
    ("path:/scratch/**", path("/scratch"), True),
    ("path:/scratch/**", path("hdfs://nn1/data/scratch/a"), False),
    ("path:/scratch/**", path("hdfs://nn1/scratch2/a"), False),
    ("path:/scratch/*", path("hdfs://nn1/scratch/a/b"), False),
    ("path:/scratch/*/b", path("hdfs://nn1/scratch/a/b"), True),
    ("path:/scratch/", path("hdfs://nn1/scratch"), True),
    ("path:s3a://bucket/tmp/**", path("s3a://bucket/tmp/x"), True),
    ("path:s3a://bucket/tmp/**", path("s3://bucket/tmp/x"), True),
    ("path:s3a://bucket/tmp/**", path("s3a://other/tmp/x"), False),
    ("path:s3a://Bucket/tmp/**", path("s3a://bucket/tmp/x"), True),
    ("path:s3a://bucket/TMP/**", path("s3a://bucket/tmp/x"), False),
    ("path:s3a://*-dev/**", path("s3a://lake-dev/sales/orders"), True),
    ("path:s3a://**/tmp/**", path("s3a://lake/a/b/tmp/x"), True),
    ("path:hdfs:///data/x", path("hdfs:/data/x"), True),
    ("path:file:///data/x", path("file:/data/x"), True),
    ("path:abfss://c@account/tmp/**", path("abfss://c@account.dfs.core.windows.net/tmp/x"), True),
    ("path:abfss://c@account.dfs.core.windows.net/tmp/**", path("abfs://c@account.dfs.core.windows.net/tmp/x"), True),
    ("path:_work/**", path("s3a://bucket/a/_work/b"), True),
    ("path:_work/**", path("s3a://bucket/a/my_work/b"), False),
    ("path:*.bak", path("s3a://bucket/a/orders.bak"), True),
    ("path:/a/**/z", path("/a/z"), True),
    ("path:/a/**/z", path("/a/b/c/z"), True),
    ("path:/a/**/z", path("/a/b/c/zz"), False),
    ("path:/a/**/m/**/z", path("/a/m/b/m/c/z"), True),
    # paths: the root, and where it was read and written
    ("path:/data/orders", path("/data/orders/dt=2026-11-22"), True),
    ("path:/data/orders/dt=2020-*", path("/data/orders/dt=2020-01-01"), True),
    ("path:/data/orders/dt=2020-*", path("/data/orders/dt=2020-01-01", "/data/orders/dt=2021-01-01"), False),
    (
        "path:/data/orders/dt=2020-*,path:/data/orders/dt=2021-*",
        path("/data/orders/dt=2020-01-01", "/data/orders/dt=2021-01-01"),
        True,
    ),
    ("path:/data/orders/{date}", path("/data/orders/2026-11-22"), True),
    ("path:/landing/{date}/orders.csv", path("/landing/2026/11/22/orders.csv"), True),
    # topics
    ("topic:*-dlq", topic("orders.v1-dlq"), True),
    ("topic:*-dlq", topic("orders-dlq-2"), False),
    ("topic:orders", topic("Orders"), True),
    ("topic:orders", topic("orders.v2"), False),
    ("topic:orders", table("sales.orders"), False),
    # tables of databases
    ("jdbc:postgresql://*/audit.*", AUDIT, True),
    ("jdbc:postgresql://*/audit.*", rdbms("postgresql", "db1", 5432, "shop", "sales.audit"), False),
    ("jdbc:mysql://*", AUDIT, False),
    ("jdbc:postgresql://db1:5432/shop/audit.log", AUDIT, True),
    ("jdbc:postgresql://db1/shop/audit.log", AUDIT, True),
    ("jdbc:postgresql://db1:5433/shop/**", AUDIT, False),
    ("jdbc:shop/audit.*", AUDIT, True),
    ("jdbc:AUDIT.LOG", AUDIT, True),
    ("jdbc:log", AUDIT, True),
    ("jdbc:og", AUDIT, False),
    ("jdbc:postgresql://[fe80::1]:5432/*", V6, True),
    ("jdbc:h2:mem:shop/*", EMBEDDED, True),
    ("jdbc:mysql://h:3306/shop/orders", rdbms("mysql", "h", 3306, "shop", "orders"), True),
    ("jdbc:postgresql://db1/shop/public.orders", rdbms("postgresql", "db1", 5432, "shop", "orders"), True),
    ("jdbc:postgresql://db1/shop/orders", rdbms("postgresql", "db1", 5432, "shop", "orders"), True),
    ("jdbc:postgresql://db1/shop/orders", rdbms("postgresql", "db1", 5432, "shop", "public.orders"), False),
    ("jdbc:public.*", rdbms("h2", "", None, "mem:shop", "orders"), True),
    # HBase
    ("hbase:audit:*", hbase("audit:log"), True),
    ("hbase:log", hbase("audit:log"), True),
    ("hbase:audit:*", hbase("shop:audit"), False),
    # others
    ("other:mongodb://*/audit/*", other("mongodb", "h:27017", "audit", "log"), True),
    ("other:mongodb://h/audit/log", other("mongodb", "h:27017", "audit", "log"), True),
    ("other:mongodb://h:27018/**", other("mongodb", "h:27017", "audit", "log"), False),
    ("other:Audit/*", other("mongodb", "h:27017", "audit", "log"), True),
    ("other:es:orders", other("es", "", "orders"), True),
    ("other:log", other("mongodb", "h", "audit", "log"), True),
    ("other:log", topic("log"), False),
    ("kind:other", other("es", "", "orders"), True),
    # kinds
    ("kind:files", path("/data/orders"), True),
    ("kind:FILES", path("/data/orders"), True),
    ("kind:files", table("sales.orders"), False),
    ("kind:tables", table("sales.orders", "lake"), True),
    ("kind:kafka", topic("orders"), True),
    ("kind:jdbc", AUDIT, True),
    ("kind:hbase", hbase("shop:orders"), True),
    # globs by themselves
    ("*tmp*", path("/data/my_tmp_1"), True),
    ("*tmp*", path("/data/tmp/orders"), False),
    ("*tmp*", table("sales.tmp_1"), True),
    ("*tmp*", topic("x.tmp"), True),
    ("*tmp*", AUDIT, False),
    ("s3a://bucket/tmp/**", path("s3a://bucket/tmp/x"), True),
    ("/scratch/**", path("s3a://bucket/scratch/x"), True),
    ("postgresql://*/audit.*", AUDIT, True),
    ("sales.*", table("sales.orders"), True),
    ("sales.*", topic("sales.orders"), True),
    ("**", hbase("shop:orders"), True),
    # about something else
    ("job:*", table("sales.orders"), False),
    ("user:*", table("sales.orders"), False),
)


@every_row(("rule", "dataset", "is_out"), ROWS)
def test_rule_excludes_matching_datasets(rule: str, dataset: Dataset, is_out: bool) -> None:
    assert is_kept(dataset, exclude=rule) is not is_out


@every_row(("rule", "dataset", "is_in"), [row for row in ROWS if not row[0].startswith(("job", "user"))])
def test_include_list_keeps_the_named_datasets(rule: str, dataset: Dataset, is_in: bool) -> None:
    """Include what the list names; a path is included if one of several locations is named."""
    if len(getattr(dataset, "locations", ())) < 2:
        assert is_kept(dataset, include=rule) is is_in


def test_dataset_is_included_with_one_of_its_locations() -> None:
    both = path("/data/orders/dt=2020-01-01", "/data/orders/dt=2021-01-01")
    assert is_kept(both, include="path:/data/orders/dt=2021-*")


@pytest.mark.parametrize(
    ("exclude", "include", "dataset", "kept"),
    [
        ("table:sales.tmp_*", "table:sales.*", table("sales.orders"), True),
        ("table:sales.tmp_*", "table:sales.*", table("sales.tmp_1"), False),
        ("table:sales.tmp_*", "table:sales.*", table("hr.people"), False),
        ("", "table:sales.*", path("/data/orders"), False),
        ("", "table:sales.*,path:/data/**", path("/data/orders"), True),
        ("", "kind:tables", table("hr.people"), True),
        ("", "kind:tables", path("/data/orders"), False),
        ("", "kind:tables,table:sales.*", table("hr.people"), False),
        ("", "kind:tables,kind:kafka,table:sales.*", topic("sales.orders"), False),
        ("kind:files", "path:/data/**", path("/data/orders"), False),
        ("", "job:daily*", table("hr.people"), True),
        ("", "user:alice", path("/data/orders"), True),
        ("", "path:_temporary/**", path("/data/orders"), False),
    ],
)
def test_precedence_of_include_and_exclude(exclude: str, include: str, dataset: Dataset, kept: bool) -> None:
    assert is_kept(dataset, exclude, include) is kept


def test_defaults_precede_include_rules() -> None:
    staged = path("hdfs://nn1/user/alice/.sparkStaging/x")
    assert not is_kept(staged, include="path:/user/**", with_defaults=True)
    assert is_kept(staged, include="path:/user/**")


@pytest.mark.parametrize(
    ("exclude", "include", "name", "kept"),
    [
        ("job:adhoc-*", "", "adhoc-7", False),
        ("job:adhoc-*", "", "Adhoc-7", False),
        ("job:adhoc-*", "", "daily", True),
        ("job:*", "", "etl/orders: daily", False),
        ("", "job:daily*", "daily load", True),
        ("", "job:daily*", "hourly", False),
        ("job:daily-test", "job:daily*", "daily-test", False),
        ("adhoc-*", "", "adhoc-7", True),
        ("user:adhoc-*", "", "adhoc-7", True),
    ],
)
def test_jobs(exclude: str, include: str, name: str, kept: bool) -> None:
    assert selection(exclude, include).job(name).is_kept is kept


@pytest.mark.parametrize(
    ("exclude", "include", "name", "kept"),
    [
        ("user:svc_*", "", "SVC_load", False),
        ("user:svc_*", "", "alice", True),
        ("user:*@TEST.EXAMPLE.COM", "", "alice@test.example.com", False),
        ("", "user:alice,user:bob", "bob", True),
        ("", "user:alice,user:bob", "carol", False),
    ],
)
def test_users(exclude: str, include: str, name: str, kept: bool) -> None:
    assert selection(exclude, include).user(name).is_kept is kept


@pytest.mark.parametrize(
    ("exclude", "include", "database", "kept"),
    [
        ("table:tmp_*.*", "", Database(name="tmp_1"), False),
        ("table:tmp_*.*", "", Database(name="sales"), True),
        ("table:tmp_*.x*", "", Database(name="tmp_1"), True),
        ("table:tmp_*", "", Database(name="tmp_1"), True),
        ("table:*", "", Database(name="sales"), False),
        ("table:lake.**", "", Database(name="sales", catalog="lake"), False),
        ("table:lake.**", "", Database(name="sales"), True),
        ("table:lake.*.*", "", Database(name="a.b", catalog="lake"), True),
        ("**", "", Database(name="sales"), False),
        ("path:**", "", Database(name="sales"), True),
        ("kind:tables", "", Database(name="sales"), False),
        ("", "table:sales.orders", Database(name="sales"), True),
        ("", "table:sales.orders", Database(name="hr"), False),
        ("", "table:orders", Database(name="hr"), True),
        ("", "path:/data/**", Database(name="hr"), False),
        ("", "kind:files", Database(name="hr"), False),
        ("table:sales.*", "table:*", Database(name="sales"), False),
    ],
)
def test_database_is_excluded_if_all_its_possible_tables_are(
    exclude: str, include: str, database: Database, kept: bool
) -> None:
    assert selection(exclude, include).database(database).is_kept is kept


@pytest.mark.parametrize(
    ("exclude", "include", "dataset", "reason"),
    [
        ("table:tmp_*", "", table("sales.tmp_1"), "table:tmp_*"),
        ("", "table:sales.*", topic("x"), "dataset not included"),
        ("", "kind:tables", topic("x"), "kind not included"),
        ("kind:kafka", "", topic("x"), "kind:kafka"),
        ("", "", path("file:/dev/null"), "path:file:/dev/null (default)"),
        ("path:/dev/*", "", path("file:/dev/null"), "path:/dev/*"),
    ],
)
def test_texts_of_counts(exclude: str, include: str, dataset: Dataset, reason: str) -> None:
    assert selection(exclude, include, with_defaults=True).dataset(dataset).reason == reason


def test_decision_for_a_name_is_cached_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sac_kafka.stages.filters.rulings.MAX_REMEMBERED", 5)
    rules = selection("path:/tmp/**")
    assert rules.dataset(path("/tmp/0")) is rules.dataset(path("/tmp/0"))
    for number in range(20):
        assert not rules.dataset(path(f"/tmp/{number}")).is_kept
    assert len(rules._rulings) == 5
    assert not rules.dataset(path("/tmp/0")).is_kept


def test_locations_of_a_dataset_are_not_cached() -> None:
    rules = selection("path:old-*")
    few = [f"s3a://b/x/old-{number}" for number in range(100)]
    many = [f"s3a://b/x/old-{number}" for number in range(MAX_PLACES + 1)]
    x = path("s3a://b/x/")
    for places, is_kept_ in ((few, False), ([*few, "s3a://b/x/new"], True), (many, True)):
        assert rules.dataset(dataclasses.replace(x, locations=tuple(places))).is_kept is is_kept_
    assert len(rules._rulings) == 0


def test_rules_for_many_locations_take_linear_time() -> None:
    rules = selection("path:old-*", with_defaults=True)

    def ruling(count: int) -> Callable[[], object]:
        x = dataclasses.replace(path("s3a://b/x"), locations=tuple(f"s3a://b/x/old-{n}" for n in range(count)))
        assert not rules.dataset(x).is_kept
        return lambda: rules.dataset(x)

    assert_linear(ruling, 20)
    ruling(MAX_PLACES)
