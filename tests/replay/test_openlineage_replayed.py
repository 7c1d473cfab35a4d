"""Every recorded batch, written as OpenLineage events and read again, is the same lineage; the events are valid."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.model import ColumnLineage, Process
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.flows import FlowOptions
from sac_kafka.openlineage.open_runs import OpenRuns
from sac_kafka.openlineage.sql_text import mask_sql
from sac_kafka.openlineage.writing.events import Events
from sac_kafka.openlineage.writing.names import EventNames, run_of_flow
from sac_kafka.openlineage.writing.sizes import encode
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from tests.helpers.openlineage_spec import VARIABLE, check_event
from tests.helpers.recorded_flows import BATCHES, FIXTURES, recorded_steps

JARS = "OPENLINEAGE_JAVA"
READER = Path(__file__).parents[1] / "helpers" / "ReadEvents.java"
_LONGEST_TEXT = 1_000
_LIMIT = 10_000_000


def events_of(steps: Iterable[ScheduledOutcome]) -> list[tuple[Process, dict[str, Any]]]:
    maker = Events("test", EventNames("hive://m1:9083"))
    flows = [(step, step.outcome) for step in steps if isinstance(step.outcome, Process) and step.outcome.outputs]
    return [
        (flow, json.loads(encode(maker.describe_flow(flow, now_ms, step.defined, step.together), _LIMIT)))
        for now_ms, (step, flow) in enumerate(flows)
    ]


def masked(text: str | None) -> str:
    """Return a text as it is read: what reads events masks all texts once more."""
    return mask_sql(text or "", "spark")[:_LONGEST_TEXT]


def comparable(flow: Process) -> dict[str, Any]:
    """Return what must be equal: all but what only this run has."""
    return {
        "datasets": [[(d.key, [(c.name, c.type, c.comment) for c in d.columns]) for d in side] for side in sides(flow)],
        "columns": sorted(map(_column, flow.columns)),
        "rows": sorted(map(repr, flow.row_level)),
        "clauses": [(c.dependency, masked(c.text), c.sources) for c in flow.clauses],
        "job": flow.application.job if not flow.defines_view else "",
        "run": (flow.run.failure, flow.run.rows_written, flow.run.read, masked(flow.run.query_text)),
        "driver": [(each.dataset.key, each.how) for each in flow.through_driver],
        "decided by": [each.key for each in flow.decided_by],
        **{
            name: getattr(flow, name)
            for name in (
                *("columns_omitted", "extent", "defines_view", "other_sources", "versions_read", "inputs_excluded"),
                *("gaps", "stream"),
            )
        },
    }


def sides(flow: Process) -> tuple[Any, ...]:
    return flow.inputs, flow.outputs


def _column(column: ColumnLineage) -> tuple[str, ...]:
    return column.dataset, column.column, repr(column.sources), masked(column.expression)


@pytest.mark.parametrize("batch", [pytest.param(p, id=str(p.relative_to(FIXTURES))) for p in BATCHES])
def test_events_of_a_recorded_batch_are_read_as_the_same_lineage(batch: Path) -> None:
    written = events_of(recorded_steps(batch))
    runs, meant = OpenRuns(FlowOptions(namespace="test")), {}
    for flow, event in reversed(written):
        runs.add(read_event(event), 0.0)
        meant.setdefault((run_of_flow(flow), *(each.key for each in flow.outputs)), comparable(flow))
        if VARIABLE in os.environ:
            check_event(event)
    found = [comparable(each) for group in runs.all() for each in group if isinstance(each, Process)]
    assert sorted(found, key=repr) == sorted(meant.values(), key=repr)


@pytest.mark.skipif(
    JARS not in os.environ, reason=f"set {JARS} to a folder with openlineage-java and what it needs (Maven)"
)
def test_openlineage_java_reads_all_events_without_loss(tmp_path: Path) -> None:
    events = [event for batch in BATCHES for _, event in events_of(recorded_steps(batch))]
    file = tmp_path / "events.jsonl"
    file.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    command = ["java", "-cp", f"{os.environ[JARS]}/*", str(READER), str(file)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == f"{len(events)} events\n"
