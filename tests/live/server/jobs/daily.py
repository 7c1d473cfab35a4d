"""A daily job as a user would write it: files → tables → a database → a topic → a report file.

Only the hook, which its two lines attach, reports its lineage, to the sink in an atlas-application.properties.
`daily.py WORK BOOTSTRAP TOPIC VERSION` runs it: version 1 is the first release of the job, version 2 reads one more
table and computes a column from other columns.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import sac_kafka

work, bootstrap, topic, version = *sys.argv[1:4], int(sys.argv[4])

spark = SparkSession.builder.appName("daily sales").enableHiveSupport().getOrCreate()

# a view that is older than the hook, read by 13
spark.sql("create database if not exists raw")
spark.sql("create table if not exists raw.customers (name string, country string, discount double) using parquet")
spark.sql("create view if not exists raw.dutch as select name from raw.customers where country = 'NL'")

hook = sac_kafka.attach(spark)

derby = {"url": f"jdbc:derby:{work}/reporting;create=true", "driver": "org.apache.derby.jdbc.EmbeddedDriver"}
kafka = {"kafka.bootstrap.servers": bootstrap}

spark.sql("create database if not exists raw")
spark.sql("create database if not exists mart")

# 1, 2: from files into tables
orders = spark.read.option("header", True).option("inferSchema", True).csv(f"{work}/in/orders")
orders.write.mode("overwrite").saveAsTable("raw.orders")
spark.sql("create table if not exists raw.customers (name string, country string, discount double) using parquet")
customers = spark.read.schema("name string, country string, discount double").json(f"{work}/in/customers")
customers.write.mode("overwrite").insertInto("raw.customers")

# 3: a join into a table, whose amount is computed otherwise from version 2 on
amount = "amount" if version == 1 else "amount * (1 - discount)"
spark.sql("create table if not exists mart.sales (id int, customer string, country string, total double) using parquet")
spark.sql(
    f"insert overwrite mart.sales select id, customer, country, cast({amount} as double) "
    "from raw.orders join raw.customers on customer = name"
)

# a view, read by 4
spark.sql("create or replace view mart.big_sales as select customer, country, total from mart.sales where total > 10")
spark.sql("create table if not exists mart.by_country (country string, total double, customers bigint) using parquet")
spark.sql(
    "insert overwrite mart.by_country select country, sum(total), count(distinct customer) "
    "from mart.big_sales group by country"
)

# 5, 6: two statements between the same tables that fill different columns
spark.sql("create table if not exists mart.facts (kind string, customer string, country string) using parquet")
spark.sql("insert overwrite mart.facts (kind, customer) select 'customer', customer from mart.sales")
spark.sql("insert into mart.facts (kind, country) select 'country', country from mart.sales")

# 7: a table that is renamed and gets a column, once
if not spark.catalog.tableExists("mart.history"):
    spark.sql("create table mart.history_new using parquet as select country, total from mart.by_country")
    spark.sql("alter table mart.history_new rename to mart.history")
    spark.sql("alter table mart.history add columns (note string comment 'by hand')")
    spark.sql("create table mart.scratch using parquet as select * from mart.by_country")
    spark.sql("drop table mart.scratch")

# 8: into a database; from version 2 on with the history as well
sales = spark.table("mart.by_country")
if version > 1:
    sales = sales.join(spark.table("mart.history").select("country"), "country", "left_semi")
sales.write.format("jdbc").options(**derby).option("dbtable", "REPORT").mode("overwrite").save()

# 9: into a topic
report = spark.read.format("jdbc").options(**derby).option("dbtable", "REPORT").load()
report.selectExpr("COUNTRY as key", "to_json(struct(COUNTRY, TOTAL)) as value").write.format("kafka").options(
    **kafka
).option("topic", topic).save()

# 10, 11: into the report files
messages = spark.read.format("kafka").options(**kafka).option("subscribe", topic).load()
messages.selectExpr("cast(key as string) country", "cast(value as string) body").write.mode("overwrite").parquet(
    f"{work}/out/messages"
)
spark.read.parquet(f"{work}/out/messages").groupBy("country").agg({"body": "max"}).withColumnRenamed(
    "max(body)", "latest"
).write.mode("overwrite").option("header", True).csv(f"{work}/out/report")

# 12: into a table with several columns of one
wide = [f"amount + {n} as extra_{n}" for n in range(3)]
spark.table("raw.orders").selectExpr("id", *wide).write.mode("overwrite").saveAsTable("mart.wide")

# 13: from the old view
spark.sql("create table if not exists mart.dutch (name string) using parquet")
spark.sql("insert overwrite mart.dutch select name from raw.dutch")

# 14: columns that a condition and a window make; from version 2 on in a table that is dropped, and made again after
# that was reported
flags = (
    "select id, case when total > 10 then 'big' else 'small' end as size, "
    "row_number() over (partition by country order by id) as position from mart.sales where total > 0"
)
if version > 1:
    spark.sql("drop table mart.flags")
    assert hook.flush(600)
    spark.sql(f"create table mart.flags using parquet as {flags}")
else:
    spark.sql("create table if not exists mart.flags (id int, size string, position int) using parquet")
    spark.sql(f"insert overwrite mart.flags {flags}")

Path(work, "stats.txt").write_text(repr(dict(hook.stats())))
spark.stop()
