"""Topics."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    Cardinality,
    Category,
    End,
    EntityDef,
    Family,
    RelationshipDef,
)

KAFKA = Family(
    name="kafka",
    order=1040,
    service_type="kafka",
    entities=(
        EntityDef(
            "kafka_topic",
            ("DataSet",),
            "A topic of Kafka.",
            (
                AttributeDef("topic", is_mandatory=True, is_indexed=True),
                AttributeDef("uri", is_mandatory=True),
                AttributeDef("replicationFactorNational", "int"),
                AttributeDef("replicationFactorLocal", "int"),
                AttributeDef("retentionBytesNational", "long"),
                AttributeDef("segmentBytesNational", "long"),
                AttributeDef("segmentBytesLocal", "long"),
                AttributeDef("contactInfo"),
                AttributeDef("type"),
                AttributeDef("partitionCountLocal", "int"),
                AttributeDef("partitionCountNational", "int"),
                AttributeDef("retentionBytesLocal", "long"),
                AttributeDef("retentiontimeLocalInHrs", "int"),
                AttributeDef("retentiontimeNationalInHrs", "int"),
                AttributeDef("desiredRetentionInHrs", "int"),
                AttributeDef("keyClassname"),
                AttributeDef("numberOfEventsPerDay", "long"),
                AttributeDef("maxThroughputPerSec", "long"),
                AttributeDef("avgMessageSizeInBytes", "long"),
                AttributeDef("partitionCount", "int", is_indexed=True),
                AttributeDef("replicationFactor", "int", is_indexed=True),
            ),
        ),
    ),
    relationships=(
        RelationshipDef(
            "kafka_topic_avroSchema",
            Category.ASSOCIATION,
            (
                End("kafka_topic", "avroSchema", Cardinality.SET),
                End("avro_type", "kafka_topics_references", Cardinality.SET),
            ),
            label="__kafka_topic.avroSchema",
        ),
    ),
)
