"""Identify datasets of non-relational stores by options: collections, indexes, graphs, streams, tables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial

from sac_kafka.lineage.datasets.systems.source import SourceOptions, connector, first
from sac_kafka.model import Column, HBaseDataset, OtherDataset
from sac_kafka.names.other_datasets import host_of, other_dataset
from sac_kafka.plan.systems.stores import HBaseRelation

_DATABASE_AND_COLLECTION = re.compile(r"[^/]*//[^/]*/(?P<database>[^.?/]+)(?:\.(?P<collection>[^?]+))?")
_FIRST_OF_PAIR = 2


def mongodb(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `connection.uri` (before version 10: `uri`), `database` and `collection`; the URI may contain the latter two."""
    uri = first(options, "connection.uri", "uri", "spark.mongodb.input.uri", "spark.mongodb.output.uri")
    within = _DATABASE_AND_COLLECTION.match(uri or "")
    database = first(options, "database") or (within and within["database"])
    collection = first(options, "collection") or (within and within["collection"])
    return other_dataset("mongodb", (database, collection), "collection of MongoDB", columns, host=host_of(uri))


def _search(
    system: str, prefix: str, kind: str, options: SourceOptions, columns: tuple[Column, ...]
) -> OtherDataset | None:
    """Use `<prefix>.nodes`, `<prefix>.port`, and `<prefix>.resource` or the argument of `load` for the index."""
    keys = (f"{prefix}.resource.write", f"{prefix}.resource.read", f"{prefix}.resource", "resource", "path", "index")
    index = (first(options, *keys) or "").strip("/").partition("/")[0]  # before version 7, a type follows the index
    host = host_of(first(options, f"{prefix}.nodes")) or "localhost"
    port = "" if re.search(r":\d+$", host) else f":{first(options, f'{prefix}.port') or '9200'}"
    return other_dataset(system, (index,), kind, columns, host=host + port)


