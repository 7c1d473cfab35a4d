"""A driver JVM that several Pythons share, as on a shared cluster: prints the port and the secret of its gateway.

    python driver.py WAREHOUSE [KEY=VALUE …]

Runs each SQL statement of its standard input, as a job of the JVM's own, and ends with it.
"""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]").appName("shared driver").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.warehouse.dir", sys.argv[1])
for pair in sys.argv[2:]:
    builder = builder.config(*pair.split("=", 1))
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
assert spark._jvm is not None
server = spark._jvm.org.apache.spark.api.python.Py4JServer(spark.sparkContext._jsc.sc().conf())
server.start()
print("gateway", server.getListeningPort(), server.secret(), flush=True)
for statement in sys.stdin:
    spark.sql(statement)
    print("ran", flush=True)
spark.stop()
os._exit(0)
