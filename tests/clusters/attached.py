"""A job that attaches the hook itself, and then runs as another: attached.py JOB ARGUMENT…"""

import runpy
import sys

from pyspark.sql import SparkSession

import sac_kafka

sac_kafka.attach(SparkSession.builder.appName("orders").getOrCreate())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
