"""A JVM with Kafka's own client, as a driver has it, for tests of that client."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyspark

from sac_kafka.spark import kafka_producer
from stack import jars

CONNECTOR = {"3": "spark-kafka-3.5.7", "4": "spark-kafka-4.1.1"}[pyspark.__version__[0]]


class Jvm:
    """A JVM as `spark-submit --jars` starts it for a driver, with Kafka's client on its class path; no Spark runs in it."""

    def __init__(self, log: Path) -> None:
        from pyspark.java_gateway import launch_gateway

        self.log = log
        before = os.environ.get("PYSPARK_SUBMIT_ARGS")
        paths = jars.provide(CONNECTOR).class_path.replace(":", ",")
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {paths} pyspark-shell"
        try:
            with log.open("wb") as output:
                self.gateway = launch_gateway(popen_kwargs={"stdout": output, "stderr": output})
        finally:
            os.environ.pop("PYSPARK_SUBMIT_ARGS")
            if before is not None:
                os.environ["PYSPARK_SUBMIT_ARGS"] = before
        jvm = self.gateway.jvm
        self.kafka_loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        self.spark_loader = self.kafka_loader.loadClass("org.apache.spark.SparkContext").getClassLoader()
        levels = jvm.org.apache.logging.log4j
        levels.core.config.Configurator.setLevel("org.apache.kafka", levels.Level.INFO)

    def client(self, properties: Mapping[str, str]) -> kafka_producer.JvmClient:
        def make() -> Any:
            java_class = kafka_producer.load_producer(self.gateway, self.spark_loader, self.kafka_loader)
            return kafka_producer.start(self.gateway, java_class, self.kafka_loader, properties)

        return kafka_producer.JvmClient("kafka-clients", make)

    def kill(self) -> None:
        self.gateway.proc.kill()
        self.gateway.proc.wait(60)

    def close(self) -> None:
        self.gateway.shutdown()
        self.gateway.proc.stdin.close()
        self.gateway.proc.wait(60)
