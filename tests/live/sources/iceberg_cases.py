"""Cases over Apache Iceberg, by its Spark runtime: a catalog of directories (`ic`), one in memory, which has views too
(`mem`), and Iceberg tables of the session catalog.

Row-level commands run on a table that is rewritten (`copied`) and on one with delete files (`marked`): what
they mean is the same. A docstring is a report of users of other tools.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.live.sources.family import Family

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GOODS = "pk int, name string, price double"
MODES = {"copied": "copy-on-write", "marked": "merge-on-read"}
TARGETS = [f"ic.db.{name}" for name in MODES]


def conf(work: str) -> dict[str, str]:
    """Spark's configuration of the catalogs."""
    key = "spark.sql.catalog"
    catalog = "org.apache.iceberg.spark.SparkCatalog"
    made = {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.shuffle.partitions": "1",
        f"{key}.spark_catalog": "org.apache.iceberg.spark.SparkSessionCatalog",
        f"{key}.spark_catalog.type": "hadoop",
        f"{key}.spark_catalog.warehouse": f"{work}/warehouse",
        f"{key}.mem.catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
        f"{key}.mem.warehouse": f"{work}/mem",
    }
    for name in ("ic", "other"):
        made |= {f"{key}.{name}.type": "hadoop", f"{key}.{name}.warehouse": f"{work}/{name}"}
    return made | {f"{key}.{name}": catalog for name in ("ic", "other", "mem")}


def prepare(spark: SparkSession, work: str) -> None:
    run(
        spark,
        "create namespace ic.db",
        "create namespace other.db",
        "create namespace mem.db",
        "create table ic.db.orders (id int, customer string, amount double)",
        "insert into ic.db.orders values (1, 'a', 2.0), (2, 'b', 3.0)",
        f"create table ic.db.source ({GOODS}, note string)",
        "insert into ic.db.source values (1, 'x', 5.0, null), (3, 'z', 7.0, 'gone')",
        *(
            f"create table ic.db.{name} ({GOODS}) tblproperties ('format-version' = '2', 'write.merge.mode' = '{mode}',"
            f" 'write.update.mode' = '{mode}', 'write.delete.mode' = '{mode}')"
            for name, mode in MODES.items()
        ),
        *(f"insert into {target} values (1, 'a', 1.0), (2, 'b', 2.0), (4, 'd', -1.0)" for target in TARGETS),
        "create table ic.db.sink (k string, v double)",
        "insert into ic.db.sink values ('k', 1.0)",
    )


def run(spark: SparkSession, *statements: str) -> None:
    for statement in statements:
        spark.sql(statement)


def orders(spark: SparkSession) -> DataFrame:
    return spark.table("ic.db.orders")


ICEBERG = Family(name="iceberg", jars={"3.5": "iceberg-3.5", "4.1": "iceberg-4.1"}, conf=conf, prepare=prepare)
case, changing = ICEBERG.case, ICEBERG.changing_case


# ---- tables that are made


@changing
def created(spark: SparkSession, work: str) -> None:
    """A catalog of its own posts no events: tables that were made, renamed and dropped stayed unknown."""
    run(
        spark,
        "create namespace if not exists mem.made",
        "create table mem.made.plain (a int comment 'first', b string, ts timestamp) using iceberg partitioned by (days(ts), "
        "bucket(4, a)) comment 'made here' tblproperties ('team' = 'sales')",
        "alter table mem.made.plain rename to made.named",
        "drop table mem.made.named purge",
    )


@changing
def created_as(spark: SparkSession, work: str) -> None:
    run(
        spark,
        "create table ic.db.made using iceberg partitioned by (customer) as select id, customer from ic.db.orders",
        "replace table ic.db.made as select customer, amount * 2 twice from ic.db.orders",
        "create or replace table ic.db.made as select count(*) n from ic.db.orders",
        "create table if not exists ic.db.made as select id from ic.db.orders",
        "drop table ic.db.made",
    )


