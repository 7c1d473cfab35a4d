"""List the options of sources and sinks that are projected: those that name a dataset, and no others.

One row per system; case is ignored. Values of these options go into messages, recorded batches and names: never list an option
that can be a secret.
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

SNOWFLAKE = ("sfurl", "sfdatabase", "sfschema")
BIGQUERY = ("parentproject",)
SINGLESTORE = ("ddlendpoint",)
STARROCKS = ("starrocks.fe.jdbc.url", "starrocks.table.identifier")
DORIS = ("doris.fenodes", "doris.table.identifier")
CLICKHOUSE = ("port", "http_port")
CASSANDRA = ("spark.cassandra.connection.host", "spark.cassandra.connection.port")
MONGODB = ("spark.mongodb.input.uri", "spark.mongodb.output.uri")
SEARCH = tuple(
    f"{name}.{key}"
    for name in ("es", "opensearch")
    for key in ("nodes", "port", "resource", "resource.read", "resource.write")
)
KUDU = ("kudu.master", "kudu.table", "masteraddrs")
COSMOS = ("spark.cosmos.accountendpoint", "spark.cosmos.database", "spark.cosmos.container")
KUSTO = ("kustocluster", "kustodatabase", "kustotable", "clusterurl", "clusteralias")
NEO4J = ("labels", "relationship")
PULSAR = ("service.url", "topics")
SALESFORCE = ("login", "sfobject")
KINESIS = ("streamname", "kinesis.streamname", "region", "kinesis.region")

CONNECTORS = (
    *SNOWFLAKE,
    *BIGQUERY,
    *SINGLESTORE,
    *STARROCKS,
    *DORIS,
    *CLICKHOUSE,
    *CASSANDRA,
    *MONGODB,
    *SEARCH,
    *KUDU,
    *COSMOS,
    *KUSTO,
    *NEO4J,
    *PULSAR,
    *SALESFORCE,
    *KINESIS,
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
