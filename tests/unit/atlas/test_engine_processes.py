"""`atlas.bridge.process.types = own`: flows of other engines have our own type, and nothing else of a message differs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.atlas.model import OWN_PROCESS, SPARK_TYPES
from sac_kafka.atlas.types.inheritance import ancestry
from sac_kafka.errors import WrongValuesError
from sac_kafka.model import Engine, Process, Stream
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import EngineProcesses, MessageForm
from sac_kafka.tools.messages.lineage import parse_message
from tests.unit.atlas.flows import APPLICATION, copy, messages_for, name, of_type, table

OWN = {"engine_processes": EngineProcesses.OWN}
FLINK = Engine(name="Flink", version="2.1")
FACTS = (("producer", "https://example.org/flink"), ("parent_job", "daily"), ("parent_run_id", "r0"))
TYPES = (SPARK_TYPES.process, OWN_PROCESS)


def flow(engine: Engine, facts: tuple[tuple[str, str], ...] = FACTS, **changed: Any) -> Process:
    application = dataclasses.replace(APPLICATION, engine=engine, application_id="r1", facts=facts)
    return dataclasses.replace(copy(table("a", "x"), table("b", "x")), application=application, **changed)


def processes(described: Process, **known: Any) -> list[dict[str, Any]]:
    return of_type(messages_for(described, **OWN, **known), *TYPES)


def test_it_is_a_process_of_spark_so_that_relationships_reach_it() -> None:
    assert SPARK_TYPES.process in ancestry(OWN_PROCESS)


def test_a_flow_of_another_engine_has_the_type_and_its_attributes() -> None:
    (found,) = processes(flow(FLINK))
    assert found["typeName"] == OWN_PROCESS
    expected = {
        "job": "daily load",
        "engine": "Flink",
        "engineVersion": "2.1",
        "producer": "https://example.org/flink",
        "runId": "r1",
        "parentJob": "daily",
        "parentRunId": "r0",
        "status": "succeeded",
        "started": 1_795_165_900_000,
        "ended": 1_795_165_902_000,
    }
    assert {key: found["attributes"].get(key) for key in expected} == expected
    (column,) = of_type(messages_for(flow(FLINK), **OWN), SPARK_TYPES.column_lineage)
    assert column["relationshipAttributes"]["process"]["typeName"] == OWN_PROCESS


def test_attributes_that_a_run_lacks_are_reset() -> None:
    (found,) = processes(flow(Engine(name=""), ()))
    reset = ("engine", "engineVersion", "producer", "parentJob", "parentRunId")
    assert [found["attributes"][key] for key in reset] == [None] * len(reset)
    assert found["attributes"]["status"] == "succeeded"


@pytest.mark.parametrize(
    "described",
    [flow(Engine(version="4.3.0")), dataclasses.replace(flow(FLINK), defines_view=True)],
    ids=["of Spark", "the definition of a view, which has no engine"],
)
def test_other_processes_keep_their_type_and_every_byte(described: Process) -> None:
    sent, usual = messages_for(described, **OWN), messages_for(described)
    assert [each.value for each in sent] == [each.value for each in usual]


@pytest.mark.parametrize("stream", [None, Stream(identity=("q",), name="q", checkpoint=None, query_id="i", run_id="r")])
def test_its_name_is_another_so_that_the_former_process_may_be_deleted_with_its_columns(stream: Stream | None) -> None:
    described = flow(FLINK, stream=stream)
    lineage = [of_type(messages_for(described, **settings), SPARK_TYPES.column_lineage) for settings in (OWN, {})]
    names = [{name(each) for each in of_content} for of_content in lineage]
    assert all(names)
    assert names[0].isdisjoint(names[1])


@pytest.mark.parametrize("form", [*MessageForm])
def test_readers_take_it_for_a_process(form: MessageForm) -> None:
    read = [
        each for message in messages_for(flow(FLINK), **OWN, message_form=form) for each in parse_message(message.value)
    ]
    (process,) = read
    assert (process.inputs, process.outputs, len(process.columns)) == (("sales.a@prod",), ("sales.b@prod",), 1)


def test_an_invalid_value_is_one_clear_error(tmp_path: Path) -> None:
    properties = {"atlas.client.type": "console", "atlas.bridge.process.types": "Process"}
    with pytest.raises(WrongValuesError) as caught:
        Settings.read(properties, str(tmp_path))
    assert len(caught.value.sentences) == 1
    assert "atlas.bridge.process.types = Process: must be one of spark, own" in str(caught.value)
