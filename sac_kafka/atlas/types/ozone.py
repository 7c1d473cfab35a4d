"""Apache Ozone."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import AttributeDef, EntityDef, EnumDef, Family, StructDef, composition, each

OZONE = Family(
    name="ozone",
    order=3020,
    service_type="ozone",
    enums=(
        EnumDef(
            "ozone_storage_type",
            "What a bucket is stored on.",
            ((0, "RAM_DISK"), (1, "SSD"), (2, "DISK"), (3, "ARCHIVE")),
        ),
        EnumDef(
            "ozone_replication_type",
            "How copies of a key are made.",
            ((0, "RATIS"), (1, "STAND_ALONE"), (2, "CHAINED")),
        ),
    ),
    structs=(
        StructDef(
            "ozone_key_location",
            "Where a block of a key is.",
            each("long", "containerID", "localID", "length", "offset", is_mandatory=True),
        ),
    ),
    entities=(
        EntityDef("ozone_parent", (), "What holds keys: a bucket or a key that is a directory."),
        EntityDef("ozone_child", (), "What is in a bucket or under a key."),
        EntityDef(
            "ozone_volume",
            ("DataSet",),
            "A volume of Ozone.",
            (
                AttributeDef("admin", is_indexed=True),
                AttributeDef("quota", "long"),
                AttributeDef("creationTime", "date", is_indexed=True),
            ),
        ),
        EntityDef(
            "ozone_bucket",
            ("DataSet", "ozone_parent"),
            "A bucket of a volume.",
            (
                AttributeDef("storageType", "ozone_storage_type", is_indexed=True),
                AttributeDef("versioningEnabled", "boolean"),
                AttributeDef("encryptionKeyName", is_indexed=True),
                AttributeDef("creationTime", "date", is_indexed=True),
            ),
        ),
        EntityDef(
            "ozone_key",
            ("DataSet", "ozone_parent", "ozone_child"),
            "A key: a file or a directory of a bucket.",
            (
                AttributeDef("dataSize", "long", is_indexed=True),
                AttributeDef("replicationType", "ozone_replication_type", is_indexed=True),
                AttributeDef("replicationFactor", "int", is_indexed=True),
                AttributeDef("keyLocations", "array<ozone_key_location>"),
                AttributeDef("creationTime", "date", is_indexed=True),
            ),
        ),
    ),
    relationships=(
        composition("ozone_volume_buckets", "ozone_volume.buckets", "ozone_bucket.volume"),
        composition("ozone_parent_children", "ozone_parent.children", "ozone_child.parent"),
    ),
)
