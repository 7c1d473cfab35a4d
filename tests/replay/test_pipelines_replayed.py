"""A Declarative Pipeline as a Spark has told of it (`tests.cases.declarative`), and what it means."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.hook.recording import read_recording, replay
from sac_kafka.settings import Settings
from sac_kafka.tools.graph.flows import flows
from tests.cases import declarative

RECORDINGS = sorted(declarative.RECORDED.glob("*.txt"))


@pytest.mark.parametrize("recorded", RECORDINGS, ids=lambda path: path.stem)
def test_a_pipeline_is_its_flows_and_no_others(recorded: Path) -> None:
    recording = read_recording(recorded)
    told = flows(message.value.encode() for message in replay(recording, Settings()))
    assert recording.application.job == declarative.JOB
    assert sorted(told, key=lambda flow: flow.outputs) == declarative.flows(declarative.WORK)
