"""The classes of connectors are as `lineage/datasets/systems` takes them: their names, and where they keep what names a table."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.datasets.sources import source_of
from sac_kafka.plan.declaration import accessors
from sac_kafka.plan.systems.stores import CassandraTable
from stack import jars
from tests.live.sources.class_files import ClassPath

pytestmark = pytest.mark.sources
TEXT, SCALA_MAP, JAVA_MAP = "Ljava/lang/String;", "Lscala/collection/immutable/Map;", "Ljava/util/Map;"
GOOGLE = "com.google.cloud.spark.bigquery"
TABLE_ID = f"{GOOGLE}.repackaged.com.google.cloud.bigquery.TableId"

PROVIDERS = [
    ("snowflake", "net.snowflake.spark.snowflake.DefaultSource"),
    ("com.microsoft.sqlserver.jdbc.spark", "com.microsoft.sqlserver.jdbc.spark.DefaultSource"),
    ("org.apache.spark.sql.cassandra", "org.apache.spark.sql.cassandra.DefaultSource"),
    ("org.apache.spark.sql.cassandra", "com.datastax.spark.connector.datasource.CassandraTable"),
    ("org.apache.spark.sql.cassandra", "com.datastax.spark.connector.datasource.CassandraCatalog"),
    ("mongodb", "com.mongodb.spark.sql.connector.MongoTableProvider"),
    ("es", "org.elasticsearch.spark.sql.DefaultSource15"),
    ("kudu", "org.apache.kudu.spark.kudu.DefaultSource"),
    ("bigquery", f"{GOOGLE}.v2.Spark35BigQueryTableProvider"),
    ("bigquery", f"{GOOGLE}.direct.DirectBigQueryRelation"),
    ("org.neo4j.spark.datasource", "org.neo4j.spark.DataSource"),
    ("org.apache.spark.sql.redis", "org.apache.spark.sql.redis.DefaultSource"),
    ("pulsar", "org.apache.spark.sql.pulsar.PulsarProvider"),
    ("doris", "org.apache.doris.spark.sql.sources.DorisDataSource"),
    ("org.apache.hadoop.hbase.spark", "org.apache.hadoop.hbase.spark.HBaseRelation"),
    ("com.springml.spark.salesforce", "com.springml.spark.salesforce.DefaultSource"),
]
HELD = [
    ("net.snowflake.spark.snowflake.SnowflakeRelation", "#params", "Lnet/snowflake/spark/snowflake/Parameters$MergedParameters;"),
    ("net.snowflake.spark.snowflake.Parameters$MergedParameters", "#parameters", SCALA_MAP),
    ("com.mongodb.spark.sql.connector.MongoTable", "#mongoConfig", "Lcom/mongodb/spark/sql/connector/config/MongoConfig;"),
    ("com.mongodb.spark.sql.connector.config.ReadConfig", "#options", JAVA_MAP),
    ("org.elasticsearch.spark.sql.ElasticsearchRelation", "#parameters", SCALA_MAP),
    ("org.apache.kudu.spark.kudu.KuduRelation", "#tableName", TEXT),
    ("org.apache.kudu.spark.kudu.KuduRelation", "#masterAddrs", TEXT),
    (f"{GOOGLE}.v2.Spark35BigQueryTable", "#tableId", f"L{TABLE_ID.replace('.', '/')};"),
    (f"{GOOGLE}.direct.DirectBigQueryRelation", "#tableId", f"L{TABLE_ID.replace('.', '/')};"),
    (TABLE_ID, "#project", TEXT),
    (TABLE_ID, "#dataset", TEXT),
    (TABLE_ID, "#table", TEXT),
    ("org.neo4j.spark.Neo4jTable", "#neo4jOptions", "Lorg/neo4j/spark/util/Neo4jOptions;"),
    ("org.neo4j.spark.util.Neo4jOptions", "#options", JAVA_MAP),
    ("org.apache.hadoop.hbase.spark.HBaseRelation", "parameters", SCALA_MAP),
]  # fmt: skip


@pytest.fixture(scope="module")
def classes() -> ClassPath:
    found = jars.provide("connectors-classes")
    return ClassPath(found.folder / jar.file_name for jar in found.jars)


@pytest.mark.parametrize(("called", "name"), PROVIDERS)
def test_a_class_is_of_the_system_that_its_format_names(classes: ClassPath, called: str, name: str) -> None:
    assert classes.find(name) is not None
    assert source_of(name) is not None and source_of(name) is source_of(called)


@pytest.mark.parametrize(("name", "step", "type_name"), HELD)
def test_a_class_has_the_fields_that_name_a_table(classes: ClassPath, name: str, step: str, type_name: str) -> None:
    assert classes.member(name, step) == type_name


def test_the_accessors_of_a_table_of_cassandra(classes: ClassPath) -> None:
    """Each accessor has the type of the next one's receiver; addresses come from the configuration, never from a session."""
    for accessor in accessors(CassandraTable):
        of = "com.datastax.spark.connector.datasource.CassandraTable"
        for step in accessor.path.split("."):
            found = classes.member(of, step)
            assert found is not None, (accessor.path, step)
            of = found.removeprefix("L").removesuffix(";").replace("/", ".")
        assert of == "java.lang.String"


def test_a_missing_class_is_not_found(classes: ClassPath) -> None:
    assert classes.find("net.snowflake.spark.snowflake.Nothing") is None
    assert classes.member("org.apache.kudu.spark.kudu.KuduRelation", "#nothing") is None
