"""Tables of HBase."""

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

HBASE = Family(
    name="hbase",
    order=1020,
    service_type="hbase",
    entities=(
        EntityDef(
            "hbase_namespace",
            ("Asset",),
            "A namespace of HBase.",
            (
                AttributeDef("clusterName", is_mandatory=True, is_indexed=True, in_notification=True),
                AttributeDef("parameters", "map<string,string>"),
                AttributeDef("createTime", "date"),
                AttributeDef("modifiedTime", "date"),
            ),
        ),
        EntityDef(
            "hbase_table",
            ("DataSet",),
            "A table of HBase.",
            (
                AttributeDef("uri", is_mandatory=True),
                AttributeDef("parameters", "map<string,string>"),
                AttributeDef("createTime", "date"),
                AttributeDef("modifiedTime", "date"),
                AttributeDef("maxFileSize", "long"),
                AttributeDef("isReadOnly", "boolean"),
                AttributeDef("isCompactionEnabled", "boolean"),
                AttributeDef("isNormalizationEnabled", "boolean"),
                AttributeDef("replicasPerRegion", "int"),
                AttributeDef("durability"),
            ),
        ),
        EntityDef(
            "hbase_column_family",
            ("DataSet",),
            "A column family of an HBase table.",
            (
                AttributeDef("createTime", "date"),
                AttributeDef("modifiedTime", "date"),
                AttributeDef("bloomFilterType"),
                AttributeDef("compressionType"),
                AttributeDef("compactionCompressionType"),
                AttributeDef("encryptionType"),
                AttributeDef("inMemoryCompactionPolicy"),
                AttributeDef("keepDeletedCells", "boolean"),
                AttributeDef("maxVersions", "int"),
                AttributeDef("minVersions", "int"),
                AttributeDef("dataBlockEncoding"),
                AttributeDef("StoragePolicy"),
                AttributeDef("ttl", "int"),
                AttributeDef("blockCacheEnabled", "boolean"),
                AttributeDef("cacheBloomsOnWrite", "boolean"),
                AttributeDef("cacheDataOnWrite", "boolean"),
                AttributeDef("cacheIndexesOnWrite", "boolean"),
                AttributeDef("evictBlocksOnClose", "boolean"),
                AttributeDef("prefetchBlocksOnOpen", "boolean"),
                AttributeDef("newVersionBehavior", "boolean"),
                AttributeDef("isMobEnabled", "boolean"),
                AttributeDef("mobCompactPartitionPolicy"),
            ),
        ),
        EntityDef("hbase_column", ("DataSet",), "A column of an HBase column family."),
    ),
    relationships=(
        RelationshipDef(
            "hbase_table_namespace",
            Category.COMPOSITION,
            (
                End("hbase_table", "namespace", Cardinality.SINGLE),
                End("hbase_namespace", "tables", Cardinality.SET, is_container=True),
            ),
            label="__hbase_table.namespace",
        ),
        RelationshipDef(
            "hbase_table_column_families",
            Category.COMPOSITION,
            (
                End("hbase_table", "column_families", Cardinality.SET, is_container=True),
                End("hbase_column_family", "table", Cardinality.SINGLE),
            ),
            label="__hbase_table.column_families",
        ),
        RelationshipDef(
            "hbase_column_family_columns",
            Category.COMPOSITION,
            (
                End("hbase_column_family", "columns", Cardinality.SET, is_container=True),
                End("hbase_column", "column_family", Cardinality.SINGLE),
            ),
            label="__hbase_column_family.columns",
        ),
    ),
)
