"""MERGE, UPDATE and DELETE over Delta Lake, in SQL and by `DeltaTable`.

A docstring is what users of other lineage tools complain of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.live.sources.delta_cases import DELTA, PARTED, generated, on, target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_VECTORS = "'delta.enableDeletionVectors' = 'true'"
_FULL = """
when matched and s.v < 0 then delete
when matched and s.v > t.v then update set name = concat(t.name, s.name), v = s.v
when not matched and s.name is not null then insert (id, name, v) values (s.id, upper(s.name), 1.5)
when not matched by source and t.v < 0 then update set name = 'none'
"""


def _sql(name: str, text: str, docstring: str = "", **made: str) -> None:
    def run(spark: SparkSession, work: str) -> None:
        spark.sql(text.format(target=f"d.{name}", full=_FULL, work=work))

    run.__module__ = __name__
    run.__doc__ = docstring
    on(name, run, **made)


def by_api(spark: SparkSession, name: str) -> Any:
    """Return the table as the Scala API has it, called `t`."""
    found = spark._jvm.io.delta.tables.DeltaTable.forName(spark._jsparkSession, name)
    return getattr(found, "as")("t")


def _merge(spark: SparkSession, name: str, source: DataFrame, on: str = "t.id = s.id") -> Any:
    return by_api(spark, name).merge(source.alias("s")._jdf, on)


# ---- MERGE in SQL

_sql(
    "merge",
    "merge into {target} t using d.src s on t.id = s.id {full}",
    "Of a MERGE only plain copies have column lineage.",
)
_sql("merge_with_deletion_vectors", "merge into {target} t using d.src s on t.id = s.id {full}", properties=_VECTORS)
_sql(
    "merge_all",
    "merge into {target} t using d.src s on t.id = s.id when matched then update set * when not matched then insert *",
    "UPDATE SET * and INSERT * have no column lineage.",
)
_sql(
    "merge_of_a_subquery",
    "merge into {target} t using (select id, upper(name) name, v * 2 v from d.src where v > 0) s on t.id = s.id "
    "when matched then update set * when not matched then insert *",
    "A MERGE whose source filters or computes loses its inputs.",
)
_sql(
    "merge_of_an_aggregate",
    "merge into {target} t using (select id, sum(v) v from d.src group by id) s on t.id = s.id "
    "when matched then update set v = t.v + s.v when not matched then insert (id, v) values (s.id, s.v)",
    "An aggregate in a MERGE's source is shown as a copy.",
)
_sql(
    "merge_of_a_join",
    "merge into {target} t using (select a.id, b.note name, a.v from d.src a join d.other b on a.id = b.id) s "
    "on t.id = s.id when matched then update set t.name = s.name, t.v = coalesce(s.v, t.v)",
    "Of a joined source of a MERGE one table is missing.",
)
_sql(
    "merge_of_a_cte",
    "with s as (select id, name, max(v) v from d.src group by id, name) merge into {target} t using s on t.id = s.id "
    "when matched then update set v = s.v when not matched then insert *",
    "A CTE as the source of a MERGE is lost.",
)
_sql(
    "merge_of_a_view",
    "merge into {target} t using d.src_view s on t.id = s.id when matched then update set v = s.v",
    "A MERGE from a persisted view names the tables below it only.",
)
_sql(
    "merge_of_itself",
    "merge into {target} t using (select id, max(v) v from {target} group by id) s on t.id = s.id "
    "when matched then update set v = s.v",
    "A table that is merged into itself is no input.",
)
_sql(
    "merge_of_values",
    "merge into {target} t using (select * from values (1, 'x', 2.0) as x (id, name, v)) s on t.id = s.id "
    "when not matched then insert *",
)
_sql(
    "merge_of_union",
    "merge into {target} t using (select id, name, v from d.src union all select id, note, 0.0 from d.other) s "
    "on t.id = s.id when not matched then insert *",
)
_sql(
    "merge_of_a_window",
    "merge into {target} t using (select id, name, v from (select *, row_number() over (partition by id order by v desc) n "
    "from d.src) where n = 1) s on t.id = s.id when matched then update set * when not matched then insert *",
    "A source that keeps the latest row of each key loses its columns.",
)
_sql(
    "merge_that_only_deletes",
    "merge into {target} t using d.other s on t.id = s.id when matched and s.note = 'x' then delete",
    "A MERGE that only deletes has no output.",
)
_sql(
    "merge_that_only_inserts",
    "merge into {target} t using d.src s on t.id = s.id when not matched then insert *",
    "A MERGE that only inserts has no lineage.",
)
_sql(
    "merge_not_matched_by_source",
    "merge into {target} t using d.other s on t.id = s.id when not matched by source and t.v > 1 then delete "
    "when not matched by source then update set v = t.v + 1",
    "WHEN NOT MATCHED BY SOURCE is not read.",
)
_sql(
    "merge_of_several_updates",
    "merge into {target} t using d.src s on t.id = s.id when matched and s.v > 1 then update set v = s.v "
    "when matched then update set v = t.v * s.v, name = s.name",
    "Of a column that several clauses set only the last one counts.",
)
_sql(
    "merge_into_fields",
    "merge into {target} t using d.src s on t.id = s.id when matched then update set t.at.x = s.v "
    "when not matched then insert (id, at) values (s.id, named_struct('x', s.v, 'y', s.name))",
    "SET of a field within a column fails the lineage.",
    columns="id int, at struct<x: double, y: string>",
    rows="(1, named_struct('x', 1.0, 'y', 'a'))",
)
_sql(
    "merge_with_a_wider_type",
    "merge into {target} t using d.src s on t.id = s.id when matched then update set v = s.id when not matched then insert *",
    columns="id bigint, name string, v double",
)
_sql(
    "merge_into_a_partition",
    "merge into {target} t using d.days s on t.id = s.id and t.day = s.day and t.day = 'mon' "
    "when matched then update set v = s.v when not matched then insert *",
    "The partition of a MERGE is a part of the table's name.",
    **PARTED,
)
_sql(
    "merge_with_defaults",
    "merge into {target} t using d.src s on t.id = s.id when not matched then insert (id) values (s.id)",
    columns="id int, name string default 'none'",
    properties="'delta.feature.allowColumnDefaults' = 'supported'",
    rows="(1, 'a')",
)


@DELTA.case
def merge_with_generated_columns(spark: SparkSession, work: str) -> Iterator[None]:
    generated(spark, "merge_generated")
    yield
    spark.sql(
        "merge into d.merge_generated t using d.src s on t.id = s.id when matched then update set v = s.v "
        "when not matched then insert (id, v) values (s.id, s.v)"
    )


_sql(
    "merge_of_a_version",
    "merge into {target} t using (select * from d.src version as of 1) s on t.id = s.id when not matched then insert *",
)


@DELTA.only(since="4.0")
def merge_with_schema_evolution(spark: SparkSession, work: str) -> Iterator[None]:
    """A column that a MERGE adds by schema evolution is missing."""
    target(spark, "merge_evolves", columns="id int, name string", rows="(1, 'a')")
    yield
    spark.sql(
        "merge with schema evolution into d.merge_evolves t using d.src s on t.id = s.id "
        "when matched then update set * when not matched then insert *"
    )


@DELTA.case
def merge_with_auto_merge(spark: SparkSession, work: str) -> Iterator[None]:
    """With autoMerge a MERGE loses its column lineage."""
    target(spark, "auto_merge", columns="id int, name string", rows="(1, 'a')")
    spark.conf.set("spark.databricks.delta.schema.autoMerge.enabled", "true")
    yield
    spark.sql(
        "merge into d.auto_merge t using (select id, v * 2 w from d.src) s on t.id = s.id "
        "when matched then update set * when not matched then insert *"
    )
    spark.conf.unset("spark.databricks.delta.schema.autoMerge.enabled")


@DELTA.case
def merge_of_a_temporary_view(spark: SparkSession, work: str) -> Iterator[None]:
    """A MERGE from a temporary view has no inputs, or the view as one."""
    target(spark, "from_temporary")
    yield
    spark.table("d.src").selectExpr("id", "trim(name) name", "v").createOrReplaceTempView("incoming")
    spark.sql(
        "merge into d.from_temporary t using incoming s on t.id = s.id "
        "when matched then update set * when not matched then insert *"
    )


@DELTA.case
def merge_into_a_path(spark: SparkSession, work: str) -> Iterator[None]:
    """A MERGE into a path has no output."""
    path = f"{work}/out/merged"
    spark.table("d.src").write.format("delta").save(path)
    yield
    spark.sql(f"merge into delta.`{path}` t using d.src s on t.id = s.id when matched then update set v = t.v + s.v")


@DELTA.case
def merge_through_a_view(spark: SparkSession, work: str) -> Iterator[None]:
    """A MERGE into a temporary view over a table loses its output."""
    target(spark, "below_view")
    spark.sql("create or replace temporary view above as select * from d.below_view")
    yield
    spark.sql("merge into above t using d.src s on t.id = s.id when matched then update set v = s.v")
    spark.sql("update above set v = v + 1 where id = 1")
    spark.sql("delete from above where id = 2")


@DELTA.case
def merge_from_files(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "from_files")
    yield
    spark.sql(
        f"merge into d.from_files t using parquet.`{work}/in/files` s on t.id = s.id "
        "when matched then update set * when not matched then insert *"
    )


@DELTA.case
def merge_that_failed(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "ambiguous", rows="(1, 'a', 1.0)")
    yield
    with pytest.raises(Exception, match=r"(?i)multiple"):
        spark.sql(
            "merge into d.ambiguous t using (select * from d.src union all select * from d.src) s on t.id = s.id "
            "when matched then update set v = s.v"
        )


# ---- MERGE by the API


@DELTA.case
def api_merge(spark: SparkSession, work: str) -> Iterator[None]:
    """A MERGE by the Python API has no lineage."""
    target(spark, "api_merge")
    yield
    merge = _merge(spark, "d.api_merge", spark.table("d.src"))
    merge.whenMatched("s.v < 0").delete().whenMatched().updateExpr({"v": "t.v + s.v"}).whenNotMatched().insertExpr(
        {"id": "s.id", "name": "upper(s.name)", "v": "s.v"}
    ).whenNotMatchedBySource("t.v < 0").updateExpr({"name": "'none'"}).execute()


@DELTA.case
def api_merge_all(spark: SparkSession, work: str) -> Iterator[None]:
    """whenMatchedUpdateAll and whenNotMatchedInsertAll have no column lineage."""
    target(spark, "api_merge_all")
    yield
    _merge(
        spark, "d.api_merge_all", spark.table("d.src")
    ).whenMatched().updateAll().whenNotMatched().insertAll().execute()


@DELTA.case
def api_merge_after_with_column(spark: SparkSession, work: str) -> Iterator[None]:
    """After a withColumn the source of a MERGE by the API is lost."""
    from pyspark.sql.functions import col, current_timestamp, upper

    target(spark, "api_with_column", columns="id int, name string, v double, at timestamp", rows="(1, 'a', 1.0, null)")
    yield
    rows = spark.table("d.src").withColumn("name", upper(col("name"))).withColumn("at", current_timestamp())
    _merge(spark, "d.api_with_column", rows).whenMatched().updateAll().whenNotMatched().insertAll().execute()


@DELTA.case
def api_merge_of_a_path(spark: SparkSession, work: str) -> Iterator[None]:
    """DeltaTable.forPath has no output, or the log's directory."""
    path = f"{work}/out/api_merged"
    spark.table("d.src").write.format("delta").save(path)
    yield
    table = spark._jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, path)
    rows = spark.read.format("delta").load(f"{work}/in/delta").alias("s")
    getattr(table, "as")("t").merge(rows._jdf, "t.id = s.id").whenMatched().updateExpr({"name": "s.name"}).execute()


