"""Which options of sources and sinks travel: those that name a dataset, and no other.

One row a system; capitals do not matter. A value of an option that is listed here goes into messages, recorded batches and
names: never list one that can be a secret.
"""

from __future__ import annotations

FILES = ("path", "paths")
JDBC = ("url", "dbtable")
KAFKA = ("kafka.bootstrap.servers", "kafka.atlas.cluster.name")
KAFKA_READ = ("subscribe", "assign", "subscribepattern")
KAFKA_WRITTEN = ("topic",)
HBASE = ("catalog", "hbase.table", "atlas.cluster.name")
ICEBERG_READ = ("start-snapshot-id", "end-snapshot-id")
HUDI_READ = (
    "as.of.instant",
    "hoodie.datasource.query.type",
    "hoodie.datasource.query.incremental.format",
    "hoodie.datasource.read.begin.instanttime",
    "hoodie.datasource.read.end.instanttime",
)
HUDI_WRITTEN = ("hoodie.datasource.write.operation",)

ANY_HOST = ("host", "hosts", "hostname", "server", "endpoint", "uri", "connection.uri")
ANY_LEVELS = (
    ("project", "account"),
    ("database", "databasename", "db", "keyspace"),
    ("schema", "dataset", "namespace"),
)
ANY_NAME = ("table", "tablename", "collection", "container", "index", "resource", "object", "stream")
"""Of connectors that nobody has heard of: where a server is, the levels of a name from the outside in, and the name itself."""

QUERY = ("query",)
"""That there is one: of its text nothing travels (`spark/java/Texts`)."""

SOURCE_OPTIONS = tuple(
    dict.fromkeys(
        (
            *JDBC,
            *KAFKA_WRITTEN,
            *KAFKA,
            *HBASE,
            *ANY_HOST,
            *(key for level in ANY_LEVELS for key in level),
            *ANY_NAME,
            *QUERY,
        )
    )
)
"""Of the systems of `lineage.datasets.sources`: of `save`, and of a table that a catalog makes over one."""

TABLE_OPTIONS = (*FILES, *SOURCE_OPTIONS, *ICEBERG_READ)
"""Of a table or a relation of a source, and of what is saved there."""
