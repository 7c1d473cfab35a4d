"""SQL queries of many databases: tables read, sources of columns, and row clauses."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from sac_kafka.lineage.datasets.queries import parsing
from sac_kafka.lineage.datasets.queries.parsing import MAX_DEPTH, MAX_LENGTH, parse_query
from sac_kafka.model import ColumnSource
from sac_kafka.names.jdbc_dialects import DIALECTS, STANDARD, captured_kinds, dialect_of
from tests.helpers.every_row import every_row
from tests.helpers.work import assert_linear, steps

pytest.importorskip("sqlglot")

KINDS = {
    "identity": "=",
    "transformation": "~",
    "aggregation": "+",
    "conditional": "?",
    "window": "w",
    "join": "j",
    "filter": "f",
    "group_by": "g",
    "sort": "s",
}


class Row(NamedTuple):
    """A query: `columns` are `name` or `name: source …`, a source =t.c (identity), ~t.c (made of), +t.c (aggregated),
    ?t.c (condition), wt.c (window), jt.c (correlation); `name: !` if unknown. `rows` are ft.c, jt.c, gt.c, st.c.
    """

    dialect: str
    query: str
    tables: str
    columns: str
    rows: str = ""


P, M, T, S = "postgres", "mysql", "tsql", "snowflake"
ROWS = [
    # the standard
    Row(STANDARD, "select * from orders", "orders", "id: =orders.id, amount: =orders.amount"),
    Row(
        STANDARD,
        "SELECT ID, AMOUNT * 2 TWICE FROM SHOP.ORDERS",
        "SHOP.ORDERS",
        "ID: =SHOP.ORDERS.ID, TWICE: ~SHOP.ORDERS.AMOUNT",
    ),
    Row(
        STANDARD,
        "select dateadd(month, 1, o.due) d, timestampadd(SQL_TSI_DAY, o.n, o.due) t, dateadd('day', 1, o.due) s from orders o",
        "orders",
        "d: ~orders.due, t: ~orders.n ~orders.due, s: ~orders.due",
    ),
    Row(
        STANDARD,
        "select datediff(day, o.due, o.paid) late, timestampdiff(day, o.due, current_date) t from orders o",
        "orders",
        "late: ~orders.due ~orders.paid, t: ~orders.due",
    ),
    Row(STANDARD, "select datediff(day, due, paid) late from orders", "orders", "late: !"),
    Row(M, "select datediff(day, due) late from orders", "orders", "late: ~orders.day ~orders.due"),
    Row(STANDARD, 'select "Id" from "Big Orders" "o"', '"Big Orders"', 'Id: ="Big Orders".Id'),
    Row(
        STANDARD,
        "select o.* from orders o, customers c where o.c = c.n",
        "orders customers",
        "id: =orders.id",
        "forders.c fcustomers.n",
    ),
    Row(STANDARD, "select 1 one, current_date d, count(*) n from t", "t", "one:, d:, n:"),
    Row(STANDARD, "select a, a from t", "t", "a: =t.a, a: =t.a"),
    Row(STANDARD, "select x.a, y.b from t x join u y on x.k = y.k", "t u", "a: =t.a, b: =u.b", "jt.k ju.k"),
    Row(STANDARD, "select a from t x join u y on x.k = y.k", "t u", "a: !", "jt.k ju.k"),
    Row(STANDARD, "select * from t x join u y on x.k = y.k", "t u", "a: !, b: !", "jt.k ju.k"),
    Row(STANDARD, "select x.*, y.b from t x join u y on x.k = y.k", "t u", "a: =t.a, c: =t.c, b: =u.b", "jt.k ju.k"),
    Row(STANDARD, "select k, x.a from t x join u y using (k)", "t u", "k: =t.k, a: =t.a", "jt.k ju.k"),
    Row(STANDARD, "select k from t x right join u y using (k)", "t u", "k: =u.k", "jt.k ju.k"),
    Row(STANDARD, "select k from t x full join u y using (k)", "t u", "k: ~t.k ~u.k", "jt.k ju.k"),
    Row(STANDARD, "select a from t union select b from u", "t u", "a: =t.a =u.b", "gt.a gu.b"),
    Row(STANDARD, "select a from t union all select 1 union all select b + 1 from u", "t u", "a: =t.a ~u.b"),
    Row(STANDARD, "select a from t except select b from u", "t u", "a: =t.a", "ft.a fu.b"),
    Row(STANDARD, "select a from t intersect select b from u", "t u", "a: =t.a", "ft.a fu.b"),
    Row(STANDARD, "select a from t where (b, c) in (select d, e from u)", "t u", "a: =t.a", "ft.b ft.c fu.d fu.e"),
    Row(
        STANDARD,
        "select sum(a) over w s, max(a) over (v order by e) m from t window w as (partition by b), v as (w order by d)",
        "t",
        "s: +t.a wt.b, m: +t.a wt.b wt.d wt.e",
    ),
    Row(
        STANDARD,
        "select x.r, sum(x.a) over w s from (select a, rank() over w r, g from t window w as (order by b)) x "
        "window w as (order by x.g)",
        "t",
        "r: wt.b, s: +t.a wt.g",
    ),
    Row(
        STANDARD,
        "select * from t left join (select k, z from u) v using (k)",
        "t u",
        "k: =t.k, a: =t.a, z: =u.z",
        "jt.k ju.k",
    ),
    Row(STANDARD, "select * from t right join (select k from u) v using (k)", "t u", "k: =u.k, a: =t.a", "jt.k ju.k"),
    Row(STANDARD, "select level, a from t", "t", "level: =t.level, a: =t.a"),
    Row(P, "select a, e->>'?' x from t, jsonb_array_elements(t.doc) e", "t", "a: !, x: ~t.doc"),
    Row(STANDARD, "select distinct a, b from t order by b desc", "t", "a: =t.a, b: =t.b", "gt.a gt.b st.b"),
    Row(
        STANDARD,
        "select a, sum(b) s from t group by a having sum(b) > 1 order by s",
        "t",
        "a: =t.a, s: +t.b",
        "gt.a ft.b st.b",
    ),
    Row(STANDARD, "select a x, max(b) from t group by 1 order by 2", "t", "x: =t.a, m: +t.b", "gt.a st.b"),
    Row(STANDARD, "select case when a > 1 then b else c end v from t", "t", "v: ?t.a ~t.b ~t.c"),
    Row(STANDARD, "select case a when 1 then b end v from t", "t", "v: ?t.a ~t.b"),
    Row(STANDARD, "select coalesce(a, b) v, nullif(a, b) n from t", "t", "v: ~t.a ~t.b, n: ~t.a ?t.a ?t.b"),
    Row(STANDARD, "select cast(a as int) v, (a) w, -a x from t", "t", "v: ~t.a, w: =t.a, x: ~t.a"),
    Row(STANDARD, "select row_number() over (partition by a order by b) r from t", "t", "r: wt.a wt.b"),
    Row(STANDARD, "select rank() over (order by b) r, sum(a) over () s from t", "t", "r: wt.b, s: +t.a"),
    Row(STANDARD, "select (select max(b) from u where u.k = t.k) m from t", "t u", "m: +u.b ?u.k jt.k"),
    Row(STANDARD, "select exists (select 1 from u where u.k = t.k) e from t", "t u", "e: ?u.k jt.k"),
    Row(STANDARD, "select a from t where b in (select c from u where d > 0)", "t u", "a: =t.a", "ft.b fu.c fu.d"),
    Row(STANDARD, "select a from t where exists (select 1 from u where u.k = t.k)", "t u", "a: =t.a", "fu.k ft.k"),
    Row(STANDARD, "select z.b from (select a b from (select a from t where c = 1) x) z", "t", "b: =t.a", "ft.c"),
    Row(STANDARD, "select v + 1 v from (select sum(a) v from t) x", "t", "v: +t.a"),
    Row(STANDARD, "select * from (select a, b + 1 c from t) x", "t", "a: =t.a, c: ~t.b"),
    Row(STANDARD, "select q.x from (select a, b from t) q (x, y)", "t", "x: =t.a"),
    Row(STANDARD, "with c as (select a from t) select a from c", "t", "a: =t.a"),
    Row(STANDARD, "with c (x) as (select a from t), d as (select x y from c) select y from d", "t", "y: =t.a"),
    Row(STANDARD, "with c as (select * from t) select a, b + 1 b from c", "t", "a: =t.a, b: ~t.b"),
    Row(STANDARD, "with t as (select a from u) select a from s.t", "s.t u", "a: =s.t.a"),
    Row(STANDARD, "with unused as (select a from t) select b from u", "t u", "b: =u.b"),
    Row(
        STANDARD,
        "with c as (select a from t where k = 1) select x.a from c x join c y on x.a = y.a",
        "t",
        "a: =t.a",
        "ft.k jt.a",
    ),
    Row(STANDARD, "select a from t where b = (select max(b) from t)", "t", "a: =t.a", "ft.b"),
    Row(STANDARD, "values (1, 'a')", "", "a:, b:"),
    Row(STANDARD, "select shop.orders.id from shop.orders", "shop.orders", "id: =shop.orders.id"),
    Row(STANDARD, "select * from (select a from t union all select b from u) x", "t u", "a: =t.a =u.b"),
    Row(STANDARD, "SELECT * FROM (select id from orders) t", "orders", "id: =orders.id"),
    # PostgreSQL
    Row(P, "select id::text as i, amount::numeric(10,2) from t", "t", "i: ~t.id, amount: ~t.amount"),
    Row(P, "select distinct on (k) k, v from t order by k, d desc", "t", "k: =t.k, v: =t.v", "gt.k st.k st.d"),
    Row(
        P,
        "select o.id, l.v from o cross join lateral (select v from l where l.i = o.id) l",
        "o l",
        "id: =o.id, v: =l.v",
        "fl.i jo.id",
    ),
    Row(P, "select g.n, t.a from t, generate_series(1, t.b) as g(n)", "t", "n: ~t.b, a: =t.a"),
    Row(P, "select data->>'?' as v, tags[1] x, a || b y from t", "t", "v: ~t.data, x: ~t.tags, y: ~t.a ~t.b"),
    Row(
        P,
        "select count(*) filter (where a > 1) n, string_agg(b, '?' order by c) s from t",
        "t",
        "n: ?t.a, s: +t.b ?t.c",
    ),
    Row(P, "select percentile_cont(0.5) within group (order by a) m from t", "t", "m: +t.a"),
    Row(P, "select a from only t tablesample system (10) limit 5 offset 2 for update", "t", "a: =t.a"),
    Row(
        P,
        "with recursive r as (select id, pid from t union all select t.id, t.pid from t join r on t.pid = r.id) select id from r",
        "t",
        "id: =t.id",
        "jt.pid jt.id",
    ),
    Row(P, "select now() - interval '?' as x, date '?' as d, extract(year from a) y from t", "t", "x:, d:, y: ~t.a"),
    Row(P, "select a ilike '?' b, a between b and c d from t", "t", "b: ~t.a, d: ~t.a ~t.b ~t.c"),
    Row(P, "with m as materialized (select a from t) select a from m", "t", "a: =t.a"),
    Row(P, "select u.x from t cross join unnest(t.arr) as u(x)", "t", "x: ~t.arr"),
    # MySQL, MariaDB
    Row(
        M,
        "select `o`.`id` from `shop`.`Big Orders` `o` limit 0, 5",
        '"shop"."Big Orders"',
        'id: ="shop"."Big Orders".id',
    ),
    Row(M, "select ifnull(a, b) v, if(a > 1, b, c) w from t", "t", "v: ~t.a ~t.b, w: ?t.a ~t.b ~t.c"),
    Row(M, "select group_concat(distinct a order by b separator '?') g from t", "t", "g: +t.a ?t.b"),
    Row(M, "select straight_join a from t use index (i) where a regexp '?'", "t", "a: =t.a", "ft.a"),
    Row(M, "select date_format(a, '?') d, concat(a, b) c from t lock in share mode", "t", "d: ~t.a, c: ~t.a ~t.b"),
    # SQL Server
    Row(T, "select top 5 [a b], [c] from [dbo].[t] with (nolock)", '"dbo"."t"', 'a b: ="dbo"."t".a b, c: ="dbo"."t".c'),
    Row(T, "select top (10) percent o.a from shop..orders o", "shop..orders", "a: =shop..orders.a"),
    Row(T, "select x = a + 1, isnull(b, 0) y from t", "t", "x: ~t.a, y: ~t.b"),
    Row(T, "select iif(a > 1, b, c) v, convert(varchar(10), d, 120) w from t", "t", "v: ?t.a ~t.b ~t.c, w: ~t.d"),
    Row(T, "select o.a, f.v from t o cross apply dbo.parted(o.s) f", "t", "a: =t.a, v: ~t.s"),
    Row(
        T,
        "select o.a, x.m from t o outer apply (select max(v) m from u where u.k = o.k) x",
        "t u",
        "a: =t.a, m: +u.v",
        "fu.k jt.k",
    ),
    Row(
        T,
        "select a from db1.dbo.t order by a offset 10 rows fetch next 5 rows only",
        "db1.dbo.t",
        "a: =db1.dbo.t.a",
        "sdb1.dbo.t.a",
    ),
    Row(
        T,
        "with r as (select id, 0 l from t union all select t.id, l + 1 from t join r on t.p = r.id) "
        "select id from r option (maxrecursion 5)",
        "t",
        "id: =t.id",
        "jt.p jt.id",
    ),
    Row(
        T,
        "select k, [1] x from (select k, q, v from t) s pivot (sum(v) for q in ([1], [2])) p",
        "t",
        "k: !, x: !",
    ),
    Row(
        T,
        "select t.a, v.n, v.w from t cross apply (values (t.b, 1), (t.c, t.d)) v (n, w)",
        "t",
        "a: =t.a, n: =t.b =t.c, w: =t.d",
    ),
    # Oracle
    Row("oracle", "select ids.nextval i, t.a from t", "t", "i:, a: =t.a"),
    Row(
        "oracle",
        "select nvl(a, b) v, decode(a, 1, b, c) w from t where rownum <= 5",
        "t",
        "v: ~t.a ~t.b, w: ?t.a ~t.b ~t.c",
    ),
    Row("oracle", "select a from t, u where t.k = u.k (+)", "t u", "a: !", "ft.k fu.k"),
    Row("oracle", "select sysdate d, t.a from shop.t t", "shop.t", "d:, a: =shop.t.a"),
    Row("oracle", "select a from t minus select b from u", "t u", "a: =t.a", "ft.a fu.b"),
    Row("oracle", "select listagg(a, '?') within group (order by b) v from t", "t", "v: +t.a ?t.b"),
    Row("oracle", "select 1 from dual", "dual", "x:"),
    Row(
        "oracle",
        "select level l, n from t connect by prior id = boss start with boss is null",
        "t",
        "l:, n: =t.n",
        "ft.boss jt.id jt.boss",
    ),
    # Snowflake, Redshift, Teradata
    Row(S, "select a as x, x + 1 as y from db.sch.t", "db.sch.t", "x: =db.sch.t.a, y: ~db.sch.t.a"),
    Row(S, "select upper(a) as a, a || '?' as b from t", "t", "a: ~t.a, b: ~t.a"),
    Row(S, "select a from t qualify row_number() over (partition by k order by d) = 1", "t", "a: =t.a", "ft.k ft.d"),
    Row(S, "select f.value:name::string n from t, lateral flatten(input => t.doc) f", "t", "n: ~t.doc"),
    Row(
        S,
        "select v:a.b::int x, iff(c, d, e) y, zeroifnull(g) z from t",
        "t",
        "x: ~t.v, y: ?t.c ~t.d ~t.e, z: ~t.g ?t.g",
    ),
    Row(S, "select * exclude (a) from (select a, b from t)", "t", "b: =t.b"),
    Row("redshift", "select a b, b + 1 c, getdate() d from s.t limit 3", "s.t", "b: =s.t.a, c: ~s.t.a, d:"),
    Row("teradata", "sel top 3 a, zeroifnull(b) z from db.t", "db.t", "a: =db.t.a, z: ~db.t.b"),
    # Trino, ClickHouse, BigQuery, Hive, Spark, SQLite, DuckDB
    Row("trino", "select a, u.x from c.s.t cross join unnest(t.arr) as u (x)", "c.s.t", "a: =c.s.t.a, x: ~c.s.t.arr"),
    Row("presto", "select approx_distinct(a) n, try_cast(b as bigint) c from t", "t", "n: +t.a, c: ~t.b"),
    Row(
        "clickhouse",
        "select a, uniq(b) u from db.t final prewhere c = 1 group by a",
        "db.t",
        "a: =db.t.a, u: +db.t.b",
        "fdb.t.c gdb.t.a",
    ),
    Row("clickhouse", "select argMax(a, b) m, countIf(c) n from t", "t", "m: +t.a ?t.b, n: +t.c"),
    Row("bigquery", "select * except (b) from `p.d.t`", '"p"."d"."t"', 'a: ="p"."d"."t".a'),
    Row("bigquery", "select a, u from `p`.d.t, unnest(arr) u", '"p".d.t', 'a: ="p".d.t.a, u: ~"p".d.t.arr'),
    Row("hive", "select a, e.x from t lateral view explode(arr) e as x", "t", "a: =t.a, x: ~t.arr"),
    Row("spark", "select a, named_struct('?', b) s from db.t", "db.t", "a: =db.t.a, s: ~db.t.b"),
    Row("databricks", "select a, b:c from cat.sch.t", "cat.sch.t", "a: =cat.sch.t.a, c: ~cat.sch.t.b"),
    Row(
        "sqlite",
        "select a, iif(b, c, d) v from main.t where e glob '?' limit 3",
        "main.t",
        "a: =main.t.a, v: ?main.t.b ~main.t.c ~main.t.d",
        "fmain.t.e",
    ),
    Row("duckdb", "from t select a, b::int as c", "t", "a: =t.a, c: ~t.b"),
    Row("duckdb", "select * replace (a + 1 as a) from t", "t", "a: !, b: !"),
    Row("duckdb", "select list_transform(l, x -> x + k) v from t", "t", "v: ~t.l ~t.k"),
]


def _source(s: ColumnSource) -> str:
    return f"{KINDS[s.dependency.value]}{s.dataset}.{s.column}"


def _columns(row: Row) -> dict[str, set[str] | None]:
    listed = (part.partition(":")[::2] for part in row.columns.split(", "))
    return {name.lower(): None if listing.strip() == "!" else _names(listing) for name, listing in listed}


def _names(listing: str) -> set[str]:
    """Return the sources; a blank within one occurs in `a b` and `Big Orders` only."""
    words = listing.replace("Big Orders", "Big_Orders").replace("a b", "a_b").split()
    return {w.replace("Big_Orders", "Big Orders").replace("a_b", "a b") for w in words}


@every_row("row", ROWS, label=lambda r: f"{r.dialect or 'standard'}-{r.query[:40]}")
def test_a_query_is_understood(row: Row) -> None:
    found = parse_query(row.query, row.dialect)
    assert found.query is not None, found.counts
    assert " ".join(sorted(found.query.tables)) == " ".join(sorted(_names(row.tables)))
    names = [part.partition(":")[0] for part in row.columns.split(", ")]
    made = found.query.columns(names)
    shown = {n.lower(): {_source(s) for s in made[n.lower()]} if n.lower() in made else None for n in names}
    assert shown == _columns(row)
    assert {_source(s) for c in found.query.clauses for s in c.sources} == _names(row.rows)


def test_each_common_dialect_has_a_query() -> None:
    assert {row.dialect for row in ROWS} >= {*DIALECTS.values()} - {"athena", "exasol"}
    assert len(ROWS) >= 80


@every_row("kind", DIALECTS)
def test_dialect_of_a_url_follows_its_database(kind: str) -> None:
    assert dialect_of(f"jdbc:{kind}://host:1/db") == DIALECTS[kind]
    assert kind in captured_kinds()


def test_unreadable_query_is_counted() -> None:
    for text in ("select from where", "insert into t select a from u", "select a from t; select b from u", ""):
        found = parse_query(text, STANDARD)
        assert found.query is None
        assert found.counts[0].startswith("query of a database not parsed: ")


NESTED = {
    "subqueries": "(select max(a) from t where a = {})",
    "brackets": "({})",
    "functions": "f({})",
    "branches": "case when {} then 1 end",
    "signs": "- {}",
    "negations": "not {}",
}


def nested(form: str, deep: int) -> str:
    before, behind = NESTED[form].split("{}")
    return f"select {before * deep}1{behind * deep} from t"


def parse_uncached(text: str) -> Callable[[], object]:
    def call() -> object:
        parsing._parse.cache_clear()
        return parse_query(text, STANDARD)

    call()  # loads sqlglot
    return call


@pytest.mark.parametrize("deep", [MAX_DEPTH - 1, MAX_DEPTH + 1, 3000])
@pytest.mark.parametrize("form", NESTED)
def test_no_query_is_too_deep(form: str, deep: int) -> None:
    found = parse_query(nested(form, deep), STANDARD)
    assert found.query is not None or found.counts


@pytest.mark.parametrize("form", [each for each in NESTED if each != "subqueries"])
def test_deep_queries_take_linear_time(form: str) -> None:
    assert_linear(lambda deep: parse_uncached(nested(form, deep)), 10)


def test_work_on_nested_subqueries_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the work although each level doubles it."""
    from sac_kafka.lineage.datasets.queries import resolving  # needs sqlglot

    assert resolving.MAX_PARTS <= 2_000
    monkeypatch.setattr(resolving, "MAX_PARTS", 50)
    assert steps(parse_uncached(nested("subqueries", 12))) < steps(parse_uncached(nested("subqueries", 8))) * 1.4
    assert parse_query(nested("subqueries", 12), STANDARD).query is None


