"""Kafka's Java client from Maven's repository through `--packages`, as docs/kerberos.md describes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from sac_kafka.launch.preparing import RUNNER
from tests.project.docs.blocks import ROOT, blocks
from tests.unit.launch.starting import configure, run, spark_program

pytestmark = [pytest.mark.spark, pytest.mark.nightly]  # fetches 25 MB


def test_the_driver_has_the_client_that_the_page_adds(tmp_path: Path) -> None:
    (shown,) = [block.text for block in blocks(ROOT / "docs" / "kerberos.md") if "--packages" in block.text]
    program, *options, rest = shlex.split(shown)
    assert (program, rest) == ("spark-submit", "…")
    cache = ("--conf", f"spark.jars.ivy={tmp_path / 'ivy'}")  # so that it is fetched
    ran = run([spark_program(program), *cache, *options, str(RUNNER), "--doctor", "--json"], configure(tmp_path))

    report = json.loads(ran.output[ran.output.index("{") :])
    steps = {each["step"]: (each["verdict"], each["text"]) for each in report["steps"]}
    assert ran.status == 0, ran.log
    assert steps["kafka-clients"] == ("ok", "Kafka's Java client is on the driver's class path")
