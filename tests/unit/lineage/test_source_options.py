"""Topics and HBase tables from source options. HBase was not run: these are its documented options."""

from __future__ import annotations

import pytest

from sac_kafka.lineage.datasets.systems.kafka import topics, topics_read
from sac_kafka.lineage.datasets.systems.stores import hbase_table

CATALOG = (
    '{"table": {"namespace": "shop", "name": "orders", "tableCoder": "PrimitiveType"}, "rowkey": "key", "columns": {}}'
)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"subscribe": "a"}, ("a",)),
        ({"subscribe": " a , b,a,"}, ("a", "b")),
        ({"assign": '{"a": [0, 1], "b": [2]}'}, ("a", "b")),
        ({"assign": "not json"}, ()),
        ({"assign": "[1]"}, ()),
        ({"subscribepattern": "a.*"}, ()),
        ({}, ()),
    ],
)
def test_the_topics_that_options_name(options: dict[str, str], names: tuple[str, ...]) -> None:
    assert topics_read(options) == names


def test_topic_has_its_servers_and_cluster_name() -> None:
    (topic,) = topics(["a"], {"kafka.bootstrap.servers": "h1:9092, h2:9092", "kafka.atlas.cluster.name": "prod"}, ())
    assert (topic.topic, topic.servers, topic.cluster) == ("a", "h1:9092,h2:9092", "prod")
    assert topics(["a"], {}, ())[0].cluster is None


@pytest.mark.parametrize(
    ("options", "namespace", "table"),
    [
        ({"catalog": CATALOG}, "shop", "orders"),
        ({"catalog": '{"table": {"name": "orders"}}'}, "default", "orders"),
        ({"catalog": '{"table": {"name": "shop:orders"}}'}, "shop", "orders"),
        ({"hbase.table": "shop:orders"}, "shop", "orders"),
        ({"hbase.table": "orders"}, "default", "orders"),
    ],
)
def test_the_hbase_table_that_options_name(options: dict[str, str], namespace: str, table: str) -> None:
    found = hbase_table({**options, "atlas.cluster.name": "prod"}, ())
    assert found is not None
    assert (found.namespace, found.table, found.cluster) == (namespace, table, "prod")


@pytest.mark.parametrize("catalog", ["", "{", "[]", "{}", '{"table": []}', '{"table": {}}', '{"table": {"name": ""}}'])
def test_options_without_an_hbase_table(catalog: str) -> None:
    assert hbase_table({"catalog": catalog}, ()) is None
