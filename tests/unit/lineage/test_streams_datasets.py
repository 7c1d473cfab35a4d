"""Sources and sinks of streams whose connectors have no case: named by their contents, else counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from sac_kafka.lineage.extract import Extraction, extract
from sac_kafka.model import Application, PathDataset, Run, TopicDataset
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRDD, LogicalRelation, RowsWithoutDataset
from sac_kafka.plan.streaming import (
    FileStreamSink,
    IcebergStream,
    SparkDataStream,
    StreamingDataSourceV2ScanRelation,
    StreamingRelation,
    StreamingRelationV2,
    StreamingSink,
    WriteToMicroBatchDataSource,
    WriteToMicroBatchDataSourceV1,
)
from sac_kafka.plan.v2_tables import Identifier, V2Table

APPLICATION = Application(job="test", application_id="local-1", name="test", user="tester")
ID = Attribute(expr_id=1, name="value", type="bigint", nullable=False)
KAFKA = "org.apache.spark.sql.kafka010.KafkaMicroBatchStream"
KAFKA_TABLE = "org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable"
SERVERS = {"kafka.bootstrap.servers": "k1:9092"}


def leaf(
    stream: SparkDataStream | None,
    *,
    topics: tuple[str, ...] = (),
    catalog: str | None = None,
    identifier: Identifier | None = None,
    **options: str,
) -> StreamingDataSourceV2ScanRelation:
    return StreamingDataSourceV2ScanRelation(
        class_name="StreamingDataSourceV2Relation",
        table=None,
        catalog=catalog,
        identifier=identifier,
        stream=stream,
        options=options,
        topics=topics,
        output=(ID,),
    )


def stream(stream_class: str, **options: str) -> SparkDataStream:
    return SparkDataStream(stream_class=stream_class, options=options)


def table(table_class: str, name: str = "t", **options: str) -> V2Table:
    return V2Table(
        table_class=table_class, name=name, columns=(), partitioning=(), properties={}, own_options=options or None
    )


def into(
    sink: StreamingSink, query: LogicalPlan, *, path: str | None = None, mode: str = "Append", **options: str
) -> WriteToMicroBatchDataSourceV1:
    return WriteToMicroBatchDataSourceV1(
        query=query,
        query_output=(ID,),
        query_id="1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa",
        batch_id=0,
        output_mode=mode,
        options=options,
        sink=sink,
        catalog_table=None,
        path=path,
    )


def into_table(
    sink: V2Table, query: LogicalPlan, *, topics: tuple[str, ...] = (), related: bool = False, **options: str
) -> WriteToMicroBatchDataSource:
    return WriteToMicroBatchDataSource(
        query=query,
        query_output=(ID,),
        query_id="1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa",
        batch_id=0,
        output_mode="Append",
        options=options,
        own_table=None if related else sink,
        related_table=sink if related else None,
        catalog=None,
        identifier=None,
        topics=topics,
    )


FILES = FileStreamSink(sink_class="org.apache.spark.sql.execution.streaming.FileStreamSink", file_format="parquet")


def of(root: LogicalPlan) -> Extraction:
    return extract(root, Run(execution_id=1), APPLICATION)


def read(source: LogicalPlan) -> tuple[list[str], Mapping[str, int]]:
    """Return the inputs of a batch that writes files, and the counts."""
    found = of(into(FILES, source, path="file:/out"))
    (process,) = found.processes
    return [d.key for d in process.inputs], found.counts


# ---- sources


@pytest.mark.parametrize(
    ("source", "inputs"),
    [
        (leaf(stream(KAFKA), topics=("b", "a"), **SERVERS, subscribepattern=".*"), ["topic:k1:9092/a", "topic:k1:9092/b"]),
        (leaf(stream(KAFKA), **SERVERS, subscribe="a, b"), ["topic:k1:9092/a", "topic:k1:9092/b"]),
        (leaf(stream(KAFKA), **SERVERS, assign='{"a": [0]}'), ["topic:k1:9092/a"]),
        (leaf(stream("org.x.XStream"), catalog="c", identifier=Identifier(namespace=("d",), name="t")), ["table:c.d.t"]),
        (
            leaf(IcebergStream(stream_class="i", options={}, table_name="ic.a.b.t", location="s3://l/t")),
            ["table:ic.a.b.t"],
        ),
        (
            leaf(IcebergStream(stream_class="i", options={}, table_name="s3://l/t", location="s3://l/t/")),
            ["path:s3://l/t"],
        ),
        (leaf(stream("com.acme.Feed", host="h1", table="orders", database="shop")), ["other:com.acme://h1/shop/orders"]),
    ],
)  # fmt: skip
def test_v2_stream_is_what_it_names(source: LogicalPlan, inputs: list[str]) -> None:
    found, counts = read(source)
    assert (found, {c for c in counts if not c.startswith("connector not known")}) == (inputs, set())


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (leaf(stream(KAFKA), **SERVERS, subscribepattern=".*"), "topics not known: they are read by a pattern"),
        (leaf(stream("com.acme.Feed")), "relation not understood: com.acme.Feed"),
        (leaf(None), "relation not understood: "),
    ],
)
def test_unnamed_v2_stream_is_counted(source: LogicalPlan, reason: str) -> None:
    assert read(source) == ([], {reason: 1})


def test_unstored_rows_are_described() -> None:
    rate = leaf(stream("org.apache.spark.sql.execution.streaming.sources.RateStreamMicroBatchStream"))
    (process,) = of(into(FILES, rate, path="file:/out")).processes
    assert (process.inputs, process.other_sources) == ((), ("a stream of numbers",))


def rows(stream: object) -> LogicalRDD:
    return LogicalRDD(class_name="org.x.LogicalRDD", output=(ID,), is_streaming=True, stream=stream)


def test_v1_source_is_named_by_its_stream_else_counted() -> None:
    kinesis = stream("org.apache.spark.sql.connector.kinesis.KinesisV1", streamname="s", region="eu")
    assert read(rows(kinesis))[0] == ["other:kinesis://eu/s"]
    assert read(rows(None)) == ([], {"stream of a V1 source not understood": 1})
    assert read(rows(stream("com.acme.Feed"))) == ([], {"relation not understood: com.acme.Feed": 1})


def test_source_without_new_rows_has_no_outcome() -> None:
    empty = RowsWithoutDataset(class_name="org.x.LocalRelation", output=(ID,), is_streaming=True)
    (process,) = of(into(FILES, empty, path="file:/out")).processes
    assert (process.inputs, process.other_sources) == ((), ())


def test_empty_initial_state_is_no_source() -> None:
    """Ignore the empty relation that stateful operators use as initial state."""
    nothing = RowsWithoutDataset(class_name="org.x.LocalRelation", output=())
    (process,) = of(into(FILES, nothing, path="file:/out")).processes
    assert (process.inputs, process.other_sources) == ((), ())


def test_rows_of_a_memory_sink_are_described() -> None:
    kept = RowsWithoutDataset(class_name="org.x.MemoryPlan", output=(ID,))
    found = of(into(FILES, kept, path="file:/out"))
    assert [p.other_sources for p in found.processes] == [("a stream's rows in memory",)]
    assert [p.gaps for p in found.processes] == [("inputs not known: a stream's rows in memory",)]


@pytest.mark.parametrize(
    ("path", "files", "inputs", "file_format"),
    [
        ("file:/in", ("file:/in/a.csv", "file:/in/sub/b.csv"), ["path:file:/in"], "csv"),
        (None, ("file:/in/x/a.csv", "file:/in/y/b.csv"), ["path:file:/in/x", "path:file:/in/y"], "csv"),
        (None, ("file:/in/day=1/a.csv", "file:/in/day=2/b.csv"), ["path:file:/in"], "csv"),
        (None, ("file:/lake/t",), ["path:file:/lake/t"], "HudiFileGroup"),
    ],
)
def test_files_of_a_batch_are_of_what_is_watched(
    path: str | None, files: tuple[str, ...], inputs: list[str], file_format: str
) -> None:
    source = LogicalRelation(
        class_name="org.x.LogicalRelation",
        relation=HadoopFsRelation(root_paths=files, file_format=file_format),
        catalog_table=None,
        is_streaming=True,
        stream_path=path,
        output=(ID,),
    )
    assert read(source) == (inputs, {})


@pytest.mark.parametrize(
    ("source", "inputs"),
    [
        (("csv", "file:/in", {}), ["path:file:/in"]),
        (("com.acme.Feed", None, {"table": "orders", "database": "d", "host": "h"}), ["other:com.acme://h/d/orders"]),
        (("com.acme.Feed", None, {}), []),
    ],
)
def test_a_v1_source_before_the_start(source: tuple[str, str | None, dict[str, str]], inputs: list[str]) -> None:
    provider, path, options = source
    relation = StreamingRelation(
        class_name="x", provider=provider, catalog_table=None, path=path, options=options, output=(ID,)
    )
    found, counts = read(relation)
    assert found == inputs
    assert bool(counts) is (provider == "com.acme.Feed")


@pytest.mark.parametrize(
    ("table_class", "options", "inputs", "words"),
    [
        (KAFKA_TABLE, {**SERVERS, "subscribe": "a"}, ["topic:k1:9092/a"], ()),
        ("org.apache.spark.sql.execution.streaming.sources.RateStreamTable", {}, [], ("a stream of numbers",)),
        ("com.acme.FeedTable", {"table": "o", "database": "d", "host": "h"}, ["other:com.acme://h/d/o"], ()),
    ],
)
def test_a_v2_source_before_the_start(
    table_class: str, options: dict[str, str], inputs: list[str], words: tuple[str, ...]
) -> None:
    relation = StreamingRelationV2(
        class_name="x", table=table(table_class), catalog=None, identifier=None, options=options, output=(ID,)
    )
    (process,) = of(into(FILES, relation, path="file:/out")).processes
    assert ([d.key for d in process.inputs], process.other_sources) == (inputs, words)


# ---- sinks


ROWS = leaf(stream(KAFKA), topics=("in",), **SERVERS)


@pytest.mark.parametrize(
    ("sink", "path", "options", "outputs"),
    [
        (FILES, "file:/out/x", {}, ["path:file:/out/x"]),
        (StreamingSink(sink_class="org.apache.spark.sql.delta.sources.DeltaSink"), "s3://l/t", {}, ["path:s3://l/t"]),
        (StreamingSink(sink_class="com.acme.FeedSink"), None, {"table": "o", "database": "d", "host": "h"}, ["other:com.acme://h/d/o"]),
    ],
)  # fmt: skip
def test_v1_sink_is_named_by_its_path_else_by_its_options(
    sink: StreamingSink, path: str | None, options: dict[str, str], outputs: list[str]
) -> None:
    (process,) = of(into(sink, ROWS, path=path, **options)).processes
    assert [d.key for d in process.outputs] == outputs
    assert [c.column for c in process.columns] == ["value"]


@pytest.mark.parametrize(
    ("sink_class", "file_format"),
    [("org.apache.spark.sql.delta.sources.DeltaSink", "delta"), ("org.apache.hudi.HoodieStreamingSink", "hudi")],
)
def test_the_format_of_a_sink_is_the_name_of_its_system(sink_class: str, file_format: str) -> None:
    sink = StreamingSink(sink_class=sink_class)
    (process,) = of(into(sink, ROWS, path="s3://l/t", mode="Complete")).processes
    (output,) = process.outputs
    assert isinstance(output, PathDataset)
    assert (output.format, output.is_replaced, process.replaces_output) == (file_format, True, True)


def test_unnamed_v1_sink_is_counted() -> None:
    found = of(into(StreamingSink(sink_class="com.acme.FeedSink"), ROWS))
    assert (found.processes, Counter(found.counts)["sink not understood: com.acme.FeedSink"]) == ((), 1)


def test_a_function_over_the_batch_writes_by_itself() -> None:
    sink = StreamingSink(sink_class="org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink")
    assert of(into(sink, ROWS)) == Extraction()


@pytest.mark.parametrize("related", [False, True])
def test_topics_of_a_sink_are_the_option_else_those_of_rows(related: bool) -> None:
    def topics(*topic_names: str, **options: str) -> list[str]:
        root = into_table(table(KAFKA_TABLE), ROWS, topics=topic_names, related=related, **SERVERS, **options)
        outputs = [p.outputs[0] for p in of(root).processes]
        return [d.topic for d in outputs if isinstance(d, TopicDataset)]

    assert topics("a", "b") == ["a", "b"]
    assert topics("a", topic="c") == ["c"]
    assert topics() == []


def test_topics_that_rows_make_are_counted() -> None:
    found = of(into_table(table(KAFKA_TABLE), ROWS, **SERVERS))
    assert found.counts["topics not known: each row names its own"] == 1


@pytest.mark.parametrize(
    ("table_class", "kind"),
    [
        ("org.apache.spark.sql.execution.streaming.sources.MemorySink", "memory"),
        ("org.apache.spark.sql.execution.streaming.sources.ForeachWriterTable", "foreach"),
        ("org.apache.spark.sql.execution.streaming.ConsoleTable$", "console"),
    ],
)
def test_sink_that_stores_no_rows_is_counted(table_class: str, kind: str) -> None:
    found = of(into_table(table(table_class), ROWS))
    assert (found.processes, found.counts) == ((), {f"stream into no dataset: {kind}": 1})


def test_unknown_v2_sink_is_named_by_its_options_else_counted() -> None:
    named = of(into_table(table("com.acme.FeedTable"), ROWS, table="o", database="d", host="h"))
    assert [d.key for d in named.processes[0].outputs] == ["other:com.acme://h/d/o"]
    nothing = of(into_table(table("com.acme.FeedTable", name=""), ROWS))
    assert (nothing.processes, nothing.counts) == ((), {"sink not understood: com.acme.FeedTable": 1})
