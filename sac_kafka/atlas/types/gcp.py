"""Google Cloud Storage. Stock servers have these types since 2.2."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import AttributeDef, EntityDef, Family, composition, each

GCP = Family(
    name="gcp",
    order=3030,
    service_type="gcp",
    entities=(
        EntityDef("gcp_storage_parent", (), "What holds objects and directories: a bucket or a directory."),
        EntityDef("gcp_storage_child", (), "What is in a bucket or a directory."),
        EntityDef(
            "gcp_storage_base",
            ("DataSet",),
            "What buckets, directories and objects have in common.",
            (
                *each("date", "creationTime", "lastModifiedTime", is_indexed=True),
                AttributeDef("storageClass", is_indexed=True),
                AttributeDef("encryption"),
                AttributeDef("publicAccess", is_indexed=True),
            ),
        ),
        EntityDef(
            "gcp_storage_bucket",
            ("gcp_storage_parent", "gcp_storage_base"),
            "A bucket of Cloud Storage.",
            (
                *each("string", "location", "locationType", is_indexed=True),
                *each("string", "accessControl", "lifecycleRules", "labels", "retentionPolicy"),
                AttributeDef("requesterPays", "boolean"),
            ),
        ),
        EntityDef(
            "gcp_storage_object",
            ("gcp_storage_child", "gcp_storage_base"),
            "An object of a bucket.",
            (
                AttributeDef("size", "long"),
                AttributeDef("type", is_indexed=True),
                AttributeDef("retentionExpirationDate", "date", is_indexed=True),
                AttributeDef("holds"),
            ),
        ),
        EntityDef(
            "gcp_storage_virtual_directory",
            ("gcp_storage_object", "gcp_storage_parent", "Path"),
            "The objects under one prefix of a bucket.",
            (AttributeDef("objectPrefix", is_indexed=True),),
        ),
    ),
    relationships=(
        composition("gcp_storage_parent_children", "gcp_storage_parent.children", "gcp_storage_child.parent"),
    ),
)
