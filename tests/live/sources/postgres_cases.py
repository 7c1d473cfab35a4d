"""Cases over a PostgreSQL server."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from stack.databases import POSTGRES as SERVER
from stack.databases import DatabaseServer, missing
from tests.live.sources.family import Family
from tests.live.sources.jdbc import CATALOG, SETTINGS, Shop, add_cases, prepare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@cache
def server() -> DatabaseServer:
    """Return the server of this process, which it ends with."""
    return DatabaseServer(SERVER).start()


SHOP = Shop(
    url=lambda _: server().url(),
    options={"driver": "org.postgresql.Driver"},
    names={"schema": "archive.orders", "quoted": 'archive."Big Orders"', "database": "shop.public.orders"},
    queries={
        "casts": "select id::text as word, coalesce(customer, '?') as who, amount::numeric(10, 2) from orders limit 5 offset 0",
        "lateral": "select o.id, l.country from orders o "
        "cross join lateral (select c.country from customers c where c.name = o.customer) l",
        "distinct_on": "select distinct on (customer) customer, id from orders order by customer, id desc",
        "function": "select g.day, o.amount from orders o, generate_series(1, 2) as g(day)",
        "filtered": "select count(*) filter (where amount > 2) as big, string_agg(customer, ', ' order by id) as who from orders",
        "recursive": "with recursive up as (select id, 1 as level from orders union all "
        "select o.id, u.level + 1 from orders o join up u on o.id = u.id + 1) select id, level from up",
        "all": 'select o.*, c.country from archive."Big Orders" o left join customers c on c.name = o.customer',
    },
    created="WITH (fillfactor = 80)",
    first="create temporary table seen as select 1 one",
    catalog="public",
)


def _prepare(spark: SparkSession, work: str) -> None:
    spark.sql("create namespace if not exists shop.archive")
    prepare(SHOP, spark, work, "archive.orders", 'archive."Big Orders"')


def _conf(work: str) -> dict[str, str]:
    key = "spark.sql.catalog.shop"
    return {key: CATALOG, f"{key}.url": server().url(), f"{key}.driver": "org.postgresql.Driver"}


POSTGRES = Family(
    name="postgres",
    jars=dict.fromkeys(("3.5", "4"), "jdbc-postgresql"),
    conf=_conf,
    prepare=_prepare,
    missing=lambda: missing(SERVER),
    texts=lambda: {f"127.0.0.1:{server().port}/": "127.0.0.1:5432/"},
    settings=SETTINGS,
)
add_cases(POSTGRES, SHOP)