@case
def created_by_frames(spark: SparkSession, work: str) -> None:
    rows = orders(spark).selectExpr("customer k", "amount v")
    rows.writeTo("ic.db.framed").using("iceberg").tableProperty("team", "sales").create()
    rows.select("v").writeTo("ic.db.framed").replace()
    rows.selectExpr("v + 1 w").writeTo("ic.db.framed").createOrReplace()
    rows.write.format("iceberg").mode("overwrite").saveAsTable("ic.db.framed")
    rows.write.format("iceberg").mode("append").saveAsTable("ic.db.framed")
    spark.sql("drop table ic.db.framed")


@case
def created_from_itself(spark: SparkSession, work: str) -> Iterator[None]:
    """A table that replaces itself lost what it was made of."""
    run(spark, "drop table if exists ic.db.again", "create table ic.db.again as select 1 a, 2 b")
    yield
    run(spark, "create or replace table ic.db.again as select a + b c from ic.db.again")


# ---- writes


@case
def inserted(spark: SparkSession, work: str) -> None:
    run(
        spark,
        "insert into ic.db.sink select customer, sum(amount) from ic.db.orders group by customer",
        "insert into ic.db.sink (v, k) select amount, customer from ic.db.orders",
        "insert into ic.db.sink by name select amount v, customer k from ic.db.orders",
        "insert into ic.db.sink values ('x', 1.0)",
    )


@case
def overwritten(spark: SparkSession, work: str) -> Iterator[None]:
    """An overwrite was shown as two tables, one of them the directory."""
    run(
        spark,
        "drop table if exists ic.db.parted",
        "create table ic.db.parted (k string, v double, day string) partitioned by (day)",
    )
    yield
    run(spark, "insert overwrite ic.db.sink select customer, amount from ic.db.orders")
    part = "insert overwrite ic.db.parted partition (day = 'mon') select customer, amount from ic.db.orders"
    every = "insert overwrite ic.db.parted select customer, amount, 'tue' from ic.db.orders"
    for mode in ("static", "dynamic"):
        spark.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
        run(spark, part, every)
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


@case
def written_by_frames(spark: SparkSession, work: str) -> None:
    from pyspark.sql.functions import lit

    rows = orders(spark).selectExpr("customer k", "amount v")
    rows.writeTo("ic.db.sink").append()
    rows.writeTo("ic.db.sink").overwritePartitions()
    rows.writeTo("ic.db.sink").overwrite(lit(True))
    rows.write.mode("overwrite").option("overwrite-mode", "dynamic").insertInto("ic.db.sink")


@case
def saved_and_loaded(spark: SparkSession, work: str) -> None:
    """A table that `save` names by catalog and `load` by its path was two."""
    rows = orders(spark).selectExpr("customer k", "amount v")
    rows.write.format("iceberg").mode("append").save("ic.db.sink")
    rows.write.format("iceberg").mode("overwrite").save("ic.db.sink")
    rows.write.format("iceberg").mode("append").save(f"{work}/ic/db/sink")
    loaded = spark.read.format("iceberg").load(f"{work}/ic/db/sink")
    loaded.write.mode("overwrite").parquet(f"{work}/out/loaded")
    spark.read.format("iceberg").load("ic.db.sink").write.mode("overwrite").parquet(f"{work}/out/loaded")


@case
def a_path_of_no_catalog(spark: SparkSession, work: str) -> Iterator[None]:
    """A table that only its path names was called by its metadata."""
    run(spark, "create table other.db.elsewhere (a int, b string)")
    yield
    spark.sql("select id, customer from ic.db.orders").createOrReplaceTempView("few")
    few = spark.table("few").selectExpr("id a", "customer b")
    few.write.format("iceberg").mode("append").save(f"{work}/other/db/elsewhere")
    loaded = spark.read.format("iceberg").load(f"{work}/other/db/elsewhere")
    loaded.write.mode("overwrite").parquet(f"{work}/out/elsewhere")


