"""Cases of RDDs: jobs that write them, DataFrames that are made of them, RDDs that are made of DataFrames."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

from tests.cases.all_cases import SHOP, case, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OLD_TEXT = "org.apache.hadoop.mapred.TextInputFormat"
_NEW_TEXT = "org.apache.hadoop.mapreduce.lib.input.TextInputFormat"
_OLD_OUTPUT = "org.apache.hadoop.mapred.TextOutputFormat"
_NEW_OUTPUT = "org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat"
_INT, _LONG, _TEXT = (
    "org.apache.hadoop.io.IntWritable",
    "org.apache.hadoop.io.LongWritable",
    "org.apache.hadoop.io.Text",
)


def _out(work: str, name: str) -> str:
    """Return a folder that is not there: Hadoop's formats write nowhere else."""
    path = f"{work}/out/{name}"
    shutil.rmtree(path, ignore_errors=True)
    return path


@case
def rdd_word_count(spark: SparkSession, work: str) -> object:
    words = spark.sparkContext.textFile(f"{work}/in/lines").flatMap(str.split).map(lambda word: (word, 1))
    words.reduceByKey(lambda a, b: a + b).saveAsTextFile(_out(work, "rdd_word_count"))


@case
def rdd_old_hadoop_api(spark: SparkSession, work: str) -> object:
    lines = spark.sparkContext.hadoopFile(f"{work}/in/lines", _OLD_TEXT, _LONG, _TEXT)
    lines.saveAsHadoopFile(_out(work, "rdd_old_hadoop_api"), _OLD_OUTPUT)


@case
def rdd_new_hadoop_api(spark: SparkSession, work: str) -> object:
    lines = spark.sparkContext.newAPIHadoopFile(f"{work}/in/lines", _NEW_TEXT, _LONG, _TEXT)
    lines.saveAsNewAPIHadoopFile(_out(work, "rdd_new_hadoop_api"), _NEW_OUTPUT)


@case
def rdd_hadoop_configurations(spark: SparkSession, work: str) -> object:
    sc = spark.sparkContext
    read = {"mapreduce.input.fileinputformat.inputdir": f"{work}/in/lines,{work}/in/orders_csv"}
    lines = sc.newAPIHadoopRDD(_NEW_TEXT, _LONG, _TEXT, conf=read).union(
        sc.hadoopRDD(_OLD_TEXT, _LONG, _TEXT, conf=read)
    )
    new = {
        "mapreduce.job.outputformat.class": _NEW_OUTPUT,
        "mapreduce.job.output.key.class": _INT,
        "mapreduce.job.output.value.class": _TEXT,
        "mapreduce.output.fileoutputformat.outputdir": _out(work, "rdd_new_configuration"),
    }
    lines.saveAsNewAPIHadoopDataset(new)
    old = {
        "mapred.output.format.class": _OLD_OUTPUT,
        "mapreduce.job.output.key.class": _INT,
        "mapreduce.job.output.value.class": _TEXT,
        "mapreduce.output.fileoutputformat.outputdir": _out(work, "rdd_old_configuration"),
    }
    lines.saveAsHadoopDataset(old)


@case
def rdd_files_of_objects(spark: SparkSession, work: str) -> object:
    sc = spark.sparkContext
    pickles, sequences = _out(work, "rdd_pickles"), _out(work, "rdd_sequences")
    sc.wholeTextFiles(f"{work}/in/lines").saveAsPickleFile(pickles)
    sc.pickleFile(pickles).map(lambda pair: (pair[0], 1)).saveAsSequenceFile(sequences)
    sc.sequenceFile(sequences).saveAsTextFile(_out(work, "rdd_of_sequences"))
    names = sc.binaryFiles(f"{work}/in/orders_orc").map(lambda pair: pair[0])
    names.saveAsTextFile(_out(work, "rdd_of_binary_files"))
    objects = _out(work, "rdd_objects")
    sc._jsc.textFile(f"{work}/in/lines").saveAsObjectFile(objects)
    sc._jsc.objectFile(objects).saveAsTextFile(_out(work, "rdd_of_objects"))


@case
def rdd_of_globs(spark: SparkSession, work: str) -> object:
    lines = spark.sparkContext.textFile(
        f"{work}/in/orders_{{csv,json}}/part-*,{work}/in/li?es/*,{work}/in/daily/2026-11-2[01]"
    )
    lines.map(len).saveAsTextFile(_out(work, "rdd_of_globs"))
    whole = spark.sparkContext.wholeTextFiles(f"{work}/in/li?es")
    whole.union(spark.sparkContext.newAPIHadoopFile(f"{work}/in/orders_*v/part-*", _NEW_TEXT, _LONG, _TEXT)).keys().map(
        str
    ).saveAsTextFile(_out(work, "rdd_of_globs_of_others"))


@case
def rdd_to_table(spark: SparkSession, work: str) -> object:
    rows = spark.sparkContext.textFile(f"{work}/in/orders_csv").map(lambda line: tuple(line.split(",")[:2]))
    rows.toDF(["id", "customer"]).write.mode("overwrite").saveAsTable("rdd_to_table")


