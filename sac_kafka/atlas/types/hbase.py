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
    composition,
    each,
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
                *each("date", "createTime", "modifiedTime"),
            ),
        ),
        EntityDef(
            "hbase_table",
            ("DataSet",),
            "A table of HBase.",
            (
                AttributeDef("uri", is_mandatory=True),
                AttributeDef("parameters", "map<string,string>"),
                *each("date", "createTime", "modifiedTime"),
                AttributeDef("maxFileSize", "long"),
                *each("boolean", "isReadOnly", "isCompactionEnabled", "isNormalizationEnabled"),
                AttributeDef("replicasPerRegion", "int"),
                AttributeDef("durability"),
            ),
        ),
        EntityDef(
            "hbase_column_family",
            ("DataSet",),
            "A column family of an HBase table.",
            (
                *each("date", "createTime", "modifiedTime"),
                *each("string", "bloomFilterType", "compressionType", "compactionCompressionType"),
                *each("string", "encryptionType", "inMemoryCompactionPolicy"),
                AttributeDef("keepDeletedCells", "boolean"),
                *each("int", "maxVersions", "minVersions"),
                *each("string", "dataBlockEncoding", "StoragePolicy"),
                AttributeDef("ttl", "int"),
                AttributeDef("blockCacheEnabled", "boolean"),
                *each("boolean", "cacheBloomsOnWrite", "cacheDataOnWrite", "cacheIndexesOnWrite"),
                *each("boolean", "evictBlocksOnClose", "prefetchBlocksOnOpen"),
                *each("boolean", "newVersionBehavior", "isMobEnabled"),
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
            is_labelled=True,
        ),
        composition(
            "hbase_table_column_families", "hbase_table.column_families", "hbase_column_family.table", is_labelled=True
        ),
        composition(
            "hbase_column_family_columns", "hbase_column_family.columns", "hbase_column.column_family", is_labelled=True
        ),
    ),
)