@DELTA.case
def api_merge_of_a_join(spark: SparkSession, work: str) -> Iterator[None]:
    """A MERGE by the API whose source joins and filters has one input."""
    target(spark, "api_join")
    yield
    rows = spark.table("d.src").join(spark.table("d.other"), "id").where("v > 0").selectExpr("id", "note name", "v")
    _merge(spark, "d.api_join", rows).whenMatched().updateAll().whenNotMatched().insertAll().execute()


@DELTA.case
def api_merge_of_itself(spark: SparkSession, work: str) -> Iterator[None]:
    """Deduplication of a table by a MERGE with itself shows no lineage."""
    target(spark, "api_itself")
    yield
    rows = spark.table("d.api_itself").selectExpr("id", "v * 2 v")
    _merge(spark, "d.api_itself", rows).whenMatched().updateExpr({"v": "s.v"}).execute()


@DELTA.case
def api_merge_that_evolves(spark: SparkSession, work: str) -> Iterator[None]:
    """withSchemaEvolution of the API loses the columns that it adds."""
    target(spark, "api_evolves", columns="id int", rows="(1)")
    yield
    merge = _merge(spark, "d.api_evolves", spark.table("d.src")).withSchemaEvolution()
    merge.whenMatched().updateAll().whenNotMatched().insertAll().execute()


