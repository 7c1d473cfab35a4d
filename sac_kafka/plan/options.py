"""List the options of sources and sinks that are projected: those that name a dataset, and no others.

Case is ignored. Values of these options go into messages, recorded batches and names: never list an option that can be a secret.
"""

from __future__ import annotations

FILES = ("path", "paths")
BASE_PATH = ("basepath",)
CHECKPOINT = ("checkpointlocation",)
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

DELTA_WRITTEN = ("overwriteschema",)
"""Options of Delta's `save`: whether the columns are those of the query alone from now on."""

ANY_HOST = ("host", "hosts", "hostname", "server", "endpoint", "uri", "connection.uri")
ANY_LEVELS = (
    ("project", "account"),
    ("database", "databasename", "db", "keyspace"),
    ("schema", "dataset", "namespace"),
)
ANY_NAME = ("table", "tablename", "collection", "container", "index", "resource", "object", "stream")
"""Options of unknown connectors: the server, the levels of a name from the outside in, and the name itself."""

QUERY = ("query", "kustoquery")
"""Options that hold a query; its text is not projected, unless it is a name (`spark/java/Texts`)."""

CONNECTORS = (
    *("sfurl", "sfdatabase", "sfschema"),  # Snowflake
    "parentproject",  # BigQuery
    "ddlendpoint",  # SingleStore
    *("starrocks.fe.jdbc.url", "starrocks.table.identifier"),
    *("doris.fenodes", "doris.table.identifier"),
    *("port", "http_port"),  # ClickHouse
    *("spark.cassandra.connection.host", "spark.cassandra.connection.port"),
    *("spark.mongodb.input.uri", "spark.mongodb.output.uri"),
    *("es.nodes", "es.port", "es.resource", "es.resource.read", "es.resource.write"),
    *("opensearch.nodes", "opensearch.port", "opensearch.resource"),
    *("opensearch.resource.read", "opensearch.resource.write"),
    *("kudu.master", "kudu.table", "masteraddrs"),
    *("spark.cosmos.accountendpoint", "spark.cosmos.database", "spark.cosmos.container"),
    *("kustocluster", "kustodatabase", "kustotable", "clusterurl", "clusteralias"),
    *("labels", "relationship"),  # Neo4j
    *("service.url", "topics"),  # Pulsar
    *("login", "sfobject"),  # Salesforce
    *("streamname", "kinesis.streamname", "region", "kinesis.region"),
)

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
            *CONNECTORS,
        )
    )
)
"""Options of the systems of `lineage.datasets.sources`, in `save` and in catalog tables over one."""

TABLE_OPTIONS = (*FILES, *SOURCE_OPTIONS, *ICEBERG_READ)
"""Options of tables, relations and `save` targets of any source."""
