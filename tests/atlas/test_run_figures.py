"""What a process says of its last run: figures, of how many executions, and where rows come from that no dataset holds."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from sac_kafka.lineage.model import Process
from tests.atlas.flows import ORDINARY, RUN, TOTALS, entities, process, say


def _said(of: Process) -> dict[str, Any]:
    (found,) = (e for e in entities(say(of)) if e["typeName"] == "spark_process")
    return found


def _ran(**figures: int | None) -> Process:
    return dataclasses.replace(ORDINARY, run=dataclasses.replace(RUN, **figures))


def test_figures_are_facts_of_the_run() -> None:
    said = _said(_ran(rows_written=0, files_written=2, bytes_written=1_024, executions=4))
    expected = {"rows_written": 0, "files_written": 2, "bytes_written": 1_024, "executions": 4}
    assert expected.items() <= json.loads(said["attributes"]["details"]).items()
    assert {key: str(value) for key, value in expected.items()}.items() <= said["customAttributes"].items()


def test_what_was_not_counted_is_absent() -> None:
    said = _said(_ran())
    absent = {"rows_written", "files_written", "bytes_written", "executions"}
    assert not absent & json.loads(said["attributes"]["details"]).keys()
    assert not absent & said["customAttributes"].keys()


def test_rows_of_no_dataset_are_named() -> None:
    made = dataclasses.replace(process([], [TOTALS]), other_sources=("rows of the driver",))
    said = _said(made)
    assert said["attributes"]["name"].endswith(": rows of the driver -> data/totals")
    assert json.loads(said["attributes"]["details"])["other_sources"] == ["rows of the driver"]
