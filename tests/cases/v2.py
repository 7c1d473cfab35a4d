"""Cases over tables of V2 catalogs, as `cases`: the project's own test catalog, once with plain tables (`mem`) and once with
tables that take row-level commands (`rows`), and the JDBC catalog that Spark has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import PREPARATIONS, SHOP, case, changing, one_by_one, register, since, write
from tests.helpers.catalog.building import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JDBC_CATALOG = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
_GOODS = "pk int not null, name string, price double"
_MERGE = """
merge into {target} t using rows.db.source s on t.pk = s.pk
when matched and s.note = 'gone' then delete
when matched and s.price > t.price then update set name = concat(t.name, s.name), price = s.price
when not matched and s.note is null then insert (pk, name, price) values (s.pk, upper(s.name), 1.5)
when not matched by source and t.price < 0 then update set name = 'none'
"""


def prepare(spark: SparkSession, work: str) -> None:
    """Tables with a few rows: orders to read, goods to change."""
    catalogs = {**settings("mem"), **settings("rows", row_level=True), **_shop()}
    for key, value in catalogs.items():
        spark.conf.set(key, value)
    for name in ("mem.db", "mem.a.b", "rows.db"):
        spark.sql(f"drop namespace if exists {name} cascade")
        spark.sql(f"create namespace {name}")
    columns = "id bigint, customer string comment 'who', amount double, day string"
    spark.sql(
        f"create table mem.db.orders ({columns}) using memory partitioned by (day, bucket(4, id)) comment 'all' "
        "tblproperties ('team' = 'sales', 'password' = 'hunter2')"
    )
    spark.sql("insert into mem.db.orders select id, customer, amount, day from orders")
    spark.sql("create table mem.db.sink (k string, v double)")
    spark.sql("create table mem.db.parted (k string, v double, day string) partitioned by (day)")
    spark.sql("create table mem.a.b.deep (x bigint, y string)")
    spark.sql(f"create table rows.db.marked ({_GOODS}) tblproperties ('supports-deltas' = 'true')")
    spark.sql(f"create table rows.db.copied ({_GOODS})")
    spark.sql(f"create table rows.db.source ({_GOODS}, note string)")
    for name in ("marked", "copied"):
        spark.sql(f"insert into rows.db.{name} values (1, 'a', 1.0), (2, 'b', 2.0), (4, 'd', -1.0)")
    spark.sql("insert into rows.db.source values (1, 'x', 5.0, null), (2, 'y', 6.0, 'gone'), (3, 'z', 7.0, null)")


PREPARATIONS.append(prepare)


def _shop() -> dict[str, str]:
    key = "spark.sql.catalog.shop"
    return {key: JDBC_CATALOG, f"{key}.url": SHOP, f"{key}.driver": "org.apache.derby.jdbc.EmbeddedDriver"}


def _statement(name: str, statement: str) -> None:
    def run(spark: SparkSession, work: str) -> object:
        return spark.sql(statement)

    run.__name__ = name
    case(run)


register("v2_read", "select id, upper(customer) c from mem.db.orders where day = 'mon'")
register("v2_read_deep", "select x, y from mem.a.b.deep")
register("v2_read_join", "select o.id, s.name from mem.db.orders o join rows.db.source s on o.id = s.pk")

_statement("v2_insert", "insert into mem.db.sink select customer, sum(amount) from mem.db.orders group by customer")
_statement("v2_insert_columns", "insert into mem.db.sink (v, k) select amount, customer from mem.db.orders")
_statement("v2_insert_by_name", "insert into mem.db.sink by name select amount v, customer k from orders")
_statement("v2_insert_deep", "insert into mem.a.b.deep select id, customer from mem.db.orders")
_statement("v2_insert_overwrite", "insert overwrite mem.db.sink select customer, amount from orders")
_statement(
    "v2_insert_static_partition",
    "insert overwrite mem.db.parted partition (day = 'mon') select customer, amount from orders",
)
_statement(
    "v2_replace_where",
    "insert into mem.db.parted replace where day = 'mon' select customer, amount, 'mon' from orders where day = 'mon'",
)
_statement("v2_insert_from_itself", "insert into mem.db.sink select k, v * 2 from mem.db.sink")


@case
def v2_dynamic_overwrite(spark: SparkSession, work: str) -> object:
    rows = spark.table("orders").selectExpr("customer k", "amount v", "day")
    rows.writeTo("mem.db.parted").overwritePartitions()


@case
def v2_write_to(spark: SparkSession, work: str) -> object:
    from pyspark.sql.functions import col, lit

    rows = spark.table("orders").selectExpr("customer k", "amount v")
    rows.selectExpr("v", "k").writeTo("mem.db.sink").append()
    rows.writeTo("mem.db.sink").overwrite(lit(True))
    rows.writeTo("mem.db.sink").overwrite(col("k") == "a")


@case
def v2_write_to_created(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists mem.db.made")
    rows = spark.table("orders").selectExpr("customer k", "amount v")
    rows.writeTo("mem.db.made").tableProperty("team", "sales").create()
    rows.select("v").writeTo("mem.db.made").replace()
    rows.selectExpr("v + 1 w").writeTo("mem.db.made").createOrReplace()


@case
def v2_save_as_table(spark: SparkSession, work: str) -> object:
    spark.sql("drop table if exists mem.db.saved")
    rows = spark.table("orders").selectExpr("customer k", "amount v")
    rows.write.saveAsTable("mem.db.saved")
    rows.write.mode("append").saveAsTable("mem.db.saved")
    rows.write.mode("overwrite").saveAsTable("mem.db.saved")
    rows.write.mode("ignore").saveAsTable("mem.db.saved")
    rows.selectExpr("k", "v").write.insertInto("mem.db.saved")


@changing
def v2_table_as_select(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create table mem.db.chosen using memory partitioned by (day) comment 'few' tblproperties ('password' = 'hunter2')"
        " as select id, day, amount * 2 twice from mem.db.orders",
        "create table if not exists mem.db.chosen as select customer from mem.db.orders",
        "create or replace table mem.db.chosen as select customer from mem.db.orders",
        "drop table mem.db.chosen",
        "create table if not exists mem.db.chosen as select day from mem.db.orders",
        "drop table mem.db.chosen",
    )


@case
def v2_nothing_is_kept(spark: SparkSession, work: str) -> object:
    spark.table("mem.db.orders").write.format("noop").mode("overwrite").save()


@case
def v2_files(spark: SparkSession, work: str) -> object:
    spark.conf.set("spark.sql.sources.useV1SourceList", "")
    try:
        df = spark.read.parquet(f"{work}/in/orders_parquet").select("id", "customer")
        df.write.mode("overwrite").parquet(f"{work}/out/v2_files")
    finally:
        spark.conf.unset("spark.sql.sources.useV1SourceList")


@case
def v2_jdbc(spark: SparkSession, work: str) -> object:
    write(spark.table("shop.CLERK.ORDERS").select("id", "name"), work, "v2_jdbc")
    spark.sql("insert into shop.CLERK.PEOPLE select id, name from shop.CLERK.ORDERS")
    spark.sql("drop table if exists shop.CLERK.BOUGHT")
    spark.sql("create table shop.CLERK.BOUGHT as select id + 1 as NEXT from shop.CLERK.ORDERS")


for _way in ("marked", "copied"):
    _table = f"rows.db.{_way}"
    _statement(f"v2_merge_{_way}", _MERGE.format(target=_table))
    _statement(
        f"v2_merge_all_columns_{_way}",
        f"merge into {_table} t using (select pk, name, price from rows.db.source) s on t.pk = s.pk "
        "when matched then update set * when not matched then insert *",
    )
    _statement(
        f"v2_merge_inserts_{_way}",
        f"merge into {_table} t using rows.db.source s on t.pk = s.pk + 100 "
        "when not matched then insert (pk, name, price) values (s.pk, s.name, s.price)",
    )
    _statement(
        f"v2_merge_with_itself_{_way}",
        f"merge into {_table} t using (select pk, name from {_table}) s on t.pk = s.pk + 50 "
        "when matched then update set name = s.name",
    )
    _statement(
        f"v2_merge_deletes_{_way}",
        f"merge into {_table} t using rows.db.source s on t.pk = s.pk when matched and s.note = 'none' then delete",
    )
    _statement(f"v2_update_{_way}", f"update {_table} set name = upper(name), price = price + pk where price > 1")
    _statement(f"v2_update_all_{_way}", f"update {_table} set name = 'same'")
    _statement(
        f"v2_update_subquery_{_way}",
        f"update {_table} set name = 'x' where pk in (select pk from rows.db.source where note = 'gone')",
    )
    _statement(f"v2_delete_{_way}", f"delete from {_table} where price > 50 or name = 'x'")
    _statement(
        f"v2_delete_subquery_{_way}",
        f"delete from {_table} g where exists (select 1 from rows.db.source s where s.note = g.name)",
    )

_statement("v2_delete_by_filter", "delete from mem.db.sink where k = 'a'")
_statement("v2_delete_all", "delete from mem.db.sink")
_statement("v2_truncate", "truncate table mem.db.sink")


@since("4.0")
@case
def v2_merge_into_api(spark: SparkSession, work: str) -> object:
    from pyspark.sql.functions import col, upper

    rows = spark.table("rows.db.source").alias("s")
    merge = rows.mergeInto("rows.db.marked", col("rows.db.marked.pk") == col("s.pk"))
    merge.whenMatched().update({"name": upper(col("s.name"))}).merge()


@case
def v2_any_columns_by_name(spark: SparkSession, work: str) -> object:
    """A table that takes any columns: the analyzer leaves the query as it is, the connector matches the names."""
    from pyspark.sql.functions import lit

    spark.sql(
        "create table mem.db.any_by_name (k string, v double) using memory tblproperties ('any-columns' = 'true')"
    )
    rows = spark.table("orders").where("amount > 2").selectExpr("amount * 2 V", "customer k")
    rows.writeTo("mem.db.any_by_name").append()
    rows.writeTo("mem.db.any_by_name").overwritePartitions()
    rows.writeTo("mem.db.any_by_name").overwrite(lit(True))
    rows.selectExpr("k").writeTo("mem.db.any_by_name").append()
    rows.write.mode("append").saveAsTable("mem.db.any_by_name")


@case
def v2_any_columns_by_position(spark: SparkSession, work: str) -> object:
    spark.sql(
        "create table mem.db.any_in_order (k string, v double) using memory tblproperties ('any-columns' = 'true')"
    )
    spark.sql("insert into mem.db.any_in_order select customer v, amount k from orders")
    spark.table("orders").selectExpr("day", "amount").write.insertInto("mem.db.any_in_order")


@changing
def v2_table_changes(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create table mem.db.changing (a int comment 'first', b string, c int) using memory partitioned by (b) "
        "comment 'made here' tblproperties ('team' = 'sales', 'password' = 'hunter2')",
        "create table if not exists mem.db.changing (z int)",
        "alter table mem.db.changing add columns (d bigint comment 'more', e date)",
        "alter table mem.db.changing rename column d to f",
        "alter table mem.db.changing drop column c",
        "alter table mem.db.changing alter column a type bigint",
        "alter table mem.db.changing alter column a comment 'one'",
        "alter table mem.db.changing set tblproperties ('team' = 'all')",
        "alter table mem.db.changing unset tblproperties ('team')",
        "comment on table mem.db.changing is 'said'",
        "alter table mem.db.changing rename to db.changed",
        "truncate table mem.db.changed",
        "drop table mem.db.changed",
        "drop table if exists mem.db.changed",
    )


@changing
def v2_table_replaced(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create table mem.db.again (a int) using memory",
        "replace table mem.db.again (b string) using memory",
        "create or replace table mem.db.again (c string) using memory",
        "drop table mem.db.again",
    )


@changing
def v2_namespace_changes(spark: SparkSession, work: str) -> object:
    one_by_one(
        spark,
        "create namespace mem.deep.er comment 'for a while' location 'file:/x/y' "
        "with dbproperties ('team' = 'sales', 'secret' = 'hunter2')",
        "create namespace if not exists mem.deep.er",
        "create table mem.deep.er.inside using memory as select id from mem.db.orders",
        "drop namespace mem.deep.er cascade",
    )


@changing
def v2_result_read_again(spark: SparkSession, work: str) -> object:
    spark.sql("create table mem.db.once (a int) using memory").collect()
    spark.sql("drop table mem.db.once").collect()
