"""Local metastores, which alone are queried. No Spark: the Hadoop configuration is a dict."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sac_kafka.spark.session import read_metastore

HIVE = {"spark.sql.catalogImplementation": "hive"}
URL, DRIVER = "javax.jdo.option.ConnectionURL", "javax.jdo.option.ConnectionDriverName"
FACTORY = "hive.metastore.client.factory.class"


@pytest.mark.parametrize(
    ("conf", "hadoop", "is_local"),
    [
        ({}, {"hive.metastore.uris": "thrift://h:9083"}, True),
        (HIVE, {}, True),
        (HIVE, {URL: "jdbc:derby:;databaseName=metastore_db;create=true"}, True),
        (HIVE, {FACTORY: "org.apache.hadoop.hive.ql.metadata.SessionHiveMetaStoreClientFactory"}, True),
        (HIVE, {"hive.metastore.uris": "thrift://h:9083"}, False),
        (HIVE, {FACTORY: "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory"}, False),
        (HIVE, {"hive.imetastoreclient.factory.class": "com.example.Factory"}, False),
        (HIVE, {URL: "jdbc:derby://db:1527/metastore"}, False),
        (HIVE, {URL: "jdbc:mariadb://db/metastore"}, False),
        (HIVE, {URL: "jdbc:mysql://db/metastore", DRIVER: "com.mysql.cj.jdbc.Driver"}, False),
        (HIVE, {DRIVER: "org.postgresql.Driver"}, False),
    ],
)
def test_only_an_embedded_metastore_is_local(conf: dict[str, str], hadoop: dict[str, str], is_local: bool) -> None:
    context = SimpleNamespace(_jsc=SimpleNamespace(hadoopConfiguration=lambda: hadoop))

    assert read_metastore(context, conf).is_local is is_local
