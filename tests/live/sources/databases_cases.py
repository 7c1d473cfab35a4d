"""Cases over databases within the driver: H2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live.sources.family import Family
from tests.live.sources.jdbc import CATALOG, SETTINGS, Shop, add_cases, prepare

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

H2_URL = (
    "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE;"
    "USER=clerk;PASSWORD=hunter2"
)
SHOPS = (
    Shop(
        name="h2",
        url=lambda _: H2_URL,
        options={"driver": "org.h2.Driver"},
        names={"schema": "PUBLIC.orders", "quoted": '"PUBLIC"."orders"'},
        catalog="PUBLIC",
        first="set lock_timeout 1000",
    ),
)


def _prepare(spark: SparkSession, work: str) -> None:
    for shop in SHOPS:
        prepare(shop, spark, work)


def _conf(work: str) -> dict[str, str]:
    key = "spark.sql.catalog.shop"
    return {key: CATALOG, f"{key}.url": H2_URL, f"{key}.driver": "org.h2.Driver"}


DATABASES = Family(
    name="databases",
    jars=dict.fromkeys(("3.5", "4"), "jdbc-embedded"),
    conf=_conf,
    prepare=_prepare,
    settings=SETTINGS,
)
for _shop in SHOPS:
    add_cases(DATABASES, _shop)
