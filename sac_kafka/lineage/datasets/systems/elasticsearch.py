"""Elasticsearch: its `path` is an index."""

from __future__ import annotations

from sac_kafka.lineage.datasets.systems.source import Source

SOURCES = (
    Source(
        names=frozenset({"es", "org.elasticsearch.spark.sql"}),
        classes=("org.elasticsearch.",),
        path_is_a_name=True,
    ),
)