@case
def session_catalog(spark: SparkSession, work: str) -> Iterator[None]:
    run(spark, "drop table if exists default.mine")
    yield
    run(
        spark,
        "create table default.mine using iceberg as select id, customer from ic.db.orders",
        "insert into spark_catalog.default.mine select id, customer from ic.db.orders",
        "insert into ic.db.sink select customer, id from mine",
        "delete from default.mine where id = 1",
        "merge into default.mine t using ic.db.source s on t.id = s.pk when matched then update set customer = s.name",
    )
    path = spark.read.format("iceberg").load(f"{work}/warehouse/default/mine")
    path.write.mode("overwrite").parquet(f"{work}/out/mine")


@case
def other_formats_beside_it(spark: SparkSession, work: str) -> Iterator[None]:
    """With Iceberg's session catalog the tables of other formats must stay as they are."""
    run(spark, "drop table if exists default.plain")
    yield
    run(
        spark,
        "create table default.plain using parquet as select id, customer from ic.db.orders",
        "insert into default.plain select id, customer from ic.db.orders",
        "insert into ic.db.sink select customer, id from default.plain",
    )


@case
def in_memory(spark: SparkSession, work: str) -> None:
    run(
        spark,
        "create table mem.db.kept as select id, upper(customer) customer from ic.db.orders",
        "insert into mem.db.kept select id, customer from ic.db.orders",
        "drop table mem.db.kept",
    )


@case
def new_columns_by_name(spark: SparkSession, work: str) -> Iterator[None]:
    """Columns that a write adds (`mergeSchema`) were missing."""
    run(
        spark,
        "drop table if exists ic.db.growing",
        "create table ic.db.growing (k string) tblproperties ('write.spark.accept-any-schema' = 'true')",
    )
    yield
    rows = orders(spark).selectExpr("customer k", "amount v")
    rows.writeTo("ic.db.growing").option("mergeSchema", "true").append()
    run(spark, "insert into ic.db.sink select k, v from ic.db.growing")


# ---- row-level commands


@case
def merged(spark: SparkSession, work: str) -> None:
    """A MERGE lost its inputs, and all columns that are no bare copies."""
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using ic.db.source s on t.pk = s.pk when matched and s.note = 'gone' then delete "
            "when matched and s.price > t.price then update set name = concat(t.name, s.name), price = s.price "
            "when not matched and s.note is null then insert (pk, name, price) values (s.pk, upper(s.name), 1.5) "
            "when not matched by source and t.price < 0 then update set name = 'none'",
        )


@case
def merged_whole(spark: SparkSession, work: str) -> None:
    """UPDATE SET * and INSERT * had no columns."""
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using (select pk, name, price from ic.db.source) s on t.pk = s.pk "
            "when matched then update set * when not matched then insert *",
        )


@ICEBERG.only(until="3.5")
def merged_after_with_column(spark: SparkSession, work: str) -> None:
    """A MERGE of a frame after withColumn lost its input. Spark 4.1 has no plan for it; `merged_by_frames` is its like there."""
    from pyspark.sql.functions import col

    rows = spark.table("ic.db.source").withColumn("price", col("price") * 2).withColumn("name", col("note"))
    rows.createOrReplaceTempView("changes")
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using changes s on t.pk = s.pk when matched then update set price = s.price, "
            "name = s.name when not matched then insert (pk, price) values (s.pk, s.price)",
        )


@case
def merged_from_a_temporary_view(spark: SparkSession, work: str) -> None:
    """A MERGE from a temporary view had the view as input, or none."""
    run(spark, "create or replace temporary view twice as select pk, note name, price * 2 price from ic.db.source")
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using twice s on t.pk = s.pk when matched then update set price = s.price, "
            "name = s.name when not matched then insert (pk, price) values (s.pk, s.price)",
        )


@case
def merged_from_rows_of_the_driver(spark: SparkSession, work: str) -> None:
    """A MERGE of rows that no table holds had no output either."""
    spark.createDataFrame([(1, "n")], "pk int, name string").createOrReplaceTempView("mine")
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using mine s on t.pk = s.pk when matched then update set name = s.name",
        )