@case
def rdd_columns_that_are_not_written(spark: SparkSession, work: str) -> object:
    lines = spark.sparkContext.textFile(f"{work}/in/orders_csv").map(lambda line: tuple(line.split(",")[:1]))
    ids = spark.createDataFrame(lines, "id string")
    counted = ids.selectExpr("count(*) n", "'orders' what").crossJoin(spark.table("customers").select("country"))
    counted.write.mode("overwrite").saveAsTable("rdd_columns_that_are_not_written")
    either = ids.union(spark.sql("select cast(id as string) from orders"))
    return either.write.mode("overwrite").saveAsTable("rdd_beside_a_table")


@case
def rdd_of_table_to_table(spark: SparkSession, work: str) -> object:
    rows = spark.sql("select o.id, c.country from orders o join customers c on o.customer = c.name").rdd
    again = spark.createDataFrame(rows.map(lambda row: (row.id, row.country)), "id bigint, country string")
    again.selectExpr("id + 1 next", "country").write.mode("overwrite").saveAsTable("rdd_of_table_to_table")


@case
def rdd_of_view_saved(spark: SparkSession, work: str) -> object:
    spark.table("bigger_orders").rdd.map(str).saveAsTextFile(_out(work, "rdd_of_view_saved"))


@case
def rdd_of_json_of_path(spark: SparkSession, work: str) -> object:
    spark.read.parquet(f"{work}/in/daily/2026-11-20").toJSON().saveAsTextFile(_out(work, "rdd_of_json_of_path"))


@case
def rdd_through_two_data_frames(spark: SparkSession, work: str) -> object:
    once = spark.table("orders").rdd.map(lambda row: (row.id,)).toDF("id bigint")
    lines = spark.sparkContext.textFile(f"{work}/in/lines").map(lambda line: (len(line),))
    twice = once.filter("id > 0").rdd.map(tuple).union(lines).toDF("id bigint")
    write(twice.join(spark.table("customers").select("name")), work, "rdd_through_two_data_frames")


@case
def rdd_joins(spark: SparkSession, work: str) -> object:
    sc = spark.sparkContext
    lines = sc.textFile(f"{work}/in/lines").map(lambda line: (line, 1))
    orders = spark.table("orders").rdd.map(lambda row: (row.customer, row.amount))
    people = sc.textFile(f"{work}/in/orders_csv").map(lambda line: (line.split(",")[1], line))
    joined = lines.cogroup(orders).mapValues(lambda pair: len(list(pair[1]))).leftOuterJoin(people)
    joined.subtractByKey(sc.parallelize([("z", 1)])).coalesce(1).saveAsTextFile(_out(work, "rdd_joins"))


@case
def rdd_of_the_driver(spark: SparkSession, work: str) -> object:
    spark.sparkContext.parallelize(range(3)).saveAsTextFile(_out(work, "rdd_of_the_driver"))


@case
def rdd_failing(spark: SparkSession, work: str) -> object:
    lines = spark.sparkContext.textFile(f"{work}/in/lines").map(lambda _: 1 // 0)
    with contextlib.suppress(Exception):
        lines.saveAsTextFile(_out(work, "rdd_failing"))


@case
def rdd_only_looked_at(spark: SparkSession, work: str) -> object:
    lines = spark.sparkContext.textFile(f"{work}/in/lines")
    lines.first(), lines.count(), lines.collect(), lines.foreach(len)


@case
def rdd_of_database(spark: SparkSession, work: str) -> object:
    spark.read.jdbc(SHOP, "orders").rdd.map(str).saveAsTextFile(_out(work, "rdd_of_database"))


@case
def rdd_of_jvm(spark: SparkSession, work: str) -> object:
    spark.sparkContext._jsc.textFile(f"{work}/in/lines").distinct().saveAsTextFile(_out(work, "rdd_of_jvm"))
    spark.table("orders")._jdf.toJavaRDD().saveAsTextFile(_out(work, "rdd_of_jvm_table"))
    spark.read.json(f"{work}/in/orders_json")._jdf.toJavaRDD().saveAsTextFile(_out(work, "rdd_of_jvm_path"))
    spark.read.jdbc(SHOP, "people")._jdf.toJavaRDD().saveAsTextFile(_out(work, "rdd_of_jvm_database"))


@case
def rdd_that_nobody_told_of(spark: SparkSession, work: str) -> object:
    for name, df in {
        "table": spark.table("orders").where("id > 0"),
        "path": spark.read.csv(f"{work}/in/orders_csv"),
        "database": spark.read.jdbc(SHOP, "people"),
        "aggregate": spark.table("customers").groupBy("country").count(),
    }.items():
        df._jdf.javaToPython().saveAsTextFile(_out(work, f"rdd_untold_{name}"))


@case
def rdd_of_objects_of_the_jvm(spark: SparkSession, work: str) -> object:
    lines = spark.sparkContext._jsc.textFile(f"{work}/in/lines").rdd()
    objects = spark._jsparkSession.createDataset(lines, spark._jvm.org.apache.spark.sql.Encoders.STRING())
    objects.write().mode("overwrite").text(f"{work}/out/rdd_of_objects_of_the_jvm")


@case
def rdd_read_by_a_reader(spark: SparkSession, work: str) -> object:
    lines = spark.sparkContext.textFile(f"{work}/in/orders_json")
    write(spark.read.schema("id bigint").json(lines), work, "rdd_read_by_a_reader")
