"""Columns made of one expression each, and the SQL that lineage shows of it: what was written, strings as `?`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import SINCE, case, register, since, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXPRESSIONS: dict[str, tuple[str, dict[str, str | None]]] = {
    "shown_aggregates": (
        "from orders where id < 0",
        {
            "count(*)": None,
            "count(1)": "count(*)",
            "count(id)": None,
            "count(DISTINCT customer)": None,
            "count(DISTINCT customer, day)": None,
            "sum(DISTINCT amount)": None,
            "sum(amount) FILTER (WHERE id > 1)": None,
            "count(DISTINCT day) FILTER (WHERE day <> 'mon')": "count(DISTINCT day) FILTER (WHERE day <> ?)",
            "first(day)": None,
            "first(day) IGNORE NULLS": None,
            "last_value(day, true)": "last_value(day) IGNORE NULLS",
            "any_value(day) IGNORE NULLS": None,
            "max_by(customer, id)": None,
            "percentile_approx(amount, 0.5)": None,
            "percentile(amount, 0.25)": None,
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY amount DESC)": None,
            "approx_count_distinct(id)": None,
            "approx_count_distinct(id, 0.01)": None,
            "try_avg(amount)": None,
            "collect_list(id)": None,
            "sum(amount * 2) / nullif(count(id), 0)": None,
        },
    ),
    "shown_windows": (
        "from orders where id < 0",
        {
            "row_number() OVER (PARTITION BY customer ORDER BY id DESC)": None,
            "lag(day) OVER (ORDER BY id DESC)": None,
            "lag(id, 2, 0) IGNORE NULLS OVER (PARTITION BY customer ORDER BY day)": None,
            "lead(day) OVER (ORDER BY id DESC NULLS FIRST)": None,
            "rank() OVER (ORDER BY amount NULLS LAST, id DESC)": None,
            "ntile(4) OVER (ORDER BY id)": None,
            "nth_value(id, 2) OVER (ORDER BY id)": None,
            "avg(amount) OVER (PARTITION BY customer)": None,
            "sum(amount) OVER (ORDER BY id)": None,
            "sum(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)": None,
            "sum(amount) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING)": None,
            "last_value(id) IGNORE NULLS OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)": (
                "last(id) IGNORE NULLS OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
            ),
            "sum(id) OVER (ORDER BY cast(day AS timestamp) RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW)": (
                "sum(id) OVER (ORDER BY CAST(day AS timestamp) RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW)"
            ),
        },
    ),
    "shown_functions": (
        "from orders where id < 0",
        {
            "to_date(day)": None,
            "to_date(day, 'yyyy-MM-dd')": None,
            "to_timestamp(day)": None,
            "date_trunc('month', day)": None,
            "from_unixtime(id)": None,
            "unix_timestamp(day, 'yyyy')": None,
            "to_char(id, '999')": None,
            "extract(YEAR FROM day)": None,
            "timestampadd(HOUR, 3, day)": None,
            "from_utc_timestamp(day, 'Europe/Berlin')": None,
            "split(day, ',')[0]": None,
            "split(day, 'secret')[0]": "split(day, ?)[0]",
            "split(day, '-', 2)": None,
            "regexp_replace(day, 'a', 'b')": "regexp_replace(day, ?, ?)",
            "mask(customer)": None,
            "mask(customer, 'A', '-')": None,
            "lpad(customer, 10, '0')": None,
            "lpad(customer, 10)": None,
            "lpad(customer, 10, 'ab')": "lpad(customer, 10, ?)",
            "substring(day, 2)": None,
            "substring(day, 2, 3)": None,
            "trim(customer)": None,
            "trim(BOTH 'x' FROM customer)": "trim(BOTH ? FROM customer)",
            "concat_ws(', ', customer, day)": None,
            "round(amount)": None,
            "round(amount, 2)": None,
            "nvl(customer, day)": None,
            "nvl2(customer, 1, 0)": None,
            "decode(id, 1, 'a', 'b')": "decode(id, 1, ?, ?)",
            "coalesce(customer, 'none')": "coalesce(customer, ?)",
            "left(customer, 2)": None,
            "try_divide(amount, 2)": None,
            "try_cast(customer AS int)": "TRY_CAST(customer AS int)",
            "cast(amount AS int)": "CAST(amount AS int)",
            "int(amount)": "CAST(amount AS int)",
            "rand()": None,
            "hash(customer)": None,
            "from_json(customer, 'a int').a": "from_json(customer, 'struct<a:int>').a",
            "get_json_object(customer, '$.a.b')": None,
            "to_json(struct(id, day))": None,
            "to_json(struct(id), map('timestampFormat', 'yyyy'))": "to_json(struct(id), map(…))",
            "sort_array(array(id, 1))": None,
            "array_sort(array(id, 1))": None,
        },
    ),
    "shown_operators": (
        "from orders where id < 0",
        {
            "amount * 0.19": None,
            "amount * (1 + 0.19) - 5": None,
            "(amount - 1) - (amount - 2) * 3": "amount - 1 - (amount - 2) * 3",
            "amount / (id * 2)": None,
            "-id": None,
            "-(id + 1)": None,
            "id + -1": None,
            "id % 2 = 0": None,
            "id BETWEEN 1 AND 3": None,
            "NOT id BETWEEN 1 AND 3": "id NOT BETWEEN 1 AND 3",
            "id IN (1, 2, 3)": None,
            "id NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)": "id NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)",
            "customer LIKE 'a%'": "customer LIKE ?",
            "customer NOT LIKE 'a%'": "customer NOT LIKE ?",
            "customer RLIKE 'a'": "customer RLIKE ?",
            "customer IS NULL": None,
            "NOT (id > 1)": None,
            "id > 1 AND (day = customer OR amount < 3)": None,
            "(id > 1) = (amount > 1)": None,
            "id <=> 1": None,
            "id <> 1": None,
            "customer || day": "concat(customer, day)",
            "CASE WHEN amount > 100 THEN 'gold' ELSE day END": "CASE WHEN amount > 100 THEN ? ELSE day END",
            "if(id > 1, amount, 0)": None,
            "cast(day AS date) + INTERVAL '1' DAY": "CAST(day AS date) + INTERVAL '1' DAY",
            "cast(day AS timestamp) - INTERVAL '2' HOUR": "CAST(day AS timestamp) - INTERVAL '02' HOUR",
            "id & 3 | 4": None,
            "id = 1234567": "id = ?",
            "id = 123456": None,
            "amount > 1.5D": None,
            "id IS NULL OR NULL": None,
        },
    ),
    "shown_nested": (
        "from nested cross join customers where s.a < 0",
        {
            "s.a": None,
            "m['k']": "m[?]",
            "l[0].x": None,
            "l.x": None,
            "struct(s.a AS b, country)": None,
            "named_struct('n', s.a, 'c', country)": None,
            "array(s.a, 1)[0]": None,
            "map(country, s.a)": None,
            "transform(tags, x -> x + s.a)": None,
            "transform(tags, (x, i) -> x + i)": None,
            "filter(tags, x -> x > 1 AND x < 5)": None,
            "aggregate(tags, 0, (acc, x) -> acc + x)": None,
            "exists(tags, x -> x % 2 = 0)": None,
            "array_sort(tags, (a, b) -> b - a)": None,
        },
    ),
    "shown_as_written": (
        "from orders where id < 0",
        {
            "customer LIKE 'a|%' ESCAPE '|'": "customer LIKE ? ESCAPE '|'",
            "customer NOT LIKE 'a%' ESCAPE '/'": "customer NOT LIKE ? ESCAPE '/'",
            "customer ILIKE day ESCAPE '#'": None,
            "customer LIKE day": None,
            "CAST(raise_error(customer) AS string)": None,
            "CAST(raise_error('broken') AS string)": "CAST(raise_error(?) AS string)",
            "CAST(assert_true(id > 0) AS string)": None,
            "CAST(assert_true(id > 0, customer) AS string)": None,
            "CAST(assert_true(id > 0, 'no id') AS string)": "CAST(assert_true(id > 0, ?) AS string)",
            "coalesce(customer, day) IS NOT NULL": None,
        },
    ),
    "shown_of_spark_4": (
        "from orders where id < 0",
        {
            "variant_get(parse_json(customer), '$.a', 'int')": None,
            "customer COLLATE UTF8_LCASE = day": None,
            "try_to_timestamp(day, 'yyyy')": None,
            "id BETWEEN 1 AND 3": None,
            "NOT id BETWEEN 1 AND 3": "id NOT BETWEEN 1 AND 3",
            "nullif(id, 0)": None,
        },
    ),
}
"""Case → what follows the columns, and by the SQL that is written the one that is shown, None where it is the same."""


def query(case: str) -> str:
    """Return the query of a case: its expressions under the names c0, c1 …"""
    rest, expressions = EXPRESSIONS[case]
    return f"select {', '.join(f'{sql} as c{i}' for i, sql in enumerate(expressions))} {rest}"


for _case in EXPRESSIONS:
    register(_case, query(_case))
SINCE["shown_of_spark_4"] = "4.0"

register(
    "shown_pivot",
    "select * from (select customer, day, amount from orders) "
    "pivot (sum(amount) total, max(amount) for day in ('mon' m, 'tue' t))",
)
register(
    "shown_pivot_of_numbers",
    "select * from (select customer, id, amount from orders) pivot (sum(amount) for id in (1 one, 2 two))",
)
register("shown_shared_names", "select concat(o.day, p.day) days from orders o join path_orders p on o.id = p.id")
register(
    "shown_view_of_another_type",
    "select id, amount from (select cast(id as bigint) id, amount from orders) union all select 1, id from orders",
)
register(
    "shown_time_windows",
    "select window(t, '10 minutes') w, count(*) n from (select timestamp_seconds(id) t from orders) "
    "group by window(t, '10 minutes')",
)
register(
    "shown_unpivot",
    "select * from (select id, customer, day, amount from orders) unpivot (v for k in (customer, day)) where id > 0",
)
register(
    "shown_unpivot_of_several",
    "select * from (select id, customer, day from orders) unpivot ((v, w) for k in ((customer, day), (day, customer)))",
)


@case
def shown_changed_fields(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions as f

    nested = spark.table("nested").select("s", "l", f.struct("s", "m").alias("o"))
    made = nested.select(
        f.col("s").withField("c", f.size("l")).alias("more"),
        f.col("s").withField("c", f.lit(1)).dropFields("a", "b").alias("other"),
        f.col("o").withField("s.a", f.size("l")).dropFields("m").alias("deep"),
        f.col("o").withField("p", f.col("s").dropFields("a")).getField("p").alias("within"),
    )
    write(made, work, "shown_changed_fields")


@since("4.0")
@case
def shown_functions_and_variables(spark: SparkSession, work: str) -> object:
    spark.sql("create or replace temporary function doubled(a double) returns double return a * 2")
    spark.sql("create or replace temporary function both(a double, b double) returns double return a + b")
    spark.sql("declare or replace variable factor = 2")
    query = (
        "select doubled(a.amount) c0, both(a.amount + 1, b.amount) c1, doubled(doubled(a.id)) * factor c2, "
        "a.id + session.factor c3 from orders a join orders b on a.id = b.id where doubled(b.amount) > factor"
    )
    write(spark.sql(query), work, "shown_functions_and_variables")
    spark.sql("drop temporary variable factor")