@case
def merged_from_a_view(spark: SparkSession, work: str) -> Iterator[None]:
    """A MERGE from a persisted view showed the tables below it, or nothing."""
    run(spark, "drop view if exists mem.db.cheap")
    run(spark, "create view mem.db.cheap as select pk, name from ic.db.source where price < 6")
    yield
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using mem.db.cheap s on t.pk = s.pk when matched then update set name = s.name",
        )


@case
def merged_from_a_join(spark: SparkSession, work: str) -> None:
    """Of a join below MERGE only one side was an input."""
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using (select s.pk, o.customer from ic.db.source s join ic.db.orders o on s.pk = o.id) s "
            "on t.pk = s.pk when matched then update set name = s.customer",
        )


@case
def merged_from_a_cte(spark: SparkSession, work: str) -> None:
    """A MERGE under WITH lost the query that it names."""
    for target in TARGETS:
        run(
            spark,
            "with best as (select pk, max(price) price from ic.db.source group by pk) "
            f"merge into {target} t using best s on t.pk = s.pk when matched then update set price = s.price "
            "when not matched then insert (pk, price) values (s.pk, s.price)",
        )


@case
def merged_with_itself(spark: SparkSession, work: str) -> None:
    """A MERGE of a table with itself had no input, because it equals the output."""
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using (select pk, name from {target} where price > 1) s on t.pk = s.pk + 1 "
            "when matched then update set name = s.name",
        )


@case
def merged_only_inserts(spark: SparkSession, work: str) -> None:
    """A MERGE without a matched clause was no MERGE any more."""
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using ic.db.source s on t.pk = s.pk when not matched then "
            "insert (pk, name, price) values (s.pk, s.name, s.price)",
        )


@case
def merged_only_deletes(spark: SparkSession, work: str) -> None:
    """A MERGE that only deletes was shown as a copy of every column."""
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using ic.db.source s on t.pk = s.pk when matched and s.note = 'none' then delete",
        )


@case
def merged_with_a_subquery(spark: SparkSession, work: str) -> None:
    """A subquery in the source of a MERGE was not read."""
    for target in TARGETS:
        run(
            spark,
            f"merge into {target} t using (select pk, name from ic.db.source where pk in (select id from ic.db.orders)) s "
            "on t.pk = s.pk when matched then update set name = s.name",
        )


@ICEBERG.only(since="4.1")
def merged_with_new_columns(spark: SparkSession, work: str) -> Iterator[None]:
    """MERGE WITH SCHEMA EVOLUTION was not understood."""
    for name in ("copied", "marked"):
        run(
            spark,
            f"drop table if exists ic.db.wider_{name}",
            f"create table ic.db.wider_{name} (pk int, name string) tblproperties ('write.merge.mode' = '{MODES[name]}')",
        )
    yield
    for name in ("copied", "marked"):
        run(
            spark,
            f"merge with schema evolution into ic.db.wider_{name} t using ic.db.source s on t.pk = s.pk "
            "when matched then update set * when not matched then insert *",
        )


@ICEBERG.only(since="4.0")
def merged_by_frames(spark: SparkSession, work: str) -> None:
    """`mergeInto` of the DataFrame API, after withColumn too, showed nothing."""
    from pyspark.sql.functions import col, upper

    rows = spark.table("ic.db.source").withColumn("price", col("price") * 2).where("price > 1").alias("s")
    for target in TARGETS:
        merge = rows.mergeInto(target, col(f"{target}.pk") == col("s.pk"))
        update = merge.whenMatched(col("s.note").isNull()).update({"name": upper(col("s.name"))})
        update.whenNotMatched().insert({"pk": col("s.pk"), "price": col("s.price")}).merge()


@case
def updated(spark: SparkSession, work: str) -> None:
    """An UPDATE had no output."""
    for target in TARGETS:
        run(spark, f"update {target} set name = upper(name), price = price + pk where price > 1")


@case
def updated_all(spark: SparkSession, work: str) -> None:
    """An UPDATE without WHERE was shown as a copy of the table into itself."""
    for target in TARGETS:
        run(spark, f"update {target} set name = 'same'")


