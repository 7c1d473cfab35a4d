"""Every case of a family, on a real Spark with its real jars, gives the expected lineage, without side effects."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sac_kafka.guard import Guard
from sac_kafka.plan import wire
from tests.cases.all_cases import SECRETS
from tests.cases.expected import expected
from tests.helpers.live_runs import Capture
from tests.helpers.watch import Watch
from tests.live.sources.case_lines import case_lines
from tests.live.sources.families import FAMILIES
from tests.live.sources.family import Family, steps

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.sources]
CHOSEN = FAMILIES.get(os.environ.get("SAC_KAFKA_TEST_SOURCE", ""))
NAMES = CHOSEN.names(version("pyspark")) if CHOSEN else []


@pytest.mark.parametrize("name", NAMES)
def test_a_case_has_its_lineage(
    spark: SparkSession, work: Path, capture: Capture, watch: Watch, family: Family, name: str
) -> None:
    """And while it is captured the hook touches no file system, opens no socket and starts no job."""
    for rest in steps(family.cases[name], spark, str(work)):
        capture.watch(Guard())  # what another step has read, whose events are gone, is nothing to this one
        capture.drain()
        watch.taken()
        text = family.settled(capture.text_of(rest))
    assert watch.taken(wait=True) == []
    assert not [secret for secret in SECRETS if secret in text]
    assert case_lines(family, name, text, str(work)) == expected(f"{family.name}_{name}")
    lines = list(wire.read(text))
    assert not [line for line in lines if isinstance(line, (wire.Stuck, wire.Counters))]
    notes = {what for line in lines if isinstance(line, wire.Projected) for what in line.notes}
    # This machine has more to do; and the optimizer may put another table in the place of the one that MERGE reads.
    assert not {what for what in notes if not what.startswith(("slow accessor", "scan of no leaf"))}
