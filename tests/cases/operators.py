"""Cases of the relational operators: joins, set operations, aggregates, windows, generators, CTEs, views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import case, register, since, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOINS = {
    "join_using_full": (
        "select id, day, o.amount, p.amount other from orders o full outer join path_orders p using (id, day)"
    ),
    "join_using_inner": (
        "select * from (select id, amount from orders) join (select id, day from path_orders) using (id)"
    ),
    "join_using_right": (
        "select * from (select id, amount from orders) right join (select id, day from path_orders) using (id)"
    ),
    "join_natural": (
        "select * from (select id, customer from orders) natural left join (select id, day from path_orders)"
    ),
    "join_cross": "select o.id, c.name from orders o cross join customers c",
    "join_anti": "select id from orders o left anti join customers c on o.customer = c.name and o.amount > 1",
    "join_on_subquery": (
        "select o.id from orders o join customers c "
        "on o.customer = c.name and o.amount > (select avg(amount) from path_orders)"
    ),
    "join_lateral_outer": (
        "select o.id, l.n, l.m from orders o left join lateral "
        "(select count(*) n, max(c.country) m from customers c where c.name = o.customer) l on l.n > 0"
    ),
    "join_lateral_value": (
        "select o.id, l.pair from orders o, lateral "
        "(select concat(c.country, o.day) pair from customers c where c.name = o.customer) l"
    ),
    "join_lateral_function": "select c.name, t.col from customers c, lateral explode(c.tags) t",
}

SETS = {
    "union_distinct": "select customer from orders union select country from customers",
    "union_of_types": "select id from orders union all select amount from path_orders",
    "intersect_all": "select customer from orders intersect all select name from customers",
    "except_all": "select id, customer from orders except all select id, customer from path_orders",
    "set_operations_nested": (
        "select id v from (select id from orders union all select id from path_orders) except select 1L"
    ),
}

AGGREGATES = {
    "group_by_exists": (
        "select count(*) n from orders o group by exists (select 1 from customers c where c.name = o.customer)"
    ),
    "group_by_in": (
        "select count(*) n from orders group by customer in (select name from customers where country = 'x')"
    ),
    "having_exists": (
        "select customer, count(*) n from orders o group by customer "
        "having exists (select 1 from customers c where c.name = o.customer)"
    ),
    "filter_exists": (
        "select sum(amount) filter (where exists (select 1 from customers c where c.name = o.customer)) s from orders o"
    ),
    "window_by_exists": (
        "select sum(amount) over (partition by exists (select 1 from customers c where c.name = o.customer)) s from orders o"
    ),
    "cube_and_distincts": (
        "select customer, day, grouping(customer) g, grouping_id() gid, count(distinct amount) d, count(distinct id) e "
        "from orders group by cube(customer, day)"
    ),
    "grouping_sets_of_expressions": (
        "select upper(customer) u, sum(amount) s from orders group by grouping sets ((upper(customer)), ())"
    ),
    "aggregates_that_choose": (
        "select sum(amount) filter (where day = 'mon') s, count(*) n, max_by(customer, id) m, count_if(amount > 2) c, "
        "first(day) f, collect_list(distinct day) l from orders"
    ),
    "having_and_sort": (
        "select customer, sum(amount) s from orders group by customer "
        "having sum(amount) > (select avg(amount) from path_orders) order by s"
    ),
    "pivot": (
        "select * from (select customer, day, amount from orders) pivot (sum(amount) for day in ('mon' mon, 'tue' tue))"
    ),
    "pivot_of_two": (
        "select * from (select customer, day, amount, id from orders) "
        "pivot (sum(amount) s, max(id) m for day in ('mon' a, 'tue' b))"
    ),
    "unpivot": "select * from (select id, customer, day from orders) unpivot (v for k in (customer, day))",
}

WINDOWS = {
    "window_functions": (
        "select rank() over (partition by customer order by amount) r, lag(amount, 1, 0) over (order by day) l, "
        "ntile(2) over (order by id) n, count(*) over (partition by day) c, sum(amount) over w s, "
        "first_value(customer) over w f from orders window w as (partition by day order by id)"
    ),
    "window_over_aggregate": (
        "select customer, rank() over (order by sum(amount) desc) r from orders group by customer"
    ),
}

GENERATORS = {
    "posexplode_outer": "select name, pos, tag from customers lateral view outer posexplode(tags) t as pos, tag",
    "stack": "select id, k, v from orders lateral view stack(2, 'c', customer, 'd', day) s as k, v",
    "inline_of_structs": (
        "select id, x, y from orders lateral view inline(array(struct(customer a, amount b), struct(day a, amount b))) t as x, y"
    ),
    "inline_of_a_column": "select t.x, t.y from nested lateral view inline(l) t as x, y",
    "json_tuple": "select id, a, b from orders lateral view json_tuple(customer, 'a', 'b') j as a, b",
    "explode_of_a_map": "select k, v from orders lateral view explode(map(customer, amount)) e as k, v",
    "explode_in_select": "select id, explode(array(customer, day)) e from orders",
    "range_joined": "select r.id, c.name from range(3) r join customers c on size(c.tags) = r.id",
    "values_joined": (
        "select v.label, o.amount from values ('a', 'first'), ('b', 'second') v(who, label) join orders o on o.customer = v.who"
    ),
}

CTES = {
    "cte_in_subquery": (
        "select id from orders where customer in "
        "(with c as (select name n from customers where country = 'x') select n from c)"
    ),
}

RECURSIONS = {
    "cte_recursive": (
        "with recursive r(n, who) as (select id, customer from orders where day = 'mon' "
        "union all select n + 1, who from r where n < 5) select n, who from r"
    ),
    "cte_recursive_swapping": (
        "with recursive r(i, a, b) as (select 0, customer, day from orders "
        "union all select i + 1, b, a from r where i < 2) select i, a, b from r"
    ),
}

LEAVES = {"file_metadata": "select id, _metadata.file_name f, _metadata.row_index i from orders"}

for _name, _query in {**LEAVES, **JOINS, **SETS, **AGGREGATES, **WINDOWS, **GENERATORS, **CTES}.items():
    register(_name, _query)
for _name, _query in RECURSIONS.items():
    since("4.1")(register(_name, _query))


@case
def cte_shadowed(spark: SparkSession, work: str) -> object:
    spark.conf.set("spark.sql.legacy.ctePrecedencePolicy", "CORRECTED")  # the default of Spark 4
    df = spark.sql(
        "with t as (select id, amount x from orders), "
        "u as (with t as (select id, customer x from path_orders) select * from t) "
        "select t.id, t.x, u.x y from t join u on t.id = u.id"
    )
    spark.conf.unset("spark.sql.legacy.ctePrecedencePolicy")
    write(df, work, "cte_shadowed")


@case
def join_as_of(spark: SparkSession, work: str) -> object:
    a, p = spark.table("orders").alias("a"), spark.table("path_orders").alias("p")
    near = a._joinAsOf(p, leftAsOfColumn=a.id, rightAsOfColumn=p.id, on=a.customer == p.customer, how="left")
    write(near.select(a.id, p.amount), work, "join_as_of")


@case
def union_by_name_with_missing(spark: SparkSession, work: str) -> object:
    left = spark.table("orders").select("id", "customer")
    right = spark.table("path_orders").select("customer", "day")
    write(left.unionByName(right, allowMissingColumns=True), work, "union_by_name_with_missing")


@case
def melt(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").selectExpr("id", "amount", "day").melt(["day"], ["id", "amount"], "k", "v")
    write(df, work, "melt")


@case
def pivot_in_one_phase(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").groupBy("customer").pivot("day", ["mon", "tue"]).agg({"day": "collect_list"})
    write(df, work, "pivot_in_one_phase")


@case
def views_temporary(spark: SparkSession, work: str) -> object:
    spark.sql(
        "create or replace temp view sums(who, total) as select customer, sum(amount) from orders group by customer"
    )
    spark.sql("create or replace global temp view totals as select total t, who from sums where total > 1")
    write(spark.sql("select t + 1 more, who from global_temp.totals"), work, "views_temporary")


@case
def rows_passed_through(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    df = spark.table("orders").sample(0.5, 1).hint("broadcast").repartition(2, "customer").coalesce(1)
    df = df.observe("seen", f.count(f.lit(1))).withColumn("at", f.timestamp_millis("id")).withWatermark("at", "1 hour")
    write(df.sortWithinPartitions("day").limit(2).offset(1).select("id"), work, "rows_passed_through")


@case
def random_split(spark: SparkSession, work: str) -> object:
    first, _ = spark.table("orders").select("id", "customer").randomSplit([0.5, 0.5], 1)
    write(first.select("customer"), work, "random_split")


@case
def drop_duplicates_of_all(spark: SparkSession, work: str) -> object:
    write(spark.table("orders").select("id", "day").dropDuplicates().select("day"), work, "drop_duplicates_of_all")


@case
def columns_api(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    df = spark.table("orders").withColumns({"a": f.col("id") + 1, "b": f.upper("customer")})
    df = df.withColumnsRenamed({"customer": "who"}).withMetadata("a", {"k": "v"}).drop("amount")
    write(df, work, "columns_api")


@case
def fill_and_replace(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").fillna({"customer": "x"}).replace("mon", "monday", ["day"]).dropna(subset=["amount"])
    write(df.select("id", "customer", "day"), work, "fill_and_replace")


@case
def to_a_schema(spark: SparkSession, work: str) -> object:
    from pyspark.sql.types import StringType, StructField, StructType

    schema = StructType([StructField("day", StringType()), StructField("customer", StringType())])
    write(spark.table("orders").to(schema), work, "to_a_schema")


@case
def cached(spark: SparkSession, work: str) -> object:
    df = spark.table("orders").selectExpr("id", "upper(customer) who").cache()
    df.count()
    write(df.filter("id > 1").select("who"), work, "cached")
    df.unpersist()


@case
def crosstab(spark: SparkSession, work: str) -> object:
    write(spark.table("orders").stat.crosstab("customer", "day"), work, "crosstab")


@case
def rows_of_commands(spark: SparkSession, work: str) -> object:
    described = spark.sql("describe orders").select("col_name")
    write(described.union(spark.sql("show columns in customers")), work, "rows_of_commands")
    write(spark.sql("set spark.sql.shuffle.partitions"), work, "rows_of_a_setting")


@since("4.0")
@case
def inline_table_of_functions(spark: SparkSession, work: str) -> object:
    spark.sql("create table if not exists moments (at timestamp, id int) using parquet")
    spark.sql("insert into moments values (current_timestamp(), 1)")
    joined = "select m.at, o.id from orders o join values (now(), 1) as m(at, id) on m.id = o.id"
    write(spark.sql(joined), work, "inline_table_of_functions")
    spark.sql("create or replace view inline_view as values (now(), 1), (current_timestamp(), 2) as v(at, id)")
    again = "with c as (select at, id + 1 id from values (now(), 1) as v(at, id)) select * from c union all table inline_view"
    write(spark.sql(again), work, "inline_tables")


@since("4.0")
@case
def transpose(spark: SparkSession, work: str) -> object:
    write(spark.table("orders").select("day", "id", "amount").limit(1).transpose("day"), work, "transpose")
