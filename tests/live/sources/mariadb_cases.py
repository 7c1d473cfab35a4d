"""Cases over a MariaDB server."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from stack.databases import MARIADB as SERVER
from stack.databases import PASSWORD, USER, DatabaseServer, missing
from tests.live.sources.family import Family
from tests.live.sources.jdbc import CATALOG, SETTINGS, Shop, add_cases, prepare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@cache
def server() -> DatabaseServer:
    """Return the server of this process, which it ends with."""
    return DatabaseServer(SERVER).start()


def _url(_: str) -> str:
    # Only of jdbc:mysql: does Spark know how names are quoted; MariaDB's driver accepts it if configured.
    bare = server().url().partition("?")[0].replace("jdbc:mariadb:", "jdbc:mysql:")
    return f"{bare}?permitMysqlScheme"


SHOP = Shop(
    url=_url,
    options={"user": USER, "password": PASSWORD, "driver": "org.mariadb.jdbc.Driver"},
    names={"database": "archive.orders", "quoted": "`archive`.`Big Orders`"},
    queries={
        "quoted": 'select `o`.`id`, ifnull(`o`.`customer`, "hunter2") as `who` from `archive`.`Big Orders` `o` limit 0, 5',
        "json": "select id, # all of\n concat(customer, '-', id) as text, if(amount > 2, customer, 'none') as who from orders",
        "group_concat": "select group_concat(distinct customer order by id separator ',') as who from orders",
        "straight": "select straight_join o.id, c.country from orders o join customers c use index () on c.name = o.customer",
    },
    created="ENGINE=InnoDB",
    first="set @seen = 1",
    catalog="shop",
)


def _prepare(spark: SparkSession, work: str) -> None:
    prepare(SHOP, spark, work, "archive.orders", "archive.`Big Orders`")


def _conf(work: str) -> dict[str, str]:
    key = "spark.sql.catalog.shop"
    return {key: CATALOG, f"{key}.url": _url(work), **{f"{key}.{k}": v for k, v in SHOP.options.items()}}


MARIADB = Family(
    name="mariadb",
    jars=dict.fromkeys(("3.5", "4"), "jdbc-mariadb"),
    conf=_conf,
    prepare=_prepare,
    missing=lambda: missing(SERVER),
    texts=lambda: {f"127.0.0.1:{server().port}/": "127.0.0.1:3306/"},
    settings=SETTINGS,
)
add_cases(MARIADB, SHOP)
