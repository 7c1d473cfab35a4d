"""Declare the relation of Spark's Kafka source."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.declaration import accessor, spark_class
from sac_kafka.plan.options import KAFKA, KAFKA_READ


@spark_class("org.apache.spark.sql.kafka010.KafkaRelation")
class KafkaRelation:
    """A batch read of Kafka topics; one of the options subscribe, assign and subscribepattern has the topics."""

    options: Mapping[str, str] | None = accessor("#sourceOptions", keys=(*KAFKA_READ, *KAFKA), default=None)
