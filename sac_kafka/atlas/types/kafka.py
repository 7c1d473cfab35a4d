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
    each,
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
                *each("int", "replicationFactorNational", "replicationFactorLocal"),
                *each("long", "retentionBytesNational", "segmentBytesNational", "segmentBytesLocal"),
                *each("string", "contactInfo", "type"),
                *each("int", "partitionCountLocal", "partitionCountNational"),
                AttributeDef("retentionBytesLocal", "long"),
                *each("int", "retentiontimeLocalInHrs", "retentiontimeNationalInHrs", "desiredRetentionInHrs"),
                AttributeDef("keyClassname"),
                *each("long", "numberOfEventsPerDay", "maxThroughputPerSec", "avgMessageSizeInBytes"),
                *each("int", "partitionCount", "replicationFactor", is_indexed=True),
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
            is_labelled=True,
        ),
    ),
)
