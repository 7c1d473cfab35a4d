"""Cases over Delta Lake: tables and directories that are made, written, read, read as they were, and looked after.

`delta_rows_cases` beside it has MERGE, UPDATE and DELETE, `delta_streams_cases` what streams do. A docstring is what users of
other lineage tools complain of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tests.live.sources.family import Family

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = "id int, name string, v double"
ROWS = "(1, 'a', 1.0), (2, 'b', 2.0)"


def conf(work: str) -> dict[str, str]:
    del work
    return {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",  # VACUUM lists by so many tasks
    }


def prepare(spark: SparkSession, work: str) -> None:
    spark.sql("create database d")
    target(spark, "src")
    target(spark, "other", columns="id int, note string", rows="(1, 'x'), (3, 'z')")
    target(spark, "days", columns="id int, v double, day string", parted="day", rows="(1, 1.0, 'mon'), (2, 2.0, 'tue')")
    spark.sql("create view d.src_view as select id, name, v * 2 v from d.src where v > 0")
    spark.createDataFrame([(1, "p", 9.0), (5, "q", 8.0)], COLUMNS).write.parquet(f"{work}/in/files")
    spark.read.table("d.src").write.format("delta").save(f"{work}/in/delta")


def target(
    spark: SparkSession,
    name: str,
    *,
    columns: str = COLUMNS,
    parted: str = "",
    properties: str = "",
    rows: str = ROWS,
    more: str = "",
) -> None:
    """A Delta table with a few rows."""
    partitioned = f"partitioned by ({parted})" if parted else ""
    of = f"tblproperties ({properties})" if properties else ""
    spark.sql(f"create table d.{name} ({columns}) using delta {partitioned} {more} {of}")
    if rows:
        spark.sql(f"insert into d.{name} values {rows}")


def generated(spark: SparkSession, name: str) -> None:
    """A Delta table whose column `twice` Delta makes of `v`, with a row."""
    tables = spark._jvm.io.delta.tables.DeltaTable
    twice = tables.columnBuilder(spark._jsparkSession, "twice").dataType("double").generatedAlwaysAs("v * 2").build()
    made = tables.create(spark._jsparkSession).tableName(f"d.{name}").addColumn("id", "int").addColumn("v", "double")
    made.addColumn(twice).execute()
    spark.sql(f"insert into d.{name} (id, v) values (1, 1.0)")


DELTA = Family(
    name="delta",
    jars={"3.5": "delta-3.5", "4.2": "delta-4.2"},
    conf=conf,
    prepare=prepare,
    excluded="(Cache )?Delta .*|collect(AsList|ToPython)?|count|head|isEmpty|rdd|deltaTransactionalWrite|toLocalIterator",
)


def statement(name: str, text: str, *before: str) -> None:
    """A case that is one statement, after others that are not recorded."""

    def run(spark: SparkSession, work: str) -> Iterator[None]:
        for each in before:
            spark.sql(each.format(work=work))
        yield
        spark.sql(text.format(work=work))

    run.__module__ = __name__
    DELTA.case_called(name, run)


def on(name: str, run: Callable[[SparkSession, str], object], **made: str) -> None:
    """A case that changes a table `d.<name>`, made before."""

    def case(spark: SparkSession, work: str) -> Iterator[None]:
        target(spark, name, **made)
        yield
        run(spark, work)

    case.__module__ = run.__module__
    DELTA.case_called(name, case)


# ---- made


@DELTA.changing_case
def create_table(spark: SparkSession, work: str) -> None:
    spark.sql(
        "create table d.created (id int, name string comment 'who') using delta comment 'all' partitioned by (id)"
    )
    spark.sql("drop table d.created")


@DELTA.changing_case
def create_table_at_a_path(spark: SparkSession, work: str) -> None:
    spark.sql(f"create table delta.`{work}/out/create_table_at_a_path` (id int) using delta")


@DELTA.changing_case
def create_table_over_a_path(spark: SparkSession, work: str) -> Iterator[None]:
    spark.range(2).write.format("delta").save(f"{work}/out/over")
    yield
    spark.sql(f"create table d.over using delta location '{work}/out/over'")
    spark.sql("insert into d.over select id from d.src")


@DELTA.changing_case
def create_or_replace_without_rows(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "emptied")
    yield
    spark.sql("create or replace table d.emptied (id int, other string) using delta")


@DELTA.changing_case
def made_by_the_builder(spark: SparkSession, work: str) -> None:
    tables = spark._jvm.io.delta.tables.DeltaTable
    made = tables.create(spark._jsparkSession).tableName("d.built").addColumn("id", "int").addColumn("name", "string")
    made.partitionedBy(spark.sparkContext._gateway.new_array(spark._jvm.String, 0)).execute()
    tables.createOrReplace(spark._jsparkSession).tableName("d.built").addColumn("id", "bigint").execute()


statement("create_as_select", "create table d.create_as_select using delta as select id, upper(name) n from d.src")
statement(
    "create_as_select_at_a_location",
    "create table d.located using delta location '{work}/out/located' as select id, v from d.src where v > 1",
)
statement(
    "create_as_select_at_a_path",
    "create table delta.`{work}/out/create_as_select_at_a_path` using delta as select id, v + 1 w from d.src",
)
statement(
    "create_as_select_partitioned",
    "create table d.create_as_select_partitioned using delta partitioned by (name) as select name, v from d.src",
)
statement(
    "create_or_replace_as_select",
    "create or replace table d.replaced using delta as select id, v * 2 w from d.src",
    "create table d.replaced (a int) using delta",
)
statement(
    "replace_from_itself",
    "create or replace table d.replace_from_itself using delta as select id, v + 1 v from d.replace_from_itself",
    "create table d.replace_from_itself using delta as select * from d.src",
)


@DELTA.case
def save_as_table(spark: SparkSession, work: str) -> None:
    rows = spark.table("d.src").selectExpr("id", "v * 2 w")
    rows.write.format("delta").saveAsTable("d.saved")
    rows.write.format("delta").mode("append").saveAsTable("d.saved")


@DELTA.case
def save_as_table_that_overwrites(spark: SparkSession, work: str) -> Iterator[None]:
    """Overwriting a table shows two tables, the one that was and the one that is."""
    target(spark, "overwritten")
    yield
    rows = spark.table("d.src").selectExpr("id", "name", "v * 2 v")
    rows.write.format("delta").mode("overwrite").saveAsTable("d.overwritten")


@DELTA.case
def save_as_table_with_another_schema(spark: SparkSession, work: str) -> Iterator[None]:
    """An overwrite with overwriteSchema leaves the columns of before in the lineage."""
    target(spark, "other_schema")
    yield
    rows = spark.table("d.src").selectExpr("id key", "v * 2 w")
    rows.write.format("delta").mode("overwrite").option("overwriteSchema", "true").saveAsTable("d.other_schema")


@DELTA.case
def write_to(spark: SparkSession, work: str) -> None:
    rows = spark.table("d.src").selectExpr("id", "v * 2 w")
    rows.writeTo("d.write_to").using("delta").create()
    rows.writeTo("d.write_to").append()
    rows.selectExpr("w", "id").writeTo("d.write_to").append()
    rows.writeTo("d.write_to").using("delta").createOrReplace()


@DELTA.case
def write_to_overwrites(spark: SparkSession, work: str) -> Iterator[None]:
    from pyspark.sql.functions import lit

    target(spark, "write_to_overwrites", columns="id int, v double, day string", parted="day", rows="(1, 1.0, 'mon')")
    yield
    rows = spark.table("d.days").where("day = 'mon'")
    rows.writeTo("d.write_to_overwrites").overwrite(lit(True))


@DELTA.case
def a_directory(spark: SparkSession, work: str) -> None:
    rows = spark.read.parquet(f"{work}/in/files").selectExpr("id", "v * 2 w")
    rows.write.format("delta").save(f"{work}/out/directory")
    rows.write.format("delta").mode("append").save(f"{work}/out/directory")
    rows.write.format("delta").mode("overwrite").save(f"{work}/out/directory")


@DELTA.case
def a_directory_with_partitions(spark: SparkSession, work: str) -> None:
    """A partition of a Delta table is a dataset of its own."""
    rows = spark.table("d.days")
    rows.write.format("delta").partitionBy("day").save(f"{work}/out/parted")
    found = spark.read.format("delta").load(f"{work}/out/parted")
    found.where("day = 'mon' and v > 0").selectExpr("id", "day").write.format("delta").save(f"{work}/out/of_parted")


@DELTA.case
def a_write_that_finds_its_target(spark: SparkSession, work: str) -> Iterator[None]:
    """A write that does nothing is shown as one."""
    target(spark, "there")
    yield
    spark.table("d.src").write.format("delta").mode("ignore").saveAsTable("d.there")
    spark.sql("create table if not exists d.there using delta as select * from d.src")


# ---- inserted


def _insert(name: str, text: str, **made: str) -> None:
    def run(spark: SparkSession, work: str) -> None:
        spark.sql(text.format(work=work, target=f"d.{name}"))

    run.__module__ = __name__
    on(name, run, **made)


PARTED = {"columns": "id int, v double, day string", "parted": "day", "rows": "(1, 1.0, 'mon')"}

_insert("insert", "insert into {target} select id, upper(name), v from d.src where v > 1")
_insert("insert_by_name", "insert into {target} by name select v, id, name from d.src")
_insert("insert_into_columns", "insert into {target} (v, id) select v, id from d.src")
_insert("insert_values", "insert into {target} values (7, 'g', 7.0)")
_insert("insert_with_casts", "insert into {target} select cast(id as bigint), name, cast(v as float) from d.src")
_insert("insert_overwrite", "insert overwrite {target} select id, name, v + 1 from d.src_view")
_insert(
    "insert_overwrite_partition", "insert overwrite {target} partition (day = 'mon') select id, v from d.days", **PARTED
)
_insert("insert_a_static_partition", "insert into {target} partition (day = 'wed') select id, v from d.src", **PARTED)
_insert(
    "replace_where",
    "insert into {target} replace where day = 'mon' select id, v, day from d.days where day = 'mon'",
    **PARTED,
)
_insert("insert_from_itself", "insert into {target} select id + 10, name, v from {target}")
_insert(
    "insert_defaults",
    "insert into {target} (id) select id from d.src",
    columns="id int, name string default 'none'",
    properties="'delta.feature.allowColumnDefaults' = 'supported'",
    rows="",
)


@DELTA.case
def insert_generated(spark: SparkSession, work: str) -> Iterator[None]:
    generated(spark, "insert_generated")
    yield
    spark.sql("insert into d.insert_generated (id, v) select id, v from d.src")


@DELTA.case
def insert_identity(spark: SparkSession, work: str) -> Iterator[None]:
    tables = spark._jvm.io.delta.tables.DeltaTable
    number = tables.columnBuilder(spark._jsparkSession, "number").dataType("bigint").generatedAlwaysAsIdentity().build()
    tables.create(spark._jsparkSession).tableName("d.numbered").addColumn(number).addColumn("v", "double").execute()
    yield
    spark.sql("insert into d.numbered (v) select v from d.src")


@DELTA.case
def insert_into_a_path(spark: SparkSession, work: str) -> Iterator[None]:
    spark.table("d.src").limit(0).write.format("delta").save(f"{work}/out/inserted")
    yield
    spark.sql(f"insert into delta.`{work}/out/inserted` select id, name, v from d.src")
    spark.sql(f"insert overwrite delta.`{work}/out/inserted` select id, name, v * 2 from d.src")


@DELTA.case
def insert_into_by_the_frame(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "insert_into_by_the_frame")
    yield
    spark.table("d.src").write.insertInto("d.insert_into_by_the_frame")
    spark.table("d.src").write.insertInto("d.insert_into_by_the_frame", overwrite=True)


@DELTA.case
def append_by_name(spark: SparkSession, work: str) -> Iterator[None]:
    """Columns in another order are taken by their position."""
    target(spark, "append_by_name")
    yield
    spark.table("d.src").selectExpr("v", "name", "id").write.format("delta").mode("append").saveAsTable(
        "d.append_by_name"
    )


@DELTA.case
def append_with_a_new_column(spark: SparkSession, work: str) -> Iterator[None]:
    """A column that mergeSchema adds has no lineage."""
    target(spark, "append_with_a_new_column", columns="id int", rows="(1)")
    yield
    rows = spark.table("d.src").selectExpr("id", "v * 2 added")
    rows.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable("d.append_with_a_new_column")


@DELTA.case
def replace_where_by_option(spark: SparkSession, work: str) -> Iterator[None]:
    """replaceWhere is shown as if all of the table was replaced."""
    target(spark, "replace_where_by_option", **PARTED)
    spark.table("d.days").write.format("delta").partitionBy("day").save(f"{work}/out/replace_where")
    yield
    rows = (
        spark.table("d.days")
        .where("day = 'mon'")
        .write.format("delta")
        .mode("overwrite")
        .option("replaceWhere", "day = 'mon'")
    )
    rows.saveAsTable("d.replace_where_by_option")
    rows.save(f"{work}/out/replace_where")


@DELTA.case
def overwrite_partitions_dynamically(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "dynamic", **PARTED)
    spark.table("d.days").write.format("delta").partitionBy("day").save(f"{work}/out/dynamic")
    yield
    rows = spark.table("d.days").where("v > 1").write.format("delta").mode("overwrite")
    rows.option("partitionOverwriteMode", "dynamic").insertInto("d.dynamic")
    rows.option("partitionOverwriteMode", "dynamic").save(f"{work}/out/dynamic")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        spark.sql("insert overwrite d.dynamic select id, v + 1, day from d.days")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


# ---- read


@DELTA.case
def one_table_by_its_names(spark: SparkSession, work: str) -> None:
    """A table that is read by its path is another dataset than the same table by its name."""
    spark.sql("create table d.forms (id int, v double) using delta")
    spark.sql("insert into d.forms select id, v from d.src")
    location = spark.sql("describe detail d.forms").first()["location"]
    for i, rows in enumerate(
        (
            spark.table("d.forms"),
            spark.table("spark_catalog.d.forms"),
            spark.read.format("delta").load(location),
            spark.sql(f"select * from delta.`{location}`"),
        )
    ):
        rows.selectExpr("id", "v").write.parquet(f"{work}/out/forms_{i}")
    spark.table("d.src").select("id", "v").write.format("delta").mode("append").save(location)
    spark.sql(f"update delta.`{location}` set v = v + 1")


@DELTA.case
def joined_with_a_directory(spark: SparkSession, work: str) -> None:
    """Of a query over several Delta tables only one is an input."""
    files = spark.read.format("delta").load(f"{work}/in/delta").alias("f")
    rows = spark.table("d.other").alias("o").join(files, "id").where("f.v > 0").selectExpr("id", "o.note", "f.v")
    rows.write.format("delta").save(f"{work}/out/joined")


@DELTA.case
def the_version_before(spark: SparkSession, work: str) -> Iterator[None]:
    """Time travel makes a dataset of its own of each version."""
    target(spark, "travelled")
    spark.sql("insert into d.travelled values (9, 'z', 9.0)")
    yield
    spark.sql("create table d.by_version using delta as select id, v from d.travelled version as of 1")
    spark.read.option("versionAsOf", 1).table("d.travelled").select("id", "v").write.parquet(f"{work}/out/by_option")
    spark.sql("insert into d.travelled select * from d.travelled version as of 1")


@DELTA.case
def the_time_before(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "timed")
    spark.sql("insert into d.timed values (9, 'z', 9.0)")
    at = spark.sql("describe history d.timed").orderBy("version").collect()[1]["timestamp"]
    yield
    spark.sql(f"create table d.by_time using delta as select id, v from d.timed timestamp as of '{at}'")
    spark.read.option("timestampAsOf", str(at)).table("d.timed").select("id", "v").write.parquet(f"{work}/out/by_time")


@DELTA.case
def the_version_before_of_a_path(spark: SparkSession, work: str) -> Iterator[None]:
    path = f"{work}/out/travelled"
    for _ in range(2):
        spark.table("d.src").write.format("delta").mode("append").save(path)
    yield
    reader = spark.read.format("delta")
    reader.option("versionAsOf", 0).load(path).select("id").write.format("delta").save(f"{work}/out/path_by_option")
    spark.read.format("delta").load(f"{path}@v0").select("id").write.format("delta").save(f"{work}/out/path_by_suffix")
    spark.sql(f"create table d.path_by_sql using delta as select id from delta.`{path}` version as of 0")
    spark.sql(f"insert into d.path_by_sql select id from delta.`{path}@v0`")


@DELTA.case
def two_versions_of_a_table(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "twice")
    spark.sql("insert into d.twice values (9, 'z', 9.0)")
    yield
    spark.sql(
        "create table d.both using delta as select n.id, n.v - o.v grown from d.twice n "
        "join d.twice version as of 1 o on n.id = o.id"
    )


@DELTA.case
def changes(spark: SparkSession, work: str) -> Iterator[None]:
    """A query over the change data feed has no input."""
    target(spark, "fed", properties="'delta.enableChangeDataFeed' = 'true'")
    spark.sql("update d.fed set v = v + 1 where id = 1")
    path = spark.sql("describe detail d.fed").first()["location"]
    yield
    spark.sql("create table d.changed using delta as select id, v, _change_type kind from table_changes('d.fed', 1, 2)")
    feed = spark.read.option("readChangeFeed", "true").option("startingVersion", 1)
    feed.table("d.fed").select("id", "_commit_version").write.parquet(f"{work}/out/changed")
    feed.format("delta").load(path).select("id", "v").write.parquet(f"{work}/out/changed_by_path")


@DELTA.case
def a_view_over_a_table(spark: SparkSession, work: str) -> None:
    """A view over a Delta table is not there between table and report."""
    spark.sql("create view d.large as select id, v from d.src where v > 1")
    spark.sql("create table d.of_view using delta as select id, v * 2 w from d.large")


@DELTA.case
def cached(spark: SparkSession, work: str) -> None:
    rows = spark.table("d.src").where("v > 0").cache()
    rows.count()
    rows.select("id").write.format("delta").save(f"{work}/out/cached")
    rows.unpersist()


@DELTA.case
def checkpointed(spark: SparkSession, work: str) -> None:
    rows = spark.table("d.src").where("v > 0").localCheckpoint()
    rows.selectExpr("id", "v * 2 w").write.format("delta").save(f"{work}/out/checkpointed")


# ---- cloned, restored, converted


@DELTA.case
def shallow_clone(spark: SparkSession, work: str) -> Iterator[None]:
    """A clone has no lineage to what it was cloned from."""
    target(spark, "cloned_from")
    spark.sql("insert into d.cloned_from values (9, 'z', 9.0)")
    yield
    spark.sql("create table d.cloned shallow clone d.cloned_from")
    spark.sql("create table d.cloned_version shallow clone d.cloned_from version as of 1")
    spark.sql(f"create table d.cloned_path shallow clone delta.`{work}/in/delta`")
    spark.sql(f"create table delta.`{work}/out/cloned` shallow clone d.cloned_from")


@DELTA.case
def clone_of_files(spark: SparkSession, work: str) -> None:
    spark.sql(f"create table d.cloned_files shallow clone parquet.`{work}/in/files`")


@DELTA.case
def clone_by_the_api(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "cloned_by_api")
    yield
    table = spark._jvm.io.delta.tables.DeltaTable.forName(spark._jsparkSession, "d.cloned_by_api")
    table.clone(f"{work}/out/cloned_by_api", True, False)


@DELTA.case
def restored(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "restored")
    spark.sql("insert into d.restored values (9, 'z', 9.0)")
    yield
    spark.sql("restore table d.restored to version as of 1")
    spark._jvm.io.delta.tables.DeltaTable.forName(spark._jsparkSession, "d.restored").restoreToVersion(0)


@DELTA.case
def converted(spark: SparkSession, work: str) -> Iterator[None]:
    spark.range(3).write.parquet(f"{work}/out/converted")
    spark.range(3).write.format("parquet").saveAsTable("d.converted")
    yield
    spark.sql(f"convert to delta parquet.`{work}/out/converted`")
    spark.sql("convert to delta d.converted")
    spark.sql("insert into d.converted select id from d.src")


@DELTA.only(since="4.0")
def looked_after(spark: SparkSession, work: str) -> Iterator[None]:
    """Maintenance of a table is shown as a flow of the table into itself."""
    target(spark, "kept", **PARTED)
    spark.sql("insert into d.kept values (2, 2.0, 'mon')")
    yield
    for text in (
        "optimize d.kept",
        "optimize d.kept zorder by (id)",
        "vacuum d.kept",
        "vacuum d.kept dry run",
        "describe history d.kept",
        "describe detail d.kept",
        "generate symlink_format_manifest for table d.kept",
        "show columns in d.kept",
        "reorg table d.kept apply (purge)",
        "alter table d.kept set tblproperties ('team' = 'sales')",
        "alter table d.kept add constraint positive check (v > 0)",
        "alter table d.kept drop constraint positive",
        "truncate table d.kept",
    ):
        spark.sql(text).collect()


@DELTA.case
def looked_after_by_the_api(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "kept_by_api")
    yield
    table = spark._jvm.io.delta.tables.DeltaTable.forName(spark._jsparkSession, "d.kept_by_api")
    table.optimize().executeCompaction()
    table.history().count()
    table.detail().count()
    table.vacuum()
    table.toDF().count()


@DELTA.case
def checkpoints_and_statistics(spark: SparkSession, work: str) -> Iterator[None]:
    """What Delta reads of its own log is shown as inputs and flows."""
    target(spark, "often", columns="id int", rows="(0)", properties="'delta.checkpointInterval' = '3'")
    yield
    for _ in range(3):
        spark.sql("insert into d.often select id from d.src")
    spark.table("d.often").write.format("delta").save(f"{work}/out/often")


@DELTA.case
def liquid_clustering(spark: SparkSession, work: str) -> None:
    spark.sql("create table d.clustered (id int, name string, v double) using delta cluster by (id)")
    spark.sql("insert into d.clustered select * from d.src")
    spark.sql("create table d.clustered_as_select using delta cluster by (id) as select id, v from d.src")
    spark.sql("optimize d.clustered")


# ---- changed


@DELTA.changing_case
def column_mapping(spark: SparkSession, work: str) -> None:
    """After a column was renamed its lineage is under the name that it had."""
    mapped = "'delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5'"
    spark.sql(f"create table d.mapped (id int, name string, v double) using delta tblproperties ({mapped})")
    spark.sql("insert into d.mapped select * from d.src")
    spark.sql("alter table d.mapped rename column v to amount")
    spark.sql("alter table d.mapped drop column name")
    spark.sql("insert into d.mapped select id, v * 2 from d.src")
    spark.sql("create table d.of_mapped using delta as select id, amount from d.mapped")
    spark.sql("update d.mapped set amount = amount + 1 where id = 1")


@DELTA.changing_case
def altered(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "altered")
    yield
    spark.sql("alter table d.altered add columns (added string comment 'new')")
    spark.sql("alter table d.altered alter column added comment 'newer'")
    spark.sql("insert into d.altered select id, name, v, name from d.src")
    spark.sql("alter table d.altered rename to d.altered_since")
    spark.sql("drop table d.altered_since")
