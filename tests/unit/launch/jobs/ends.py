"""A job, unaware of the hook, that ends as its argument says."""

import os
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.range(3).write.parquet("out")
print("written", flush=True)
how = sys.argv[1]
if how == "text":
    sys.exit("a text")
if how == "exception":
    raise ValueError("the job's own error")
if how == "os_exit":
    os._exit(4)