@case
def updated_by_a_subquery(spark: SparkSession, work: str) -> None:
    """The table in a subquery of UPDATE was no input."""
    for target in TARGETS:
        run(
            spark,
            f"update {target} set name = 'x' where pk in (select pk from ic.db.source where note = 'gone')",
            f"update {target} set price = (select max(amount) from ic.db.orders) where pk = 1",
        )


@case
def deleted(spark: SparkSession, work: str) -> None:
    """A DELETE had no output, and what it keeps was shown as copied."""
    for target in TARGETS:
        run(spark, f"delete from {target} where price > 50 or name = 'x'")


@case
def deleted_by_a_subquery(spark: SparkSession, work: str) -> None:
    """The table in an IN or EXISTS of DELETE was no input."""
    for target in TARGETS:
        run(
            spark,
            f"delete from {target} where pk in (select id from ic.db.orders where amount > 100)",
            f"delete from {target} g where exists (select 1 from ic.db.source s where s.note = g.name)",
        )


@case
def deleted_by_metadata(spark: SparkSession, work: str) -> Iterator[None]:
    """A DELETE of whole partitions, which rewrites no file, was not seen."""
    run(
        spark,
        "drop table if exists ic.db.days",
        "create table ic.db.days (k string, day string) partitioned by (day)",
        "insert into ic.db.days values ('a', 'mon'), ('b', 'tue')",
    )
    yield
    run(spark, "delete from ic.db.days where day = 'mon'", "delete from ic.db.days", "truncate table ic.db.days")


# ---- time travel, branches, increments


def history(spark: SparkSession, name: str) -> list[int]:
    """Return a table of two snapshots, by their ids."""
    run(
        spark,
        f"drop table if exists ic.db.{name}",
        f"create table ic.db.{name} (k string, v double)",
        f"insert into ic.db.{name} values ('a', 1.0)",
        f"insert into ic.db.{name} values ('b', 2.0)",
    )
    rows = spark.sql(f"select snapshot_id from ic.db.{name}.snapshots order by committed_at").collect()
    return [row[0] for row in rows]


@case
def read_as_of(spark: SparkSession, work: str) -> Iterator[None]:
    """A table that is read as of a version, tag or branch had another name."""
    first, _ = history(spark, "versioned")
    run(
        spark,
        f"alter table ic.db.versioned create tag old as of version {first}",
        "alter table ic.db.versioned create branch audit",
    )
    yield
    insert = "insert into ic.db.sink select k, v from ic.db.versioned"
    run(
        spark,
        f"{insert} version as of {first}",
        f"{insert} timestamp as of now()",
        f"{insert} version as of 'old'",
        f"{insert} version as of 'audit'",
        f"{insert}.branch_audit",
        f"{insert}.tag_old",
        f"{insert}.snapshot_id_{first}",
    )


@ICEBERG.only(until="3.5")
def read_as_of_by_options(spark: SparkSession, work: str) -> Iterator[None]:
    """A snapshot in the options was part of the name."""
    first, second = history(spark, "opted")
    run(
        spark,
        f"alter table ic.db.opted create tag old as of version {first}",
        "alter table ic.db.opted create branch audit",
    )
    yield
    options = [{"snapshot-id": str(first)}, {"tag": "old"}, {"branch": "audit"}]
    options.append({"start-snapshot-id": str(first), "end-snapshot-id": str(second)})
    for each in options:
        spark.read.format("iceberg").options(**each).load("ic.db.opted").writeTo("ic.db.sink").append()
    by_path = spark.read.format("iceberg").option("snapshot-id", str(first)).load(f"{work}/ic/db/opted")
    by_path.writeTo("ic.db.sink").append()