def kudu(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `kudu.master` and `kudu.table`, or the fields of a relation."""
    masters = host_of(first(options, "kudu.master", "masteraddrs"))
    return other_dataset("kudu", (first(options, "kudu.table", "tablename"),), "table of Kudu", columns, host=masters)


def cosmos(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `spark.cosmos.accountEndpoint`, `.database` and `.container`."""
    host = host_of(first(options, "spark.cosmos.accountendpoint")).removesuffix(":443")
    levels = (first(options, "spark.cosmos.database"), first(options, "spark.cosmos.container"))
    return other_dataset("cosmos", levels, "container of Azure Cosmos DB", columns, host=host)


def kusto(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `kustoCluster` (an alias or a URL), `kustoDatabase`, and `kustoTable` or a `kustoQuery` that is a table name."""
    cluster = host_of(first(options, "kustocluster", "clusterurl", "clusteralias"))
    host = cluster if cluster.count(".") > 1 or not cluster else f"{cluster}.kusto.windows.net"
    levels = (first(options, "kustodatabase", "database"), first(options, "kustotable", "kustoquery", "table", "query"))
    return other_dataset("kusto", levels, "table of Azure Data Explorer", columns, host=host)


def neo4j(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `url`, `database`, and the `labels` of nodes or a `relationship`."""
    labels, relationship = (first(options, "labels") or "").strip(":"), first(options, "relationship")
    kind = "relationship of Neo4j" if relationship and not labels else "nodes of Neo4j"
    levels = (first(options, "database") or "neo4j", labels or relationship)
    return other_dataset("neo4j", levels, kind, columns, host=host_of(first(options, "url")))


def redis(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `table` (the prefix of its keys), and `host` if set."""
    return other_dataset(
        "redis", (first(options, "table"),), "keys of Redis", columns, host=host_of(first(options, "host"))
    )


def doris(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `doris.fenodes` and `doris.table.identifier` (`db.table`)."""
    levels = (first(options, "doris.table.identifier") or "").split(".")
    host = host_of(first(options, "doris.fenodes"))
    return other_dataset("doris", levels if len(levels) == _FIRST_OF_PAIR else (), "table of Doris", columns, host=host)


def pulsar(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `service.url` and `topic` (`[persistent://tenant/namespace/]topic`); several topics are not supported."""
    topic = first(options, "topic", "topics") or ""
    parts = topic.partition("://")[2].split("/") if "://" in topic else ["public", "default", topic]
    if not topic or "," in topic:
        return None
    return other_dataset("pulsar", parts, "topic of Pulsar", columns, host=host_of(first(options, "service.url")))


def salesforce(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `sfObject` and `login`."""
    host = host_of(first(options, "login")) or "login.salesforce.com"
    return other_dataset("salesforce", (first(options, "sfobject"),), "object of Salesforce", columns, host=host)


def kinesis(options: SourceOptions, columns: tuple[Column, ...]) -> OtherDataset | None:
    """Use `kinesis.streamName` and `kinesis.region`."""
    region = first(options, "kinesis.region", "region") or ""
    return other_dataset(
        "kinesis", (first(options, "kinesis.streamname", "streamname"),), "stream of Kinesis", columns, host=region
    )


def hbase_table(options: Mapping[str, str], columns: tuple[Column, ...]) -> HBaseDataset | None:
    """Name a table by `hbase.table` or `catalog` (JSON: {"table": {"namespace": …, "name": …}, …}); None without either."""
    name = options.get("hbase.table") or _in_catalog(options.get("catalog", ""))
    namespace, colon, table = (name or "").rpartition(":")
    if not table:
        return None
    return HBaseDataset(
        namespace=namespace if colon else "default",
        table=table,
        cluster=options.get("atlas.cluster.name") or None,
        columns=columns,
    )


def _in_catalog(text: str) -> str | None:
    try:
        table = json.loads(text)["table"]
        name = str(table["name"])
        return name if ":" in name else f"{table.get('namespace') or 'default'}:{name}"
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


_SHC = "org.apache.spark.sql.execution.datasources.hbase"
"""The package of the Spark HBase Connector (SHC)."""

SOURCES = (
    connector(
        "HBase",
        "a table",
        hbase_table,
        _SHC,
        "org.apache.hadoop.hbase.spark",
        reads={HBaseRelation: lambda found, columns: hbase_table(found.options or {}, columns)},
    ),
    connector(
        "MongoDB",
        "a database and a collection",
        mongodb,
        "mongodb",
        "mongo",
        "com.mongodb.spark.sql",
        "com.mongodb.spark.sql.connector",
        classes=("com.mongodb.spark.",),
    ),
    connector(
        "Elasticsearch",
        "an index",
        partial(_search, "elasticsearch", "es", "index of Elasticsearch"),
        "es",
        "elasticsearch",
        "org.elasticsearch.spark.sql",
        classes=("org.elasticsearch.",),
        path_is_a_name=True,
    ),
    connector(
        "OpenSearch",
        "an index",
        partial(_search, "opensearch", "opensearch", "index of OpenSearch"),
        "opensearch",
        "org.opensearch.spark.sql",
        classes=("org.opensearch.",),
        path_is_a_name=True,
    ),
    connector("Kudu", "kudu.table", kudu, "kudu", "org.apache.kudu.spark.kudu", classes=("org.apache.kudu.",)),
    connector("Azure Cosmos DB", "a database and a container", cosmos, "cosmos.oltp", "com.azure.cosmos.spark"),
    connector(
        "Azure Data Explorer",
        "kustoDatabase and kustoTable",
        kusto,
        "com.microsoft.kusto.spark.datasource",
        "com.microsoft.kusto.spark.synapse.datasource",
        classes=("com.microsoft.kusto.spark.",),
    ),
    connector(
        "Neo4j", "labels or a relationship", neo4j, "org.neo4j.spark.datasource", "neo4j", classes=("org.neo4j.spark.",)
    ),
    connector("Redis", "a table", redis, "org.apache.spark.sql.redis"),
    connector("Doris", "doris.table.identifier", doris, "doris", classes=("org.apache.doris.spark.",)),
    connector("Pulsar", "a topic", pulsar, "pulsar", classes=("org.apache.spark.sql.pulsar.",)),
    connector("Salesforce", "sfObject", salesforce, "com.springml.spark.salesforce"),
    connector(
        "Kinesis",
        "a stream",
        kinesis,
        "kinesis",
        "aws-kinesis",
        classes=("org.apache.spark.sql.kinesis.", "org.apache.spark.sql.connector.kinesis."),
    ),
)