def test_a_long_query_is_not_parsed() -> None:
    text = f"select {'a, ' * MAX_LENGTH} a from t"
    assert parse_query(text, STANDARD).counts == ("query of a database not parsed: too long or too deep",)


def test_nothing_is_parsed_near_the_recursion_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "getrecursionlimit", lambda: 1_000_000)
    assert parse_query("select a from t", STANDARD).query is None


def test_an_sqlglot_with_other_names_of_clauses_parses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the query to Spark's parser rather than miss its tables (`from` and `with` before sqlglot 28)."""
    import sqlglot

    monkeypatch.setattr(sqlglot.exp.Select, "arg_types", {"with": False, "from": False})
    parsing._parse.cache_clear()
    parsed = parse_query("select a from t", STANDARD)
    parsing._parse.cache_clear()
    assert parsed == parsing.Parsed(None, ("query of a database not parsed: sqlglot is older than 28",))


def test_a_query_is_parsed_once() -> None:
    assert parse_query("select a from seen_before", STANDARD) is parse_query("select a from seen_before", STANDARD)


def test_sqlglot_is_looked_for_without_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m.partition(".")[0] == "sqlglot"]:
        monkeypatch.delitem(sys.modules, name)
    assert parsing.is_installed()
    assert "sqlglot" not in sys.modules
