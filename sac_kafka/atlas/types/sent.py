"""List the types of sent entities; all other types are only their supertypes and dependencies."""

from __future__ import annotations

SENT = (
    "spark_db",
    "spark_table",
    "spark_storagedesc",
    "spark_column",
    "hive_db",
    "hive_table",
    "hive_column",
    "fs_path",
    "hdfs_path",
    "aws_s3_v2_bucket",
    "aws_s3_v2_directory",
    "aws_s3_bucket",
    "aws_s3_pseudo_dir",
    "aws_s3_object",
    "adls_gen2_account",
    "adls_gen2_container",
    "adls_gen2_directory",
    "gcp_storage_bucket",
    "gcp_storage_virtual_directory",
    "ozone_volume",
    "ozone_bucket",
    "ozone_key",
    "kafka_topic",
    "rdbms_instance",
    "rdbms_db",
    "rdbms_table",
    "rdbms_column",
    "hbase_namespace",
    "hbase_table",
    "DataSet",
    "avro_schema",
    "avro_field",
    "spark_ml_model",
    "spark_ml_pipeline",
    "spark_ml_directory",
    "spark_application",
    "spark_process",
    "spark_column_lineage",
)
"""Types of sent entities; types precede those that reference them."""

LATER = frozenset({"gcp_storage_bucket", "gcp_storage_virtual_directory"})
"""Types that a stock Atlas 2.1 lacks (added in 2.2). Atlas drops a whole message because of an unknown type, so a message has
entities of these types only if its process itself reads or writes such a dataset."""
