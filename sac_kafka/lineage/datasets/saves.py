"""Derive the writes of `df.write.format(…).save()` to a V1 source: a dataset of its system, else the option `path`."""

from __future__ import annotations

from collections import Counter

from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.datasets.own_names import own_dataset
from sac_kafka.lineage.datasets.sources import path_is_a_name, reading_by_options, source_of
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.lineage.datasets.tables import columns
from sac_kafka.lineage.datasets.writes import Write, directory, writes_of
from sac_kafka.plan.commands import SaveIntoDataSourceCommand
from sac_kafka.plan.streaming import WriteToMicroBatchDataSource


@writes_of.register
def _(node: SaveIntoDataSourceCommand, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """Identify an unknown sink by the directory in its option `path`, else by other options."""
    if node.query is None:
        return ()
    source = source_of(node.data_source)
    if source is not None and source.dataset is not None:
        return saved_by_options(node, node.data_source, source, counts)
    if node.own_name is not None:
        own = own_dataset(node.own_name, columns(node.query_output), patterns)
        if own is not None:
            is_whole = node.mode == "Overwrite"
            return (Write(dataset=own, query=node.query, output=node.query_output, is_replacement=is_whole),)
    if node.path is not None and not path_is_a_name(node.data_source):
        # An overwrite may replace all rows, some partitions, or the rows of a condition: only the sink knows.
        kept = tuple(a for a in node.query_output if source is None or source.keeps(a.name))
        path = directory(node.path, _format(node), columns(kept), patterns, is_whole=False)
        is_deletion = source is not None and source.deletes(node.options or {})
        return (Write(dataset=path, query=node.query, output=() if is_deletion else kept),)
    found = reading_by_options(node.data_source, node.options or {}, columns(node.query_output))
    counts.update(found.counts if found is not None else (f"sink not understood: {node.data_source}",))
    is_whole = node.mode == "Overwrite"
    written = found.datasets if found is not None else ()
    return tuple(Write(dataset=d, query=node.query, output=node.query_output, is_replacement=is_whole) for d in written)


def saved_by_options(
    node: SaveIntoDataSourceCommand | WriteToMicroBatchDataSource, sink: str, source: Source, counts: Counter[str]
) -> tuple[Write, ...]:
    """Return the datasets that the options of a sink name; the rows of a Kafka sink may name their topics themselves."""
    if node.query is None:
        return ()
    query, options = node.query, node.options or {}
    output = tuple(a for a in node.query_output if source.keeps(a.name))
    topics = () if "topic" in options else sorted(node.topics)
    named = [{**options, "topic": topic} for topic in topics] or [dict(options)]
    found = [d for each in named if (d := source.named(each, columns(output))) is not None]
    if not found:
        counts[source.unnamed or f"sink not understood: {sink}"] += 1
    is_whole = isinstance(node, SaveIntoDataSourceCommand) and node.mode == "Overwrite"
    return tuple(Write(dataset=d, query=query, output=output, is_replacement=is_whole) for d in found)


def _format(node: SaveIntoDataSourceCommand) -> str:
    """Return the provider's short name, else one derived from its class: `com.x.spark.xml.DefaultSource` → `xml`."""
    return (node.short_name or node.data_source).removesuffix(".DefaultSource")
