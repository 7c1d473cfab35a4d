"""What Spark does, and the tables of its catalogs."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    Cardinality,
    Category,
    End,
    EntityDef,
    Family,
    RelationshipDef,
    composition,
    each,
)

SPARK = Family(
    name="spark",
    order=1050,
    service_type="spark",
    entities=(
        EntityDef(
            "spark_db",
            ("DataSet",),
            "A database of a Spark catalog.",
            (
                AttributeDef("location", search_weight=5),
                AttributeDef("clusterName", search_weight=8),
                AttributeDef("parameters", "map<string,string>"),
                AttributeDef("ownerType"),
            ),
        ),
        EntityDef(
            "spark_table",
            ("DataSet",),
            "A table or a view of a Spark catalog.",
            (
                AttributeDef("tableType"),
                AttributeDef("provider", search_weight=5),
                AttributeDef("partitionColumnNames", "array<string>"),
                AttributeDef("bucketSpec", "map<string,string>"),
                AttributeDef("ownerType"),
                AttributeDef("createTime", "date"),
                AttributeDef("parameters", "map<string,string>"),
                AttributeDef("comment", search_weight=9),
                AttributeDef("unsupportedFeatures", "array<string>"),
                AttributeDef("viewOriginalText", search_weight=9),
                AttributeDef("schemaDesc", search_weight=5),
                AttributeDef("partitionProvider"),
            ),
        ),
        EntityDef(
            "spark_column",
            ("DataSet",),
            "A column of a Spark table, which names its table.",
            (
                AttributeDef("type", is_mandatory=True, is_indexed=True),
                AttributeDef("nullable", "boolean"),
                AttributeDef("metadata"),
                AttributeDef("comment", search_weight=9),
            ),
        ),
        EntityDef(
            "spark_storagedesc",
            ("Referenceable",),
            "Where and how a Spark table is stored.",
            (
                AttributeDef("location", search_weight=10),
                *each("string", "inputFormat", "outputFormat", "serde"),
                AttributeDef("compressed", "boolean", is_mandatory=True, is_indexed=True),
                AttributeDef("parameters", "map<string,string>"),
            ),
        ),
        EntityDef(
            "spark_application",
            ("Process",),
            "A Spark job.",
            each("string", "currentUser", "remoteUser", is_indexed=True, search_weight=10),
        ),
        EntityDef(
            "spark_process",
            ("Process",),
            "A flow that a Spark job makes.",
            (
                AttributeDef("executionId", "long", search_weight=10),
                *each("string", "currUser", "remoteUser", search_weight=10),
                *each("string", "details", "sparkPlanDescription"),
                AttributeDef("queryText", is_indexed=True),
            ),
        ),
        EntityDef("spark_column_lineage", ("Process",), "The columns that flow into one column."),
    ),
    relationships=(
        RelationshipDef(
            "spark_table_db",
            Category.AGGREGATION,
            (
                End("spark_table", "db", Cardinality.SINGLE),
                End("spark_db", "tables", Cardinality.SET, is_container=True),
            ),
        ),
        composition("spark_table_columns", "spark_table.columns", "spark_column.table"),
        RelationshipDef(
            "spark_table_storagedesc",
            Category.ASSOCIATION,
            (End("spark_table", "sd", Cardinality.SINGLE), End("spark_storagedesc", "table", Cardinality.SINGLE)),
        ),
        RelationshipDef(
            "spark_process_column_lineages",
            Category.AGGREGATION,
            (
                End("spark_column_lineage", "process", Cardinality.SINGLE),
                End("spark_process", "columnLineages", Cardinality.SET, is_container=True),
            ),
        ),
        RelationshipDef(
            "spark_application_processes",
            Category.AGGREGATION,
            (
                End("spark_application", "processes", Cardinality.SET, is_container=True),
                End("spark_process", "application", Cardinality.SINGLE),
            ),
        ),
    ),
)
