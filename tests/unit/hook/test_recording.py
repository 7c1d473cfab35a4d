"""Recorded batches replay to the messages that the driver sent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.errors import ProjectionError
from sac_kafka.hook.recording import Recording, read_recording, recorded_application, replay
from sac_kafka.model import SessionFacts
from sac_kafka.settings import Settings
from tests.helpers.messages import entities, names, validated
from tests.helpers.workers import APPLICATION, Bench, Script, batch


def test_a_recording_replays_without_java(tmp_path: Path) -> None:
    file = tmp_path / "batch.txt"
    file.write_text(recorded_application(APPLICATION) + "\n" + batch("union_all") + "\n" + batch("ctas") + "\n")
    settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")

    messages = validated(m.value for m in replay(read_recording(file), settings))

    assert len(names(messages, "spark_process")) == 2
    assert names(messages, "spark_application") == {"job@test"}


def test_recording_replays_to_the_messages_of_the_driver(tmp_path: Path) -> None:
    text = batch("union_all") + "\n" + batch("ctas")
    bench = Bench(tmp_path, Script([text]))
    bench.now_ms = lambda: 7
    bench.run()
    settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")

    replayed = [m.value.encode() for m in replay(Recording(APPLICATION, text), settings, now_ms=7)]

    assert [b"".join(record.values) for record in bench.transport.records] == replayed != []


def test_unreplayable_line_is_named() -> None:
    settings = Settings.read({"atlas.metadata.namespace": "test"}, "test")
    with pytest.raises(ProjectionError, match=r"^line 2 of the batch: JSONDecodeError"):
        list(replay(Recording(APPLICATION, '["counters",{}]\nnot json'), settings))


def test_query_text_is_bounded_and_can_be_switched_off(tmp_path: Path) -> None:
    file = tmp_path / "batch.txt"
    file.write_text(recorded_application(APPLICATION) + "\n" + batch("ctas"))
    texts = []
    for properties in ({}, {"atlas.hook.spark.query.text.max.length": "12"}, {"atlas.hook.spark.query.text": "off"}):
        settings = Settings.read({"atlas.metadata.namespace": "t", **properties}, "test")
        (process,) = entities(validated(m.value for m in replay(read_recording(file), settings)), "spark_process")
        texts.append(process["attributes"].get("queryText"))

    assert texts == [
        "create table ctas_t using parquet as select id, amount * 2 as twice, ? as fixed from orders",
        "create table",
        None,
    ]


@pytest.mark.parametrize(("is_hive", "type_name"), [(True, "hive_table"), (False, "DataSet")])
def test_session_facts_are_recorded_for_names_of_purview(tmp_path: Path, is_hive: bool, type_name: str) -> None:
    seen = SessionFacts(mounts=(("dbfs:/mnt/raw", "abfss://raw@a.dfs.core.windows.net"),), is_hive=is_hive)
    seen = replace(seen, configured_catalogs=frozenset({"lake", "ic"}))
    file = tmp_path / "batch.txt"
    file.write_text(recorded_application(APPLICATION, seen) + "\n" + batch("ctas"))
    settings = Settings.read({"atlas.hook.spark.dialect": "purview"}, "test")

    recording = read_recording(file)

    assert recording.session == seen
    type_names = [each["typeName"] for each in entities(json.loads(m.value) for m in replay(recording, settings))]
    assert type_name in type_names


def test_rejects_an_invalid_session(tmp_path: Path) -> None:
    file = tmp_path / "batch.txt"
    file.write_text(recorded_application(APPLICATION, SessionFacts()).replace('"is_hive"', '"hive"') + "\n")

    with pytest.raises(ProjectionError, match=r"batch.txt: the session in line 1 is invalid: .*'hive'; record"):
        read_recording(file)