@case
def written_to_a_branch(spark: SparkSession, work: str) -> Iterator[None]:
    """A branch that is written was a table of its own, `branch_audit`."""
    history(spark, "branched")
    run(spark, "alter table ic.db.branched create branch audit")
    yield
    run(
        spark,
        "insert into ic.db.branched.branch_audit select customer, amount from ic.db.orders",
        "update ic.db.branched.branch_audit set v = v + 1 where k = 'a'",
        "merge into ic.db.branched.branch_audit t using ic.db.orders s on t.k = s.customer "
        "when matched then update set v = s.amount",
        "delete from ic.db.branched.branch_audit where v > 100",
    )
    orders(spark).selectExpr("customer k", "amount v").writeTo("ic.db.branched.branch_audit").append()
    spark.conf.set("spark.wap.branch", "audit")
    run(spark, "alter table ic.db.branched set tblproperties ('write.wap.enabled' = 'true')")
    run(spark, "insert into ic.db.branched select customer, amount from ic.db.orders")
    spark.conf.unset("spark.wap.branch")


@case
def changes_read(spark: SparkSession, work: str) -> Iterator[None]:
    """What is read of a table's changes was no input."""
    history(spark, "changed")
    yield
    run(
        spark,
        "call ic.system.create_changelog_view(table => 'db.changed', changelog_view => 'what_changed')",
        "insert into ic.db.sink select k, v from what_changed where _change_type = 'INSERT'",
        "insert into ic.db.sink select k, v from ic.db.changed.changes",
    )


@case
def metadata_read(spark: SparkSession, work: str) -> None:
    """A report over snapshots and files was shown as a reader of the table's rows."""
    parts = {
        "snapshots": "operation",
        "files": "file_path",
        "history": "is_current_ancestor",
        "partitions": "file_count",
    }
    for table, column in parts.items():
        spark.sql(f"select {column} from ic.db.orders.{table}").write.mode("overwrite").csv(f"{work}/out/{table}")
    loaded = spark.read.format("iceberg").load("ic.db.orders.manifests").select("path")
    loaded.write.mode("overwrite").csv(f"{work}/out/manifests")
    loaded = spark.read.format("iceberg").load(f"{work}/ic/db/orders#files").select("file_path")
    loaded.write.mode("overwrite").csv(f"{work}/out/of_path")


@case
def metadata_columns(spark: SparkSession, work: str) -> None:
    run(spark, "insert into ic.db.sink select _file, _pos + amount from ic.db.orders")


# ---- what changes no rows


@case
def procedures(spark: SparkSession, work: str) -> Iterator[None]:
    """Maintenance was shown as a flow of the table into itself."""
    first, second = history(spark, "kept")
    yield
    run(
        spark,
        "call ic.system.rewrite_data_files(table => 'db.kept', options => map('rewrite-all', 'true'))",
        "call ic.system.rewrite_data_files(table => 'db.kept', strategy => 'sort', sort_order => 'k', "
        "options => map('rewrite-all', 'true'))",
        "call ic.system.rewrite_manifests('db.kept')",
        "call ic.system.rewrite_position_delete_files('db.kept')",
        f"call ic.system.rollback_to_snapshot('db.kept', {first})",
        f"call ic.system.set_current_snapshot('db.kept', {second})",
        "call ic.system.ancestors_of('db.kept')",
        "call ic.system.compute_table_stats('db.kept')",
        "call ic.system.expire_snapshots(table => 'db.kept', retain_last => 1)",
        "call ic.system.remove_orphan_files(table => 'db.kept', dry_run => true)",
    )


@case
def tables_taken_over(spark: SparkSession, work: str) -> Iterator[None]:
    """`snapshot` and `add_files`, which make a table of existing files, were not seen."""
    run(
        spark,
        "drop table if exists default.old",
        "create table default.old using parquet as select 1 a",
        "create table ic.db.added (a int)",
        f"insert overwrite directory '{work}/loose' using parquet select 2 a",
    )
    yield
    run(
        spark,
        "call ic.system.snapshot('spark_catalog.default.old', 'ic.db.taken')",
        "/* of a table */ call ic.system.add_files('ic.db.added', 'spark_catalog.default.old')",
        f"call ic.system.add_files(source_table => '`parquet`.`{work}/loose`', table => 'db.added')",
        "insert into ic.db.sink select 'k', a from ic.db.taken",
    )


