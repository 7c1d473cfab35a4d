"""Derive the datasets that micro-batches of Structured Streaming read and write."""

from __future__ import annotations

import dataclasses
from collections import Counter

from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.reading import Reading, reading_of
from sac_kafka.lineage.datasets.sources import path_is_a_name, reading_by_options, source_of
from sac_kafka.lineage.datasets.systems.iceberg import loaded_table
from sac_kafka.lineage.datasets.systems.kafka import KAFKA, topics_reading
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.lineage.datasets.tables import catalog_dataset, columns
from sac_kafka.lineage.datasets.v1_writes import save_by_options, write_target
from sac_kafka.lineage.datasets.v2_tables import class_of, named_dataset, v2_reading
from sac_kafka.lineage.datasets.writes import Write, directory, writes_of
from sac_kafka.names.files import Patterns, paths
from sac_kafka.plan.relations import LogicalRDD
from sac_kafka.plan.streaming import (
    FileStreamSink,
    IcebergStream,
    SparkDataStream,
    StreamingDataSourceV2ScanRelation,
    StreamingRelation,
    StreamingRelationV2,
    WriteToMicroBatchDataSource,
    WriteToMicroBatchDataSourceV1,
)
from sac_kafka.plan.v2_tables import NoopTable, V2Table

_S = "org.apache.spark.sql.execution.streaming"

_FUNCTION_SINKS = frozenset({f"{_S}.sources.ForeachBatchSink", f"{_S}.sources.PythonForeachBatchSink"})
"""Sinks that pass the batch to a function; its writes are separate executions."""
_SINKS_WITHOUT_DATASET = {
    f"{_S}.sources.ForeachWriterTable": "foreach",
    f"{_S}.sources.MemorySink": "memory",
    f"{_S}.ConsoleTable$": "console",
    NoopTable.__name__: "noop",
}
"""Sinks that write to no dataset known to Spark, by the class of their table as returned by `class_of`."""
_STREAMS_WITHOUT_DATASET = (
    (f"{_S}.sources.Rate", "a stream of numbers"),
    (f"{_S}.continuous.Rate", "a stream of numbers"),
    (f"{_S}.sources.TextSocket", "a socket"),
    (f"{_S}.continuous.TextSocket", "a socket"),
    (f"{_S}.MemoryStream", "memory"),
    (f"{_S}.runtime.MemoryStream", "memory"),
    (f"{_S}.sources.LowLatencyMemoryStream", "memory"),
    (f"{_S}.sources.ContinuousMemoryStream", "memory"),
)
"""Descriptions of streams whose rows come from no dataset, by the prefix of their class."""


@writes_of.register
def _(node: WriteToMicroBatchDataSourceV1, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """Identify the sink by its catalog table, else by its path, else by its options."""
    sink = node.sink.sink_class
    if sink in _FUNCTION_SINKS:
        return ()
    schema = columns(node.query_output)
    if node.catalog_table is not None:
        return write_target(node, sink, Reading(datasets=(catalog_dataset(node.catalog_table),)), counts)
    source = source_of(sink)
    if node.path is not None and not path_is_a_name(sink) and (source is None or source.dataset is None):
        is_whole = node.output_mode == "Complete"
        path = directory(node.path, _format(node, source), schema, patterns, is_whole=is_whole)
        if isinstance(node.sink, FileStreamSink):
            path = dataclasses.replace(path, partitions=node.sink.partitions)
        return (Write(dataset=path, query=node.query, output=node.query_output, is_replacement=path.is_replaced),)
    return write_target(node, sink, reading_by_options(sink, node.options or {}, schema), counts)


def _format(node: WriteToMicroBatchDataSourceV1, source: Source | None) -> str:
    """Return the format of a file sink, else the system, else a name from the sink's class: `….DeltaSink` → `delta`."""
    if isinstance(node.sink, FileStreamSink):
        return node.sink.file_format
    if source is not None:
        return min(source.names, key=len)
    return node.sink.sink_class.rpartition(".")[2].removesuffix("Sink").removesuffix("Streaming").lower()


@writes_of.register
def _(node: WriteToMicroBatchDataSource, patterns: Patterns, counts: Counter[str]) -> tuple[Write, ...]:
    """Identify the sink by its V2 table; the topics of a Kafka sink may be literals in the query."""
    sink = class_of(node.table)
    if sink in _SINKS_WITHOUT_DATASET:
        counts[f"stream into no dataset: {_SINKS_WITHOUT_DATASET[sink]}"] += 1
        return ()
    source = source_of(sink)
    if source is not None and source.dataset is not None and node.identifier is None:
        return save_by_options(node, sink, source, counts)
    return write_target(node, sink, v2_reading(node, columns(node.query_output), patterns), counts)


@reading.register
def _(leaf: StreamingDataSourceV2ScanRelation, patterns: Patterns) -> Reading:
    """Identify the source by its table if known, else by the stream's own description."""
    schema, stream = columns(leaf.output), leaf.stream
    stream_class = "" if stream is None else stream.stream_class
    words = next((words for prefix, words in _STREAMS_WITHOUT_DATASET if stream_class.startswith(prefix)), None)
    if words is not None:
        return Reading(other_source=words)
    options = {**((stream and stream.options) or {}), **(leaf.options or {})}
    if stream_class.startswith(KAFKA):
        return topics_reading(options, schema, leaf.topics)
    read = v2_reading(leaf, schema, patterns) if isinstance(leaf.table, V2Table) else None
    if read is None and leaf.identifier is not None:
        read = reading_of(named_dataset(leaf.catalog, leaf.identifier, None, schema, patterns))
    if read is None and isinstance(stream, IcebergStream):
        read = reading_of(loaded_table(stream.table_name, stream.location, schema))
    read = read or reading_by_options(stream_class, options, schema)
    return read or Reading(counts=(f"relation not understood: {stream_class}",))


@reading.register
def _(leaf: StreamingRelation, patterns: Patterns) -> Reading:
    schema = columns(leaf.output)
    if leaf.catalog_table is not None:
        return Reading(datasets=(catalog_dataset(leaf.catalog_table, schema),))
    if leaf.path is not None and not path_is_a_name(leaf.provider):
        return Reading(datasets=paths((leaf.path,), leaf.provider, schema, patterns))
    read = reading_by_options(leaf.provider, leaf.options or {}, schema)
    return read or Reading(counts=(f"relation not understood: {leaf.provider}",))


@reading.register
def _(leaf: StreamingRelationV2, patterns: Patterns) -> Reading:
    schema, table_class = columns(leaf.output), class_of(leaf.table)
    if table_class.startswith(KAFKA):
        return topics_reading(leaf.options or {}, schema)
    words = next((words for prefix, words in _STREAMS_WITHOUT_DATASET if table_class.startswith(prefix)), None)
    if words is not None:
        return Reading(other_source=words)
    return v2_reading(leaf, schema, patterns) or Reading(counts=(f"relation not understood: {table_class}",))


@reading.register
def _(leaf: LogicalRDD, _patterns: Patterns) -> Reading:
    """Identify the rows of a V1 stream by its options; an RDD without a stream has no dataset."""
    if not isinstance(leaf.stream, SparkDataStream):
        return Reading(counts=("stream of a V1 source not understood",) if leaf.is_streaming else ())
    read = reading_by_options(leaf.stream.stream_class, leaf.stream.options or {}, columns(leaf.output))
    return read or Reading(counts=(f"relation not understood: {leaf.stream.stream_class}",))
