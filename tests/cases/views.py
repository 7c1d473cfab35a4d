"""Cases of persisted views: made, read, read from views, redefined; and tables that change between two writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import changing, one_by_one, since, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@changing
def view_made_and_read(spark: SparkSession, work: str) -> object:
    """The definition is reported once, by the statement that makes it."""
    one_by_one(
        spark,
        "create view spent (buyer comment 'who', total, orders) comment 'by buyer' as "
        "select customer, sum(amount) s, count(*) c from orders where day <> 'mon' group by customer",
    )
    for i in (1, 2):
        write(spark.sql("select buyer, total + 1 more from spent where orders > 1"), work, f"view_made_and_read{i}")
    spark.sql("drop view spent")


@changing
def view_of_views(spark: SparkSession, work: str) -> object:
    """Each view is one hop: the reader's input is the outermost."""
    one_by_one(
        spark,
        "create view inner_view as select * from orders",
        "create view middle_view (a, b) as select id, concat(customer, day) pair from inner_view where amount > 1",
        "create view outer_view as with m as (select a, b from middle_view) "
        "select m.a, c.country, row_number() over (partition by m.b order by m.a) n "
        "from m join customers c on c.name = m.b where m.a in (select id from inner_view)",
    )
    write(spark.sql("select a, country, n from outer_view"), work, "view_of_views")
    one_by_one(spark, "drop view outer_view", "drop view middle_view", "drop view inner_view")


@changing
def view_redefined(spark: SparkSession, work: str) -> object:
    """Every new definition is reported, and readers read the current view."""
    query = "select * from shifting"
    spark.sql("create view shifting as select id, customer from orders")
    write(spark.sql(query), work, "view_redefined")
    spark.sql("create or replace view shifting as select id, day from orders")
    write(spark.sql(query), work, "view_redefined")
    spark.sql("alter view shifting as select id, country from orders join customers on customer = name")
    write(spark.sql(query), work, "view_redefined")
    spark.sql("alter view shifting rename to shifted")
    write(spark.sql("select * from shifted"), work, "view_redefined")
    spark.sql("drop view shifted")


@changing
def view_becomes_a_table(spark: SparkSession, work: str) -> object:
    """The definition of a view that is gone is no flow any more: a table has its name."""
    one_by_one(
        spark,
        "create view turning as select id, customer from orders",
        "drop view turning",
        "create table turning (id bigint, customer string) using parquet",
        "drop table turning",
        "create view turning as select id, customer from orders",
        "drop view turning",
        "create table turning using parquet as select name customer from customers",
        "drop table turning",
    )


@changing
def view_beside_its_table(spark: SparkSession, work: str) -> object:
    """A table that is read itself is an input, whatever views are also read; a view in a subquery is one, too."""
    joined = spark.sql(
        "select o.id, b.who, (select max(amount) from big_orders) most from orders o "
        "join big_orders b on o.id = b.id where o.id in (select id from big_orders where amount > 2)"
    )
    write(joined, work, "view_beside_its_table")


@changing
def view_behind_a_checkpoint(spark: SparkSession, work: str) -> object:
    cut = spark.table("bigger_orders").where("twice > 1").localCheckpoint()
    write(cut.select("who"), work, "view_behind_a_checkpoint")


@changing
def view_behind_a_temporary_one(spark: SparkSession, work: str) -> object:
    """The temporary view is only a name for its query."""
    spark.sql("create or replace temp view passing_by as select upper(who) loud, id from big_orders")
    write(spark.sql("select loud from passing_by"), work, "view_behind_a_temporary_one")
    spark.catalog.dropTempView("passing_by")


@since("4.0")
@changing
def view_with_schema_evolution(spark: SparkSession, work: str) -> object:
    """The view's columns follow its table's; the reader's come from the view alone."""
    spark.sql("create table evolving using parquet as select id, customer from orders")
    spark.sql("create view following with schema evolution as select * from evolving")
    write(spark.sql("select * from following"), work, "view_with_schema_evolution")
    spark.sql("alter table evolving add columns (extra string)")
    write(spark.sql("select id, extra from following"), work, "view_with_schema_evolution")
    one_by_one(spark, "drop view following", "drop table evolving")


@since("4.3")
@changing
def view_of_metrics(spark: SparkSession, work: str) -> object:
    """Plans show the dimensions of a metric view by their names, and its measures as expressions over the source."""
    spark.sql(
        "create view figures with metrics language yaml as $$\n"
        'version: "0.1"\n'
        "source: orders\n"
        "filter: day <> 'tue'\n"
        "dimensions:\n"
        "  - name: buyer\n"
        "    expr: upper(customer)\n"
        "  - name: day\n"
        "    expr: day\n"
        "measures:\n"
        "  - name: total\n"
        "    expr: sum(amount)\n"
        "$$"
    )
    spent = spark.sql("select buyer, day d, measure(total) spent from figures where day > 'a' group by buyer, day")
    write(spent, work, "view_of_metrics")
    spark.sql("drop view figures")


@changing
def v2_written_after_changes(spark: SparkSession, work: str) -> object:
    """What is written after a column has another name, or a table has, knows nothing of the old one."""
    one_by_one(
        spark,
        "create table mem.db.moving (a int, d bigint) using memory",
        "insert into mem.db.moving select 1, id from orders",
        "alter table mem.db.moving rename column d to f",
        "insert into mem.db.moving select 2, id from orders",
        "alter table mem.db.moving add columns (g string)",
        "alter table mem.db.moving drop column a",
        "insert into mem.db.moving select id, customer from orders",
        "alter table mem.db.moving rename to db.moved",
        "insert into mem.db.moved select id, day from orders",
        "drop table mem.db.moved",
    )
