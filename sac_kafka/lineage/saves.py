"""What `df.write.format(…).save()` of a V1 source writes: one registered function a provider, else the option `path`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from sac_kafka.lineage.datasets import Patterns, columns
from sac_kafka.lineage.hbase import hbase_table
from sac_kafka.lineage.jdbc import name_parts, rdbms_table
from sac_kafka.lineage.kafka import RECORD, topics
from sac_kafka.lineage.model import Dataset
from sac_kafka.lineage.writes import Write, directory, writes_of
from sac_kafka.plan.commands import SaveIntoDataSourceCommand
from sac_kafka.plan.expressions import Attribute

Saved = list[tuple[Dataset, tuple[Attribute, ...]]]


@writes_of.register
def _(node: SaveIntoDataSourceCommand, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """A sink that is not understood is the directory that its option `path` names; without one it is counted."""
    if node.query is None:
        return ()
    provider = next((p for prefix, p in _PROVIDERS.items() if node.data_source.startswith(prefix)), None)
    if provider is not None:
        is_whole = node.mode == "Overwrite"
        found = provider(node, counts)
        return tuple(Write(dataset=d, query=node.query, output=o, is_replacement=is_whole) for d, o in found)
    if node.path is not None and not node.data_source.startswith(_PATH_IS_A_NAME):
        # What its overwrite replaces only the sink knows: all, some partitions, the rows of a condition.
        path = directory(node.path, _format(node), columns(node.query_output), patterns, is_whole=False)
        return (Write(dataset=path, query=node.query, output=node.query_output),)
    counts[f"sink not understood: {node.data_source}"] += 1
    return ()


def _format(node: SaveIntoDataSourceCommand) -> str:
    """The provider's short name, else of its class: `com.x.spark.xml.DefaultSource` → `xml`."""
    return (node.short_name or node.data_source).removesuffix(".DefaultSource")


def _jdbc(node: SaveIntoDataSourceCommand, counts: Counter[str]) -> Saved:
    url, name = (node.options or {}).get("url", ""), (node.options or {}).get("dbtable")
    dataset = rdbms_table(url, name_parts(name), columns(node.query_output)) if name else None
    if dataset is None:
        counts["sink not understood: JDBC without a URL and a table"] += 1
        return []
    return [(dataset, node.query_output)]


def _kafka(node: SaveIntoDataSourceCommand, counts: Counter[str]) -> Saved:
    options = node.options or {}
    names = (options["topic"],) if "topic" in options else node.topics
    if not names:
        counts["topics not known: each row names its own"] += 1
    output = tuple(a for a in node.query_output if a.name in RECORD)
    return [(topic, output) for topic in topics(sorted(names), options, columns(output))]


def _hbase(node: SaveIntoDataSourceCommand, counts: Counter[str]) -> Saved:
    dataset = hbase_table(node.options or {}, columns(node.query_output))
    if dataset is None:
        counts["sink not understood: HBase without a table"] += 1
        return []
    return [(dataset, node.query_output)]


_PROVIDERS: Mapping[str, Callable[[SaveIntoDataSourceCommand, Counter[str]], Saved]] = {
    "org.apache.spark.sql.execution.datasources.jdbc.": _jdbc,
    "com.microsoft.sqlserver.jdbc.spark.": _jdbc,
    "org.apache.spark.sql.kafka010.": _kafka,
    "org.apache.spark.sql.execution.datasources.hbase.": _hbase,
    "org.apache.hadoop.hbase.spark.": _hbase,
}
"""What a sink writes, by the beginning of its provider's class."""

_PATH_IS_A_NAME = ("org.elasticsearch.",)
"""Sinks whose option `path` is no path (an index)."""
