"""A job on a Spark too old for the hook, with OpenLineage's own jar: spark_3_3.py FOLDER JAR ADDRESS."""

import sys

from pyspark.sql import SparkSession

folder, jar, address = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]")
    .appName("Daily orders")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
    .config("spark.jars", jar)
    .config("spark.extraListeners", "io.openlineage.spark.agent.OpenLineageSparkListener")
    .config("spark.openlineage.transport.type", "http")
    .config("spark.openlineage.transport.url", address)
    .config("spark.openlineage.transport.compression", "gzip")
    .config("spark.openlineage.namespace", "old-cluster")
    .getOrCreate()
)
spark.sql("select 1L id, 'NL' country, 2.5D amount").write.parquet(f"{folder}/in/orders")
spark.read.parquet(f"{folder}/in/orders").createOrReplaceTempView("orders")
spark.sql("create table sales using parquet as select id, upper(country) country, amount from orders where amount > 1")
spark.sql("select country, sum(amount) total from sales group by country").write.parquet(f"{folder}/out/report")
spark.stop()
