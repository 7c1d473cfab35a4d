"""A flow of so many inputs that its process fits into no record, from a real Spark through a real Kafka to Atlas' own classes."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

import sac_kafka
from tests.helpers.broker import Broker
from tests.helpers.judge.judging import judge
from tests.helpers.live_runs import session
from tests.helpers.sessions import PATIENT, atlas_conf
from tests.helpers.waiting import LONG_SECONDS

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.exhaustive]

INPUTS = 50
LIMIT = 10_000


@pytest.mark.parametrize("compresses", ["true", "false"])
def test_a_process_larger_than_a_record_arrives_whole(
    tmp_path: Path, broker: Broker, compresses: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # no configuration file there
    topic = f"SPLIT_{compresses}"
    broker.create_topic(topic)
    conf = {
        "atlas.kafka.bootstrap.servers": broker.bootstrap,
        "atlas.notification.hook.topic.name": topic,
        "atlas.notification.message.max.length.bytes": str(LIMIT),
        "atlas.notification.message.compression.enabled": compresses,
        "atlas.metadata.namespace": "test",
        "atlas.hook.spool.dir": str(tmp_path / "spool"),
        "sql.sources.parallelPartitionDiscovery.threshold": "1000",
    }
    from pyspark.sql import DataFrame

    spark = session(str(tmp_path), **{f"spark.{key}": text for key, text in conf.items()}, **atlas_conf(**PATIENT))
    try:
        hook = sac_kafka.attach(spark)
        folders = [tmp_path / ("input_" + "x" * 60 + f"_{number}th") for number in range(INPUTS)]
        for folder in folders:
            folder.mkdir()
            (folder / "part-0.txt").write_text("a\n")
        # One read of them all would be one dataset.
        lines = functools.reduce(DataFrame.union, (spark.read.text(str(folder)) for folder in folders))
        lines.coalesce(1).write.text(str(tmp_path / "out"))
        assert hook.flush(LONG_SECONDS)
        assert hook.stats()["messages"]["delivered"] > 1
        assert hook.stats()["problem"] is None
    finally:
        spark.stop()

    values = [value.decode() for value in broker.read_all(topic)]
    assert max(map(len, values)) <= LIMIT
    packed = [json.loads(value) for value in values if json.loads(value)["message"].__class__ is str]
    assert {each["msgCompressionKind"] for each in packed} == {"GZIP" if compresses == "true" else "NONE"}
    assert any(each["msgSplitCount"] > 1 for each in packed) or compresses == "true"
    verdicts = judge().verdicts(values)
    assert {each.result for each in verdicts} <= {"OK", "PART"}
    assert verdicts[-1].result == "OK"
    assert [problem for each in verdicts for problem in each.problems] == []