@DELTA.case
def api_merge_of_rows_of_the_driver(spark: SparkSession, work: str) -> Iterator[None]:
    target(spark, "api_rows")
    yield
    rows = spark.createDataFrame([(1, "n", 2.0)], "id int, name string, v double")
    _merge(spark, "d.api_rows", rows).whenMatched().updateAll().whenNotMatched().insertAll().execute()


# ---- UPDATE

_sql("update", "update {target} set v = v * 2, name = upper(name) where id = 1", "An UPDATE has no output.")
_sql("update_with_deletion_vectors", "update {target} set v = v * 2 where id = 1", properties=_VECTORS)
_sql("update_all", "update {target} set v = 0.0", "An UPDATE without a condition has no lineage.")
_sql("update_all_from_columns", "update {target} set v = id + v")
_sql("update_by_cases", "update {target} set name = case when v > 1 then 'high' else name end where id > 0")
_sql("update_a_partition", "update {target} set v = v + 1 where day = 'mon' and id > 0", **PARTED)
_sql(
    "update_fields",
    "update {target} set at.x = v where id = 1",
    columns="id int, v double, at struct<x: double, y: string>",
    rows="(1, 1.0, named_struct('x', 1.0, 'y', 'a'))",
)


@DELTA.case
def update_generated(spark: SparkSession, work: str) -> Iterator[None]:
    generated(spark, "update_generated")
    yield
    spark.sql("update d.update_generated set v = v + 1")


