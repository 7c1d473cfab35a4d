"""A Declarative Pipeline on a real Spark, run by its own command: its flows and no others, also after a full refresh."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from sac_kafka.tools.graph.flows import flows
from tests.cases import declarative

pytestmark = [
    pytest.mark.spark,
    pytest.mark.nightly,
    pytest.mark.skipif(find_spec("pyspark.pipelines") is None, reason="this Spark has no Declarative Pipelines"),
]


def test_a_pipeline_reports_its_flows(tmp_path: Path) -> None:
    declarative.make(tmp_path)
    for options in ((), ("--full-refresh-all",)):
        shutil.rmtree(tmp_path / "warehouse", ignore_errors=True)  # the catalog is the application's own
        ran = declarative.run_once(tmp_path, *options)
        assert ran.status == 0, ran.log
        assert ran.warnings == []
        reported = flows((tmp_path / "messages.jsonl").read_bytes().splitlines())
        assert sorted(reported, key=lambda flow: flow.outputs) == declarative.flows(str(tmp_path))
        assert ran.jobs() == {declarative.JOB}