@changing
def altered(spark: SparkSession, work: str) -> None:
    run(
        spark,
        "create table mem.db.altered (a int, b string, ts timestamp, c int)",
        "alter table mem.db.altered add columns (d bigint comment 'more')",
        "alter table mem.db.altered rename column d to f",
        "alter table mem.db.altered drop column c",
        "alter table mem.db.altered alter column a type bigint",
        "alter table mem.db.altered alter column a comment 'one'",
        "alter table mem.db.altered set tblproperties ('team' = 'all')",
        "alter table mem.db.altered add partition field bucket(4, a)",
        "alter table mem.db.altered add partition field days(ts) as day",
        "alter table mem.db.altered replace partition field day with hours(ts)",
        "alter table mem.db.altered drop partition field bucket(4, a)",
        "alter table mem.db.altered write ordered by a",
        "alter table mem.db.altered write unordered",
        "describe mem.db.altered",
        "drop table mem.db.altered",
    )


@case
def refs(spark: SparkSession, work: str) -> Iterator[None]:
    history(spark, "marked_up")
    yield
    run(
        spark,
        "alter table ic.db.marked_up create branch b1",
        "alter table ic.db.marked_up create or replace tag t1",
        "alter table ic.db.marked_up drop branch b1",
        "alter table ic.db.marked_up drop tag t1",
        "alter table ic.db.marked_up alter column k comment 'key'",
        "show tables in ic.db",
        "describe extended ic.db.marked_up",
    )


# ---- views


@changing
def views(spark: SparkSession, work: str) -> Iterator[None]:
    """A view of an Iceberg catalog was not understood, and its readers had no input."""
    run(
        spark,
        "drop view if exists mem.db.second",
        "drop table if exists mem.db.base",
        "create table mem.db.base (id int, customer string)",
        "insert into mem.db.base values (1, 'a')",
    )
    yield
    run(
        spark,
        "create view mem.db.first as select id, upper(customer) c from mem.db.base where id > 0",
        "insert into ic.db.sink select c, id from mem.db.first",
        "create or replace view mem.db.first (c, n) comment 'counted' as "
        "select customer, count(*) from mem.db.base group by customer",
        "create view if not exists mem.db.first as select 1 one",
        "insert into ic.db.sink select c, n from mem.db.first",
        "alter view mem.db.first rename to mem.db.second",
        "insert into ic.db.sink select c, n from mem.db.second",
        "drop view mem.db.second",
    )


# ---- streams


@case
def streamed(spark: SparkSession, work: str) -> Iterator[None]:
    """A stream into an Iceberg table lost its output."""
    history(spark, "flowing")
    run(spark, "drop table if exists ic.db.arrived", "create table ic.db.arrived (k string, v double)")
    yield
    stream = spark.readStream.format("iceberg").load("ic.db.flowing").selectExpr("upper(k) k", "v")
    query = stream.writeStream.option("checkpointLocation", f"{work}/checkpoint").trigger(availableNow=True)
    query.toTable("ic.db.arrived").awaitTermination()


@case
def streamed_between_tables(spark: SparkSession, work: str) -> Iterator[None]:
    """A table that is read by its name, and one that the stream makes."""
    history(spark, "running")
    run(spark, "drop table if exists ic.db.run")
    yield
    stream = spark.readStream.table("ic.db.running").select("v").writeStream.trigger(availableNow=True)
    stream.option("checkpointLocation", f"{work}/checkpoint-tables").toTable("ic.db.run").awaitTermination()


@case
def streamed_by_format(spark: SparkSession, work: str) -> Iterator[None]:
    """No catalog of Spark is used for a table that only the format's options name."""
    history(spark, "walking")
    run(spark, "drop table if exists ic.db.walked", "create table ic.db.walked (k string, v double)")
    yield
    stream = spark.readStream.format("iceberg").load("ic.db.walking").writeStream.format("iceberg")
    stream = stream.option("checkpointLocation", f"{work}/checkpoint-format").trigger(availableNow=True)
    stream.option("path", "ic.db.walked").start().awaitTermination()
