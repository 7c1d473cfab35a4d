"""Cases of values with a shape: the fields of structs, the items of arrays and maps, through whatever makes other values of them.

In every case a column is called after the column of `orders` that it is made of; `none` is made of none, `every` of all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import case, register, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MELTED = "array(struct('jan' as none, amount), struct('feb' as none, id + 0.5 as amount))"
_STRUCT = "named_struct('id', id, 'amount', amount, 'none', 1)"
_OTHER = "named_struct('id', id + 1, 'amount', amount + 1, 'none', 2)"

GENERATORS = {
    "shape_exploded": f"select r.none, r.amount amount_id from (select explode({_MELTED}) r from orders)",
    "shape_exploded_outer": f"select r.* from orders lateral view outer explode({_MELTED}) as r",
    "shape_exploded_with_position": f"select none0, r.none, r.amount from orders lateral view posexplode({_MELTED}) as none0, r",
    "shape_inlined": f"select none, value as amount_id from orders lateral view inline({_MELTED}) as none, value",
    "shape_inlined_zip": "select id, amount from (select inline(arrays_zip(array(id), array(amount))) (id, amount) from orders)",
    "shape_stacked": (
        f"select r.id, r.amount, s.day from (select stack(2, {_STRUCT}, struct(day), {_OTHER}, struct(upper(day) day)) (r, s) "
        "from orders)"
    ),
    "shape_zipped": (
        "select z.k id, z.n amount, id none0 from (select explode(arrays_zip(k, n)) z, 1 id "
        "from (select array(id, 1) k, array(amount) n from orders))"
    ),
    "shape_exploded_maps": (
        "select a id, b.amount, c customer, d.day from orders "
        f"lateral view explode(map_from_entries(array(struct(id, {_STRUCT})))) as a, b "
        "lateral view explode(map_from_arrays(array(customer), array(struct(day, id)))) as c, d"
    ),
    "shape_exploded_entries": (
        "select e.key customer, e.value.id from orders lateral view explode(map_entries(map(customer, struct(id, day)))) as e"
    ),
}

_VALUES = f"select *, {_STRUCT} s, array({_STRUCT}, {_OTHER}) l, map(customer, {_STRUCT}) m from orders"

FUNCTIONS = {
    "shape_of_choices": (
        "select case when day = 'x' then s else t end.id id_day, if(amount > 0, s, t).none none_amount, "
        "coalesce(s, t).amount amount1, nvl(s, t).id id1, nvl2(s, s, null).none none2, ifnull(s, t).none none1 "
        f"from (select *, {_OTHER} t from ({_VALUES}))"
    ),
    "shape_of_items": (
        "select element_at(l, 1).amount amount1, l[0].id id1, get(l, 0).none none1, try_element_at(l, 1).id id2, "
        "l.amount amount2, l.id[0] id3, m['a'].id id_customer, element_at(m, 'a').amount amount_customer, "
        "array(id, amount)[1] amount3, map_keys(m)[0] customer1, map_values(m)[0].id id4, map_entries(m)[0].value.none none2, "
        f"map_from_arrays(array(day), array(struct(id))).x.id id_day from ({_VALUES})"
    ),
    "shape_of_arrays": (
        "select slice(l, 1, 1)[0].id id1, concat(l, l)[0].amount amount1, flatten(array(l, l))[0].none none1, "
        "reverse(l)[0].id id2, sort_array(l)[0].amount amount_id, array_distinct(l)[0].none every1, shuffle(l)[0].id id3, "
        "array_union(l, l)[0].none every2, array_except(l, array(l[0]))[0].id every3, array_max(l).id id4, array_min(l).amount "
        "amount_id2, array_append(l, s)[0].id id5, array_prepend(l, s)[0].none none2, array_insert(l, 1, s)[0].amount amount2, "
        f"array_repeat(s, 2)[0].id id6, array_compact(l)[0].id id7, "
        f"map_concat(m, map('z', s))['a'].id id_customer, size(l) none3 from ({_VALUES})"
    ),
    "shape_of_casts": (
        "select cast(s as struct<x:bigint,y:double,z:bigint>).x id1, "
        "cast(l as array<struct<x:double,y:double,z:int>>)[0].y amount1, "
        f"cast(m as map<string,struct<x:double,y:double,z:string>>)['a'].z none_customer from ({_VALUES})"
    ),
    "shape_of_lambdas": (
        "select transform(l, x -> x.amount) amount1, transform(l, x -> struct(x.id as p, day as q))[0].p id1, "
        "filter(l, x -> x.none > 0).amount[0] amount2, filter(l, x -> x.amount > 0)[0].id id_amount, "
        "aggregate(l, 0D, (a, x) -> a + x.amount) amount3, "
        "aggregate(l, struct(0D as p, 0D as q), (a, x) -> struct(a.p + x.amount as p, a.q + x.id as q)).q id2, "
        "aggregate(l, struct(0D as p, 0D as q), (a, x) -> struct(a.p + x.amount as p, a.q + x.id as q), a -> a.p) amount4, "
        "reduce(array(id, 1), 0D, (a, x) -> a + x) id3, "
        "zip_with(l, array(day), (x, y) -> struct(x.id as p, y as q))[0].q day1, exists(l, x -> x.amount > 1) amount5, "
        "forall(l, x -> x.none > 1) none1, array_sort(l, (x, y) -> int(x.amount - y.amount))[0].id id_amount2, "
        "transform(l, (x, i) -> struct(i as p, x as q))[0].p none2, transform(l, (x, i) -> struct(i as p, x as q))[0].q.id id4 "
        f"from ({_VALUES})"
    ),
    "shape_of_lambdas_over_maps": (
        "select map_filter(m, (k, v) -> v.amount > 0)['a'].id id_customer_amount, "
        "transform_values(m, (k, v) -> struct(v.amount as p, k as q))['a'].p amount_customer, "
        "map_keys(transform_keys(m, (k, v) -> concat(k, v.none)))[0] customer1, "
        "map_values(map_zip_with(m, m, (k, x, y) -> struct(x.id as p, y.amount as q)))[0].q amount1, "
        f"map_values(m)[0].none none1 from ({_VALUES})"
    ),
    "shape_of_subqueries": (
        "with c as (select struct(id, amount) s, day from orders) select (select max(s) from c).id id1, c.s.amount amount1, "
        "d.s.id id2 from c join (select first(s) s, day from c group by day) d on c.day = d.day"
    ),
    "shape_of_a_union": (
        f"select s.id, s.amount, s.none, l[0].amount amount2, l[0].none none2 from (select {_STRUCT} s, array({_OTHER}) l "
        f"from orders union all select {_OTHER}, array({_STRUCT}) from orders)"
    ),
    "shape_unknown": (
        "select from_json(j, 'a int, b int').a every, cast(nested.s as struct<x:int,y:string>).x every2 from nested, "
        "(select to_json(struct(id, amount)) j from orders)"
    ),
}

AGGREGATES = {
    "shape_of_aggregates": (
        "select max(s).id id1, max(s).amount amount_id, min(s).none none_id_amount, max_by(s, day).id id_day, "
        "min_by(s, day).none none_day, first(s).id id2, last(s, true).none none2, any_value(s).amount amount1, "
        "collect_list(s)[0].id id3, collect_list(s).amount amount2, collect_set(s)[0].none every1, "
        "max(s) filter (where day > 'a').id id_day2, "
        f"max(if(day > 'a', s, null)).id id_day3 from ({_VALUES})"
    ),
    "shape_nested_and_unnested": (
        "select e.id, e.amount, e.none from "
        f"(select explode(l) e from (select collect_list({_STRUCT}) l from orders group by day))"
    ),
    "shape_of_windows": (
        "select (max(s) over w).id id_day, (first(s) over w).amount amount_day, (lag(s) over w).none none_day, "
        f"(collect_list(s) over w)[0].id id_day2 from ({_VALUES}) window w as (order by day)"
    ),
}

OTHERS = {
    "shape_of_selected_parts": (
        "select element_at(array(id, amount), -1) amount, map_contains_key(map(customer, id), day) customer_day1, "
        "array_except(array(customer), array(day)) customer_day2, array_remove(array(customer), day) customer_day3, "
        "map_values(map_zip_with(map(customer, id), map(day, id), (k, v, w) -> v)) id_customer_day, "
        "size(map_zip_with(map(customer, id), map(day, id), (k, v, w) -> v)) customer_day4 from orders"
    ),
    "shape_of_outer_columns": (
        f"select v.amount, v.l id from (select struct(amount, day) s, array({_STRUCT}) l from orders) q, "
        "lateral (select s.amount, l[0].id l) v"
    ),
    "shape_of_unpivoted": (
        f"select v.id, v.amount, v.none from (select {_STRUCT} a, {_OTHER} b from orders) unpivot (v for name in (a, b))"
    ),
}

for _name, _query in {**GENERATORS, **FUNCTIONS, **AGGREGATES, **OTHERS}.items():
    register(_name, _query)


@case
def shape_of_changed_fields(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    made = spark.sql(f"select *, {_STRUCT} s from orders")
    changed = made.select(
        f.col("s").withField("amount", f.col("day")).withField("new", f.col("customer")).dropFields("id").alias("t"),
        f.col("s").withField("id", f.struct("day", "amount")).alias("u"),
        f.when(f.col("id") > 1, f.col("s")).withField("none", f.lit(1)).alias("v"),
    )
    parts = changed.selectExpr(
        "t.amount day1", "t.new customer1", "t.none none1", "u.id.day day2", "u.amount amount1", "v.none none_id"
    )
    write(parts, work, "shape_of_changed_fields")


@case
def shape_of_changed_fields_of_a_column(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    changed = (
        spark.table("nested")
        .crossJoin(spark.table("orders"))
        .select(f.col("s").withField("b", f.col("day")).alias("t"))
    )
    write(changed.selectExpr("t.a s", "t.b day"), work, "shape_of_changed_fields_of_a_column")


@case
def shape_of_a_union_by_name(spark: SparkSession, work: str) -> object:
    one = spark.sql("select struct(id, amount) s, 1 none from orders")
    other = spark.sql("select 2 none, struct(amount, day) s from orders")
    write(
        one.unionByName(other, allowMissingColumns=True).selectExpr("s.id", "s.day", "none"),
        work,
        "shape_of_a_union_by_name",
    )


@case
def shape_read_again(spark: SparkSession, work: str) -> object:
    """Through a cache, a temporary view, checkpoints, and a function that has none."""
    from pyspark.sql import functions as f

    spark.sparkContext.setCheckpointDir(f"{work}/checkpoints")
    made = spark.sql(f"select {_STRUCT} s, array({_STRUCT}) l from orders").cache()
    made.createOrReplaceTempView("shapes")
    cached = spark.sql("select s.id, l[0].amount from shapes")
    write(cached, work, "shape_read_again_from_a_cache")
    made.unpersist()
    for how in ("checkpoint", "localCheckpoint"):
        write(getattr(made, how)().selectExpr("s.id", "l[0].amount"), work, f"shape_read_again_{how}")
    same = f.udf(lambda s: (s[0], s[1]), "struct<id:bigint,amount:double>", useArrow=False)
    write(made.select(same("s").alias("s")).selectExpr("s.id every"), work, "shape_read_again_by_a_function")
