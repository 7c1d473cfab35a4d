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

SOURCE_OPTIONS = (*JDBC, *KAFKA_WRITTEN, *KAFKA, *HBASE)
"""Of the systems of `lineage.datasets.sources`: of `save`, and of a table that a catalog makes over one."""

TABLE_OPTIONS = (*FILES, *SOURCE_OPTIONS)
"""Of a table of a V2 source."""
