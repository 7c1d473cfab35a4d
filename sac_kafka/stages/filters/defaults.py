"""List the default rules, active unless `atlas.hook.spark.exclude.defaults = false`: directories without user data.

Each rule is as narrow as the directory's name allows: names that a user might choose are not matched.
"""

from __future__ import annotations

from sac_kafka.settings.declarations.rules import SelectionRule, rule

DEFAULTS: tuple[str, ...] = (
    # temporary files of Spark and Hadoop
    "path:.sparkStaging/**",  # files that Spark uploads to YARN
    "path:_temporary/**",  # output of tasks before it is committed
    "path:.spark-staging-*/**",  # partitions before they are moved into place
    "path:_spark_metadata/**",  # the log of a streaming query's files
    "path:blockmgr-{uuid}/**",  # shuffle files and blocks on a local disk
    "path:file:/dev/null",  # discarded output
    # checkpoints
    "path:_checkpoint/**",  # checkpoints next to data
    "path:_checkpoints/**",  # the same, under the other common name
    "path:{uuid}/rdd-*",  # checkpoints of RDDs
    "path:temporary-{uuid}/**",  # checkpoints of a streaming query without a checkpoint location
    # event logs
    "path:/tmp/spark-events/**",  # event logs at Spark's default location
    "path:/user/spark/*pplicationHistory/**",  # event logs at Cloudera
    "path:/var/log/spark/apps/**",  # event logs on EMR
    "path:eventlog_v2_*/**",  # an event log in several files
    # temporary files of Hive
    "path:hdfs://*/tmp/hive/**",  # scratch directory of Hive and Spark SQL (`hive.exec.scratchdir`)
    "path:file:/tmp/hive/**",  # the same, on a local disk
    "path:.hive-staging*/**",  # output of Hive before it is moved into place
    # the metadata of tables
    "path:_delta_log/**",  # metadata of a Delta table
    "path:.hoodie/**",  # metadata of a Hudi table
    "path:metadata/*.metadata.json",  # metadata of an Iceberg table
    "path:metadata/snap-*.avro",  # a manifest list of Iceberg
    "path:metadata/*{uuid}-m*.avro",  # a manifest of Iceberg
    "path:metadata/version-hint.text",  # the version of an Iceberg table
    # temporary files of connectors
    "path:.spark-bigquery-*/**",  # files that the BigQuery connector loads
    "path:{date}/??-??-??-???/{uuid}/**",  # files of Databricks' Synapse connector, below its `tempDir`
)


def default_rules() -> tuple[SelectionRule, ...]:
    """Return the parsed default rules."""
    return tuple(map(rule, DEFAULTS))
