"""What is left out unless `atlas.hook.spark.exclude.defaults = false`: directories in which no user keeps data.

Each is as narrow as what makes such directories allows: a name that a user might give a directory is none.
"""

from __future__ import annotations

from sac_kafka.config.rules import SelectionRule, rule

DEFAULTS: tuple[tuple[str, str], ...] = (
    # Spark and Hadoop at work
    ("path:.sparkStaging/**", "what Spark uploads to YARN"),
    ("path:_temporary/**", "what a task writes before it is committed"),
    ("path:.spark-staging-*/**", "partitions before they are moved into place"),
    ("path:_spark_metadata/**", "the log of a streaming query's files"),
    ("path:blockmgr-{uuid}/**", "shuffle files and blocks on a local disk"),
    ("path:file:/dev/null", "what is written to be thrown away"),
    # checkpoints
    ("path:_checkpoint/**", "checkpoints that are kept beside data"),
    ("path:_checkpoints/**", "the same, under its other usual name"),
    ("path:{uuid}/rdd-*", "checkpoints of RDDs"),
    ("path:temporary-{uuid}/**", "checkpoints of a streaming query that names no place for them"),
    # event logs
    ("path:/tmp/spark-events/**", "event logs where Spark puts them"),
    ("path:/user/spark/*pplicationHistory/**", "event logs at Cloudera"),
    ("path:/var/log/spark/apps/**", "event logs on EMR"),
    ("path:eventlog_v2_*/**", "an event log in several files"),
    # Hive at work
    ("path:hdfs://*/tmp/hive/**", "where Hive and Spark SQL work (`hive.exec.scratchdir`)"),
    ("path:file:/tmp/hive/**", "the same, on a local disk"),
    ("path:.hive-staging*/**", "what Hive writes before it is moved into place"),
    # the metadata of tables
    ("path:_delta_log/**", "metadata of a Delta table"),
    ("path:.hoodie/**", "metadata of a Hudi table"),
    ("path:metadata/*.metadata.json", "metadata of an Iceberg table"),
    ("path:metadata/snap-*.avro", "a manifest list of Iceberg"),
    ("path:metadata/*{uuid}-m*.avro", "a manifest of Iceberg"),
    ("path:metadata/version-hint.text", "the version of an Iceberg table"),
    # connectors at work
    ("path:.spark-bigquery-*/**", "files that the BigQuery connector loads"),
    ("path:{date}/??-??-??-???/{uuid}/**", "files of Databricks' Synapse connector, below its `tempDir`"),
)
"""Each with what is there."""


def default_rules() -> tuple[SelectionRule, ...]:
    """The rules themselves."""
    return tuple(rule(text) for text, _ in DEFAULTS)
