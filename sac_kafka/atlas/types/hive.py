"""Databases, tables and columns of a Hive metastore."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    Cardinality,
    Category,
    End,
    EntityDef,
    EnumDef,
    Family,
    RelationshipDef,
    StructDef,
    composition,
    each,
)

HIVE = Family(
    name="hive",
    order=1010,
    service_type="hive",
    enums=(
        EnumDef(
            "hive_principal_type", "What kind of owner a Hive object has.", ((1, "USER"), (2, "ROLE"), (3, "GROUP"))
        ),
    ),
    structs=(
        StructDef(
            "hive_order",
            "A column by which a table is sorted.",
            (
                AttributeDef("order", "int", is_mandatory=True),
                AttributeDef("col", is_mandatory=True),
            ),
        ),
        StructDef(
            "hive_serde",
            "The classes that read and write the rows of a Hive table.",
            (
                *each("string", "name", "serializationLib"),
                AttributeDef("parameters", "map<string,string>"),
            ),
        ),
    ),
    entities=(
        EntityDef(
            "hive_db",
            ("Asset",),
            "A database of a Hive metastore.",
            (
                AttributeDef("clusterName", is_mandatory=True, is_indexed=True, in_notification=True),
                AttributeDef("location"),
                AttributeDef("parameters", "map<string,string>"),
                AttributeDef("ownerType", "hive_principal_type"),
                AttributeDef("managedLocation"),
            ),
        ),
        EntityDef(
            "hive_table",
            ("DataSet",),
            "A table or a view of a Hive metastore.",
            (
                *each("date", "createTime", "lastAccessTime"),
                AttributeDef("comment"),
                AttributeDef("retention", "int"),
                AttributeDef("aliases", "array<string>", cardinality=Cardinality.SET),
                AttributeDef("parameters", "map<string,string>"),
                *each("string", "viewOriginalText", "viewExpandedText", "tableType"),
                AttributeDef("temporary", "boolean", is_indexed=True),
            ),
            options={"schemaElementsAttribute": "columns"},
        ),
        EntityDef(
            "hive_column",
            ("DataSet",),
            "A column of a Hive table, which names its table.",
            (
                AttributeDef("type", is_mandatory=True, is_indexed=True),
                AttributeDef("comment"),
                AttributeDef("position", "int"),
            ),
            options={"schemaAttributes": '["name", "description", "owner", "type", "comment", "position"]'},
        ),
        EntityDef(
            "hive_storagedesc",
            ("Referenceable",),
            "Where and how a Hive table is stored.",
            (
                *each("string", "location", "inputFormat", "outputFormat"),
                AttributeDef("compressed", "boolean", is_mandatory=True),
                AttributeDef("numBuckets", "int"),
                AttributeDef("serdeInfo", "hive_serde"),
                AttributeDef("bucketCols", "array<string>", cardinality=Cardinality.SET),
                AttributeDef("sortCols", "array<hive_order>", cardinality=Cardinality.SET),
                AttributeDef("parameters", "map<string,string>"),
                AttributeDef("storedAsSubDirectories", "boolean"),
            ),
        ),
    ),
    relationships=(
        RelationshipDef(
            "hive_table_db",
            Category.AGGREGATION,
            (
                End("hive_table", "db", Cardinality.SINGLE, is_legacy=True),
                End("hive_db", "tables", Cardinality.SET, is_container=True),
            ),
            is_labelled=True,
        ),
        composition("hive_table_columns", "hive_table.columns", "hive_column.table", is_legacy=True, is_labelled=True),
        composition(
            "hive_table_partitionkeys",
            "hive_table.partitionKeys",
            "hive_column.table",
            is_legacy=True,
            is_labelled=True,
        ),
        RelationshipDef(
            "hive_table_storagedesc",
            Category.COMPOSITION,
            (
                End("hive_table", "sd", Cardinality.SINGLE, is_container=True, is_legacy=True),
                End("hive_storagedesc", "table", Cardinality.SINGLE, is_legacy=True),
            ),
            is_labelled=True,
        ),
        RelationshipDef(
            "hive_db_location",
            Category.ASSOCIATION,
            (End("hive_db", "locationPath", Cardinality.SINGLE), End("Path", "hiveDb", Cardinality.SINGLE)),
        ),
    ),
)