_sql(
    "update_with_change_data",
    "update {target} set v = v * 2 where id = 1",
    properties="'delta.enableChangeDataFeed' = 'true'",
)


@DELTA.case
def api_update(spark: SparkSession, work: str) -> Iterator[None]:
    """An UPDATE by the API is not seen."""
    target(spark, "api_update")
    yield
    by_api(spark, "d.api_update").updateExpr("id = 1", {"v": "v * 2"})
    by_api(spark, "d.api_update").updateExpr({"name": "concat(name, 'x')"})


@DELTA.case
def update_of_a_path(spark: SparkSession, work: str) -> Iterator[None]:
    spark.table("d.src").write.format("delta").save(f"{work}/out/updated")
    yield
    spark.sql(f"update delta.`{work}/out/updated` set v = v * 2 where id = 1")
    spark.sql(f"delete from delta.`{work}/out/updated` where v > 2")


# ---- DELETE

_sql("delete", "delete from {target} where v > 1 and name = 'b'", "A DELETE has no output.")
_sql("delete_with_deletion_vectors", "delete from {target} where v > 1 and name = 'b'", properties=_VECTORS)
_sql("delete_all", "delete from {target}", "A DELETE of all rows is a flow of the table into itself.")
_sql("delete_a_partition", "delete from {target} where day = 'mon'", **PARTED)


@DELTA.case
def api_delete(spark: SparkSession, work: str) -> Iterator[None]:
    """A DELETE by the API is not seen."""
    target(spark, "api_delete")
    yield
    by_api(spark, "d.api_delete").delete("v > 1")
    by_api(spark, "d.api_delete").delete()
