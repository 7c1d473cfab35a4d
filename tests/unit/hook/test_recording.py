"""Recorded batches replay to the messages that the driver sent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.errors import ProjectionError
from sac_kafka.hook.recording import Recording, read_first_line, read_recording, recorded_application, replay
from sac_kafka.model import Engine, SessionFacts
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


@pytest.mark.parametrize("engine", [Engine(version="4.3.0"), Engine(name="Flink", version="2.1"), Engine(name="dbt")])
def test_the_engine_is_recorded(engine: Engine) -> None:
    application = replace(APPLICATION, engine=engine)
    assert read_first_line(recorded_application(application), "a.txt")[0] == application


def test_an_older_recording_is_of_spark() -> None:
    kind, values, version = json.loads(recorded_application(APPLICATION))
    del values["engine"]
    line = json.dumps([kind, {**values, "spark_version": "3.5.9"}, version])
    assert read_first_line(line, "a.txt")[0].engine == Engine(name="Spark", version="3.5.9")


@pytest.mark.parametrize(
    "values", ['{"engine": 3}', '{"engine": {"name": 1}}', '{"engine": null}', '{"spark_version": 3}', "7", "[7]"]
)
def test_an_invalid_application_is_an_error_that_names_the_recording(values: str) -> None:
    fields = json.loads(values)
    valid = {"job": "j", "application_id": "a", "name": "n", "user": "u"}
    line = json.dumps(["application", {**valid, **fields} if isinstance(fields, dict) else fields])
    with pytest.raises(ProjectionError, match=r"^a\.txt: line 1 is not the application"):
        read_first_line(line, "a.txt")


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
