"""A job, unaware of the runner, whose functions and classes belong to `__main__` and to the module `shipped`."""

import sys

import shipped
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf


class Point:
    def __init__(self, x):
        self.x = x


spark = SparkSession.builder.getOrCreate()
points = spark.sparkContext.parallelize([1, 2], 1).map(Point).map(lambda p: (p.x, type(p).__module__)).collect()
doubled = spark.range(3).select(udf(lambda x: shipped.double(x), "long")("id").alias("x"))
doubled.write.parquet("out")
print(points, sorted(row.x for row in doubled.collect()), spark.sparkContext.appName, sys.argv[1:], flush=True)
sys.exit(3)
