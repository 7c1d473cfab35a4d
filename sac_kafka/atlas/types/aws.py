"""Amazon S3, in the newer model (v2) and in the older one."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    Cardinality,
    Category,
    End,
    EntityDef,
    Family,
    Propagation,
    RelationshipDef,
    StructDef,
    composition,
    each,
)

AWS = Family(
    name="aws",
    order=3000,
    service_type="aws",
    structs=(
        StructDef(
            "aws_tag",
            "A tag of a thing in Amazon Web Services.",
            (
                AttributeDef("key", is_mandatory=True, is_indexed=True),
                AttributeDef("value", is_mandatory=True),
            ),
        ),
        StructDef(
            "aws_cloud_watch_metric",
            "A metric that is watched.",
            (
                AttributeDef("metricName", is_mandatory=True, is_indexed=True),
                AttributeDef("scope", is_mandatory=True),
            ),
        ),
        StructDef(
            "aws_s3_bucket_lifeCycleRule",
            "When objects of a bucket move or end.",
            (
                AttributeDef("ruleType", is_mandatory=True, is_indexed=True),
                AttributeDef("days", "int", is_mandatory=True),
                AttributeDef("storageClass", is_indexed=True),
            ),
        ),
        StructDef(
            "aws_s3_access_policy",
            "Who may do what with a bucket.",
            (AttributeDef("policyString", is_mandatory=True, is_indexed=True),),
        ),
    ),
    entities=(
        EntityDef("aws_s3_v2_container", (), "What holds objects and directories: a bucket or a directory."),
        EntityDef("aws_s3_v2_contained", (), "What is in a bucket or a directory."),
        EntityDef(
            "aws_s3_v2_base",
            ("DataSet",),
            "What buckets, directories and objects have in common.",
            (
                AttributeDef("region", is_indexed=True),
                AttributeDef("ownerName", is_indexed=True, search_weight=5),
                AttributeDef("ownerId"),
                AttributeDef("eTag", is_indexed=True, search_weight=5),
                AttributeDef("encryption"),
                AttributeDef("awsTags", "array<aws_tag>"),
            ),
        ),
        EntityDef(
            "aws_s3_v2_object",
            ("aws_s3_v2_base", "aws_s3_v2_contained"),
            "An object of a bucket.",
            (
                AttributeDef("lastModifiedTime", "date", is_indexed=True),
                AttributeDef("bucketName", is_indexed=True, search_weight=5),
                AttributeDef("size", "long"),
                AttributeDef("storageClass", is_indexed=True, search_weight=5),
                AttributeDef("compressionType"),
                AttributeDef("dataType", is_indexed=True),
            ),
        ),
        EntityDef(
            "aws_s3_v2_directory",
            ("aws_s3_v2_object", "aws_s3_v2_container", "Path"),
            "The objects under one prefix of a bucket.",
            (
                AttributeDef("objectPrefix", is_mandatory=True, is_indexed=True),
                *each("string", "subdomain", "subject", is_indexed=True),
                AttributeDef("storageLocation"),
            ),
        ),
        EntityDef(
            "aws_s3_v2_bucket",
            ("aws_s3_v2_base", "aws_s3_v2_container"),
            "A bucket.",
            (
                AttributeDef("creationTime", "date", is_indexed=True),
                AttributeDef("permissions"),
                AttributeDef("partner", is_indexed=True, search_weight=5),
                AttributeDef("domain", is_indexed=True),
                AttributeDef("s3AccessPolicies", "array<aws_s3_access_policy>"),
                AttributeDef("lifeCycleRules", "array<aws_s3_bucket_lifeCycleRule>"),
                AttributeDef("cloudWatchMetrics", "array<aws_cloud_watch_metric>"),
                AttributeDef("accountId", is_indexed=True, search_weight=10),
            ),
        ),
        EntityDef(
            "aws_s3_bucket",
            ("DataSet",),
            "A bucket, in the older model.",
            (
                *each("string", "partner", "domain", is_indexed=True),
                AttributeDef("region"),
                AttributeDef("s3AccessPolicies", "array<aws_s3_access_policy>"),
                AttributeDef("isEncrypted", "boolean"),
                AttributeDef("encryptionType"),
                AttributeDef("lifeCycleRules", "array<aws_s3_bucket_lifeCycleRule>"),
                AttributeDef("awsTags", "array<aws_tag>"),
                AttributeDef("cloudWatchMetrics", "array<aws_cloud_watch_metric>"),
                AttributeDef("createtime", "date", is_indexed=True),
                *each("string", "permissions", "ownerId", is_indexed=True, search_weight=5),
            ),
        ),
        EntityDef(
            "aws_s3_pseudo_dir",
            ("DataSet", "Path"),
            "The objects under one prefix, in the older model. The prefix alone is unique: two buckets collide.",
            (
                AttributeDef("objectPrefix", is_mandatory=True, is_unique=True, is_indexed=True),
                *each("string", "subdomain", "subject", is_indexed=True),
                AttributeDef("currentStorageLocation"),
                AttributeDef("dataType", is_indexed=True),
                AttributeDef("awsTags", "array<aws_tag>"),
                AttributeDef("createTime", "date", is_indexed=True),
            ),
        ),
        EntityDef(
            "aws_s3_object",
            ("DataSet",),
            "An object, in the older model.",
            (
                AttributeDef("dataType", is_indexed=True),
                AttributeDef("compressionType"),
                AttributeDef("awsTags", "array<aws_tag>"),
                AttributeDef("createTime", "date", is_indexed=True),
                AttributeDef("ownerId", is_indexed=True, search_weight=5),
                AttributeDef("size", "long", is_indexed=True),
                AttributeDef("eTag", is_indexed=True, search_weight=5),
                AttributeDef("lastModified", "date", is_indexed=True),
                AttributeDef("storageClass", is_indexed=True, search_weight=5),
            ),
        ),
    ),
    relationships=(
        composition("aws_s3_v2_container_contained", "aws_s3_v2_container.contained", "aws_s3_v2_contained.container"),
        composition(
            "aws_s3_bucket_aws_s3_pseudo_dirs",
            "aws_s3_bucket.pseudoDirectories",
            "aws_s3_pseudo_dir.bucket",
            is_labelled=True,
            propagation=Propagation.ONE_TO_TWO,
        ),
        composition(
            "aws_s3_pseudo_dir_aws_objects",
            "aws_s3_pseudo_dir.s3Objects",
            "aws_s3_object.pseudoDirectory",
            is_labelled=True,
            propagation=Propagation.ONE_TO_TWO,
        ),
        RelationshipDef(
            "aws_s3_object_avro_schema",
            Category.ASSOCIATION,
            (End("aws_s3_object", "avroSchema", Cardinality.SINGLE), End("avro_schema", "s3Objects", Cardinality.SET)),
            is_labelled=True,
        ),
        RelationshipDef(
            "aws_s3_pseudo_dir_avro_schema",
            Category.ASSOCIATION,
            (
                End("aws_s3_pseudo_dir", "avroSchemas", Cardinality.SET),
                End("avro_schema", "s3PseudoDirs", Cardinality.SET),
            ),
            is_labelled=True,
        ),
    ),
)
