"""Schemas: they give columns to paths and topics."""

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

AVRO = Family(
    name="avro",
    order=1030,
    service_type="avro",
    entities=(
        EntityDef("avro_type", ("DataSet",), "Anything that an Avro schema is made of."),
        EntityDef(
            "avro_field",
            ("avro_type",),
            "A field of a record, which names its record.",
            (
                AttributeDef("doc", is_indexed=True),
                AttributeDef("default"),
            ),
        ),
        EntityDef(
            "avro_record",
            ("avro_type",),
            "Fields under one name.",
            (
                AttributeDef("type", is_mandatory=True, is_indexed=True),
                AttributeDef("doc", is_indexed=True),
                AttributeDef("avro_notation"),
                AttributeDef("versionId", "int", is_indexed=True),
                *each("string", "isLatest", "avroClass", is_indexed=True),
            ),
        ),
        EntityDef(
            "avro_schema",
            ("avro_record",),
            "The schema of a dataset: it names the datasets that have it.",
            (AttributeDef("namespace", is_mandatory=True, is_indexed=True),),
        ),
        EntityDef("avro_primitive", ("avro_type",), "A type without parts."),
        EntityDef("avro_fixed", ("avro_type",), "A number of bytes that never changes."),
        EntityDef(
            "avro_enum",
            ("avro_type",),
            "One of the given symbols.",
            (
                AttributeDef("type", is_mandatory=True, is_indexed=True),
                AttributeDef("symbols", "array<string>", is_mandatory=True),
            ),
        ),
        EntityDef(
            "avro_collection",
            ("avro_type",),
            "An array or a map.",
            (
                AttributeDef("type", is_mandatory=True, is_indexed=True),
                AttributeDef("items", "array<string>", is_mandatory=True),
            ),
        ),
    ),
    relationships=(
        RelationshipDef(
            "avro_schema_associatedEntities",
            Category.ASSOCIATION,
            (End("avro_schema", "associatedEntities", Cardinality.SET), End("DataSet", "schema", Cardinality.SET)),
            is_labelled=True,
        ),
        RelationshipDef(
            "avro_record_fields",
            Category.AGGREGATION,
            (
                End("avro_record", "fields", Cardinality.SET, is_container=True),
                End("avro_field", "record", Cardinality.SINGLE),
            ),
            is_labelled=True,
        ),
        RelationshipDef(
            "avro_field_types",
            Category.ASSOCIATION,
            (End("avro_field", "type", Cardinality.SET), End("avro_type", "field", Cardinality.SINGLE)),
            is_labelled=True,
        ),
    ),
)
