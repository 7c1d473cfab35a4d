"""Recorded Declarative Pipelines (`tests.cases.declarative`), and their flows."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.hook.recording import read_recording, replay
from sac_kafka.settings import Settings
from sac_kafka.tools.graph.flows import flows
from tests.cases import declarative

RECORDINGS = sorted(declarative.RECORDED.glob("*.txt"))


@pytest.mark.parametrize("recorded", RECORDINGS, ids=lambda path: path.stem)
def test_a_pipeline_has_exactly_its_flows(recorded: Path) -> None:
    recording = read_recording(recorded)
    reported = flows(message.value.encode() for message in replay(recording, Settings()))
    assert recording.application.job == declarative.JOB
    assert sorted(reported, key=lambda flow: flow.outputs) == declarative.flows(declarative.WORK)
