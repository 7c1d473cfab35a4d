"""Jobs of RDDs, in the folder WORK: word count, both APIs of Hadoop, from files to a table and back; `rdds.py WORK`."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import sac_kafka

(work,) = sys.argv[1:]
OLD, NEW = "org.apache.hadoop.mapred", "org.apache.hadoop.mapreduce.lib"
LONG, TEXT = "org.apache.hadoop.io.LongWritable", "org.apache.hadoop.io.Text"

for name, lines in {"lines": "to be or not to be\n", "logs": "a\nb\n", "orders": "1,ann,12.5\n2,bob,3.0\n"}.items():
    (folder := Path(work, "in", name)).mkdir(parents=True)
    (folder / "a.txt").write_text(lines)

spark = SparkSession.builder.appName("rdds").getOrCreate()
hook = sac_kafka.attach(spark)
sc = spark.sparkContext
spark.sql("create database shop")

words = sc.textFile(f"{work}/in/lines").flatMap(str.split).map(lambda word: (word, 1))
words.reduceByKey(lambda a, b: a + b).saveAsTextFile(f"{work}/out/words")

old = sc.hadoopFile(f"{work}/in/logs", f"{OLD}.TextInputFormat", LONG, TEXT)
old.saveAsHadoopFile(f"{work}/out/old", f"{OLD}.TextOutputFormat")
new = sc.newAPIHadoopFile(f"{work}/in/logs", f"{NEW}.input.TextInputFormat", LONG, TEXT)
new.saveAsNewAPIHadoopFile(f"{work}/out/new", f"{NEW}.output.SequenceFileOutputFormat")

fields = sc.textFile(f"{work}/in/orders").map(lambda line: line.split(","))
orders = spark.createDataFrame(
    fields.map(lambda f: (int(f[0]), f[1], float(f[2]))), "id int, name string, amount double"
)
orders.write.saveAsTable("shop.orders")

lines = spark.read.csv(f"{work}/in/orders").rdd.map(lambda row: (row[1], float(row[2])))
lines.toDF("name string, amount double").write.saveAsTable("shop.amounts")

names = spark.table("shop.orders").filter("amount > 1").rdd.map(lambda row: (row.name.upper(), row.amount))
spark.createDataFrame(names, "name string, amount double").write.saveAsTable("shop.names")

spark.table("shop.names").rdd.map(str).saveAsTextFile(f"{work}/out/names")

sc.textFile(f"{work}/in/lines").count()  # writes nothing: no flow
assert hook.flush(600), hook.stats()
assert hook.stats()["errors"] == {}, hook.stats()
spark.stop()
