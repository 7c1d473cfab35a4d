"""Cases of expressions: subqueries, conditions, lambda functions, nested fields, variables and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import case, register, since, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUBQUERIES = {
    "subqueries_everywhere": (
        "select id, case when exists (select * from customers c where c.name = o.customer) then amount "
        "else (select max(amount) from path_orders) end v from orders o "
        "where day in (select day from path_orders where id > 1)"
    ),
    "subqueries_as_values": (
        "select id, customer in (select name from customers) known, "
        "exists (select 1 from customers c where c.name = o.customer) e from orders o"
    ),
    "subqueries_nested": (
        "select o.id, (select max(p.amount) from path_orders p where p.id = o.id and p.amount > "
        "(select min(q.amount) from orders q where q.day = p.day)) m from orders o"
    ),
    "subquery_not_in": "select id from orders where (id, day) not in (select id, day from path_orders)",
}

VALUES = {
    "higher_order_functions": (
        "select transform(tags, x -> x + length(country)) a, filter(tags, x -> x > length(name)) b, "
        "aggregate(tags, 0, (s, x) -> s + x) c, exists(tags, x -> x = 1) d, "
        "zip_with(tags, array(length(name)), (x, y) -> x + y) e, "
        "transform(tags, (x, i) -> case when i > 0 then length(country) else x end) f, "
        "array_sort(tags, (l, r) -> r - l) g, "
        "zip_with(tags, array(length(name)), (x, y) -> case when y > 1 then x end) h from customers"
    ),
    "nested_fields": (
        "select s.a, s.b b2, m['k'] mk, l[0].x lx, l.y ly, named_struct('p', s.a, 'q', m) st from nested"
    ),
    "fields_of_a_struct": (
        "select s.p, s.q, struct(day, amount).amount r, s from "
        "(select struct(id p, upper(customer) q) s, day, amount from orders)"
    ),
    "functions_with_conditions": (
        "select nvl(customer, day) a, nullif(customer, day) b, nvl2(customer, day, string(id)) c, coalesce(customer, day) d, "
        "decode(customer, 'a', day, 'x') e, greatest(id, amount) f, id between amount and 3 g, "
        "case customer when day then id end h, left(customer, 1) i from orders"
    ),
    "columns_without_sources": "select current_date() d, rand() r, uuid() u, id from orders",
    "lateral_alias": "select amount * 2 twice, twice + id more from orders",
}

for _name, _query in {**SUBQUERIES, **VALUES}.items():
    register(_name, _query)


@case
def struct_fields_changed(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    df = spark.table("nested").select(
        f.col("s").withField("c", f.size("l")).alias("more"), f.col("s").dropFields("a").alias("less")
    )
    write(df, work, "struct_fields_changed")


@case
def parameters(spark: SparkSession, work: str) -> object:
    query = "select id, amount * :factor v from orders where day = :day"
    write(spark.sql(query, args={"factor": 2, "day": "mon"}), work, "parameters")


@since("4.0")
@case
def variables(spark: SparkSession, work: str) -> object:
    spark.sql("declare or replace variable factor = 2")
    spark.sql("set var factor = (select max(id) from path_orders)")
    write(spark.sql("select id * factor v from orders"), work, "variables")
    spark.sql("drop temporary variable factor")


@since("4.0")
@case
def scripting(spark: SparkSession, work: str) -> object:
    spark.conf.set("spark.sql.scripting.enabled", "true")  # off in 4.0
    spark.sql(
        "begin declare least = 1; if (select count(*) from customers) > 0 then "
        "insert into sink select customer, amount from orders where id > least; end if; end"
    )


for _name, _query in {
    "pipes": (
        "from orders |> where amount > 2 |> extend upper(customer) as u |> aggregate sum(amount) s group by u |> order by s"
    ),
    "listagg": "select listagg(customer, ',') within group (order by id) l from orders",
}.items():
    since("4.0")(register(_name, _query))
