"""A job, unaware of the hook, with two successive contexts, one of them created by a thread, and a fork."""

import os
import sys
import threading

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

first = SparkSession.builder.appName("first").getOrCreate()
first.range(3).write.parquet("one")
first.stop()

made = []
thread = threading.Thread(target=lambda: made.append(SparkContext(conf=SparkConf().setAppName("second"))))
thread.start()
thread.join()
second = SparkSession.builder.getOrCreate()
assert second.sparkContext is made[0]
child = os.fork()
if child == 0:
    sys.exit(5)  # as a child ends whose exit handlers run
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
second.range(3).write.parquet("two")
print("rows", second.sparkContext.parallelize(range(4), 2).map(lambda x: x * 2).collect(), flush=True)

import sac_kafka  # noqa: E402 and a line that was in the job before

print("same", sac_kafka.attach(second) is sac_kafka.attach(second.sparkContext), flush=True)
sys.exit(3)
