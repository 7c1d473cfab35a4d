"""The cases that every database over JDBC has, for the families over databases.

A database `shop` has orders (id, customer, amount) and customers (name, country); its `Shop` has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sac_kafka.names.jdbc_dialects import captured_kinds
from tests.helpers import live_runs as live
from tests.live.sources.family import Family

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTINGS = replace(live.SETTINGS, foreign_kinds=captured_kinds())
CATALOG = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"

QUERIES = {
    "subquery": "select id, amount * 2 as twice from orders where customer <> 'hunter2'",
    "join": "select o.id, c.country from orders o join customers c on o.customer = c.name",
    "cte": "with big as (select id, customer from orders where amount > 2), all_of as (select * from big) "
    "select a.id, upper(a.customer) as who from all_of a",
    "union": "select id, customer from orders union all select 0, name from customers",
    "window": "select id, sum(amount) over (partition by customer order by id) as running, "
    "row_number() over (order by id) as place from orders",
    "grouped": "select customer, count(*) as n, max(case when id > 1 then amount end) as most from orders "
    "group by customer having sum(amount) > 0",
    "nested": "select x.id, (select max(c.country) from customers c where c.name = x.customer) as country "
    "from (select id, customer from orders where id in (select id from orders where amount > 1)) x",
}
"""Queries that every database understands; each is read as `query` and as `dbtable`."""


@dataclass(frozen=True, kw_only=True)
class Shop:
    """A database.

    Attributes:
        name: Before the names of its cases; "" in a separate family.
        url: Its URL, by the folder of the run.
        options: Of each read and write.
        names: Tables that are read by `dbtable`, by the names of their cases.
        queries: Queries in its dialect, by the names of their cases.
        created: createTableOptions.
        types: createTableColumnTypes.
        before: prepareQuery, of a CTE `big` of orders; None where it cannot be.
        first: sessionInitStatement; None where it has none.
        catalog: The namespace in the JDBC catalog `shop`; None without one.
    """

    name: str = ""
    url: Callable[[str], str]
    options: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, str] = field(default_factory=dict)
    created: str | None = None
    types: str | None = None
    before: str | None = "with big as (select id, customer from orders where amount > 1)"
    first: str | None = None
    catalog: str | None = None

    def read(self, spark: SparkSession, work: str, **options: str) -> DataFrame:
        """Return what Spark reads of it."""
        return spark.read.format("jdbc").options(url=self.url(work), **self.options, **options).load()

    def write(self, df: DataFrame, work: str, table: str, mode: str = "overwrite", **options: str) -> None:
        """Write into it."""
        of = df.write.format("jdbc").options(url=self.url(work), dbtable=table, **self.options, **options)
        of.mode(mode).save()


def prepare(shop: Shop, spark: SparkSession, work: str, *others: str) -> None:
    """Make the tables that cases read; `others` are further ones like orders."""
    orders = spark.createDataFrame([(1, "a", 2.0), (2, "b", 3.0)], "id int, customer string, amount double")
    customers = spark.createDataFrame([("a", "de"), ("b", "fr")], "name string, country string")
    types = {"createTableColumnTypes": shop.types} if shop.types else {}
    for table in ("orders", *others):
        shop.write(orders, work, table, **types)
    shop.write(customers, work, "customers")


def add_cases(family: Family, shop: Shop) -> None:
    """Yield the cases of a database."""
    prefix = f"{shop.name}_" if shop.name else ""

    def case(name: str) -> Callable[[Callable[[SparkSession, str], object]], None]:
        return lambda function: _add(family, f"{prefix}{name}", function)

    def out(df: DataFrame, work: str, name: str) -> None:
        df.write.mode("overwrite").parquet(f"{work}/out/{prefix}{name}")

    @case("written")
    def _(spark: SparkSession, work: str) -> Iterator[None]:
        df = spark.range(2).selectExpr("id", "cast(id as string) word")
        yield
        made = {"createTableOptions": shop.created} if shop.created else {}
        shop.write(df, work, "written", **made, createTableColumnTypes="word varchar(20)")
        shop.write(df, work, "written", "append")
        shop.write(df, work, "written", "overwrite", truncate="true")

    @case("round_trip")
    def _(spark: SparkSession, work: str) -> Iterator[None]:
        shop.write(spark.range(1).selectExpr("id", "'x' word"), work, "kept")
        spark.createDataFrame([("a", 1)], "name string, points int").write.mode("overwrite").parquet(f"{work}/points")
        yield
        points = spark.read.parquet(f"{work}/points")
        joined = shop.read(spark, work, dbtable="orders").join(points, _on("customer", "name"))
        shop.write(joined.selectExpr("id", "amount * points as worth"), work, "worth")
        out(shop.read(spark, work, dbtable="worth").selectExpr("worth"), work, "round_trip")

    for name, table in {"table": "orders", **shop.names}.items():

        @case(f"read_{name}")
        def _(spark: SparkSession, work: str, name: str = name, table: str = table) -> None:
            out(
                spark.read.jdbc(shop.url(work), table, properties=dict(shop.options)).select("id"), work, f"read_{name}"
            )

    for name, query in {**QUERIES, **shop.queries}.items():

        @case(f"query_{name}")
        def _(spark: SparkSession, work: str, name: str = name, query: str = query) -> None:
            out(shop.read(spark, work, query=query), work, f"query_{name}")
            out(shop.read(spark, work, dbtable=f"({query}) t"), work, f"dbtable_{name}")

    @case("divided")
    def _(spark: SparkSession, work: str) -> None:
        bounds = {"partitionColumn": "id", "lowerBound": "0", "upperBound": "10", "numPartitions": "2"}
        out(shop.read(spark, work, dbtable="orders", **bounds).select("id"), work, "divided")
        bounds["dbtable"] = "(select id, amount from orders) t"
        out(shop.read(spark, work, **bounds).select("amount"), work, "divided_query")
        wanted = ["id = 1", "customer = 'hunter2'"]
        out(
            spark.read.jdbc(shop.url(work), "orders", predicates=wanted, properties=dict(shop.options)),
            work,
            "predicates",
        )

    @case("pushed_down")
    def _(spark: SparkSession, work: str) -> None:
        orders = shop.read(spark, work, dbtable="orders").where("id > 1")
        out(orders.groupBy("customer").sum("amount").limit(3).toDF("customer", "total"), work, "pushed_down")

    if shop.before:

        @case("prepared")
        def _(spark: SparkSession, work: str) -> None:
            out(shop.read(spark, work, prepareQuery=shop.before, query="select id from big"), work, "prepared")
            out(shop.read(spark, work, prepareQuery=shop.before, dbtable="big"), work, "prepared_table")

    if shop.first:

        @case("begun")
        def _(spark: SparkSession, work: str) -> None:
            out(shop.read(spark, work, dbtable="orders", sessionInitStatement=shop.first).select("id"), work, "begun")

    @case("using")
    def _(spark: SparkSession, work: str) -> Iterator[None]:
        spark.sql(f"drop table if exists {prefix}named")
        shop.write(spark.createDataFrame([(5, "x")], "id int, word string"), work, "pointed")
        options = {"url": shop.url(work), "dbtable": "pointed", **shop.options}
        listed = ", ".join(f"{key} '{value}'" for key, value in options.items())
        yield
        spark.sql(f"create table {prefix}named using jdbc options ({listed})")
        spark.sql(f"insert into {prefix}named select 1, 'y'")
        out(spark.table(f"{prefix}named").selectExpr("upper(word) w"), work, "using")

    if shop.catalog is not None:
        at = f"shop.{shop.catalog}"

        @case("catalog")
        def _(spark: SparkSession, work: str) -> Iterator[None]:
            for name in ("made", "moved"):
                spark.sql(f"drop table if exists {at}.{name}")
            yield
            spark.sql(f"create table {at}.made as select id, amount from {at}.orders where id > 1")
            spark.sql(f"insert into {at}.made select id, amount + 1 from {at}.orders")
            out(spark.sql(f"select sum(amount) total from {at}.made where id > 0 limit 1"), work, "catalog")
            spark.sql(f"alter table {at}.made rename to {shop.catalog}.moved")
            spark.sql(f"drop table {at}.moved")

        @case("catalog_joined")
        def _(spark: SparkSession, work: str) -> None:
            of = f"{at}.orders o join {at}.customers c on o.customer = c.name"
            out(spark.sql(f"select c.country, count(o.id) n from {of} group by c.country"), work, "catalog_joined")


def _add(family: Family, name: str, function: Callable[[SparkSession, str], object]) -> None:
    function.__module__ = f"tests.live.sources.{family.name}_cases"  # where its expectation stands
    family.case_called(name, function)


def _on(left: str, right: str) -> object:
    from pyspark.sql import functions

    return functions.col(left) == functions.col(right)
