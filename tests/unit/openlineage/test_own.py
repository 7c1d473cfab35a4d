"""Facets of this product in events of anybody: what is invalid is ignored, and nothing is lost by it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sac_kafka.model import Process, RdbmsDataset
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.flows import FlowOptions, Flows
from sac_kafka.openlineage.own_facets import dataset_of_identity, identity_of
from sac_kafka.openlineage.runs import run_of
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from tests.helpers.secret_search import used
from tests.unit.openlineage.writing.test_events import FLOW, REPORT, event_of, output

SECRET = used("hunter2-of-a-facet")
WRONG: tuple[Any, ...] = (None, True, -1, 1.5, "x", [], [1], [[]], {}, {"a": 1}, [{"dataset": 1}], [{"type": "FILTER"}])
FIELDS = {
    "sacKafka_flow": (
        *("isReplaced", "part", "definesView", "columnsOmitted", "otherSources", "throughDriver", "decidedBy", "gaps"),
        *("inputsExcluded", "expressions", "clauses", "stream", "of", "inputs", "failure"),
    ),
    "sacKafka_dataset": ("kind", "path", "others"),
}


def read(event: dict[str, Any]) -> list[Process]:
    return [each for each in Flows(FlowOptions()).outcomes(run_of(read_event(event))) if isinstance(each, Process)]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
@pytest.mark.parametrize(("facet", "field"), [(facet, field) for facet, fields in FIELDS.items() for field in fields])
def test_a_wrong_value_changes_nothing_else(facet: str, field: str, wrong: Any) -> None:
    event = event_of(FLOW)
    event["outputs"][0]["facets"][facet][field] = wrong
    (flow,) = read(event)
    assert [each.key for each in flow.inputs] == [FLOW.inputs[0].key]
    assert len(flow.columns) == len(flow.row_level) == 1


@pytest.mark.parametrize("facet", ["sacKafka_flow", "sacKafka_dataset", "sacKafka_run", "sacKafka_completeness"])
@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_a_facet_that_is_none_is_ignored(facet: str, wrong: Any) -> None:
    event = event_of(FLOW)
    for part in (event["outputs"][0], event["run"]):
        if facet in part["facets"]:
            part["facets"][facet] = wrong
    assert len(read(event)) == 1


def test_secrets_in_facets_are_masked() -> None:
    event = event_of(replace(FLOW, gaps=("inputs not known: x",)))
    text = f"https://h/p?password={SECRET}"
    flow, run = event["outputs"][0]["facets"]["sacKafka_flow"], event["run"]["facets"]["sacKafka_run"]
    flow |= {
        "gaps": [text],
        "otherSources": [text],
        "failure": text,
        "of": "x",
        "clauses": [{"type": "SORT", "text": text}],
    }
    run |= {"job": text, "user": text, "application": text, "platform": {"task": text}}
    event["outputs"][0]["facets"]["sacKafka_dataset"]["path"] = text
    assert SECRET not in repr(read(event))


def test_the_identity_of_a_dataset_is_read_as_it_is_written() -> None:
    table = RdbmsDataset(rdbms_type="postgresql", host="db1", port=5432, database="shop", schema=None, table="orders")
    assert dataset_of_identity(json.loads(json.dumps(identity_of(table))), ()) == table
    assert dataset_of_identity({**identity_of(table), "table": ""}, ()) is None
    assert dataset_of_identity({**identity_of(table), "port": "5432"}, ()) is None


def test_the_flows_of_one_execution_stay_apart_when_their_events_are_merged() -> None:
    together = frozenset({REPORT.key, FLOW.inputs[0].key})
    second = replace(
        FLOW, outputs=(replace(REPORT, path="hdfs://nn/other"),), columns=(), row_level=(), clauses=(), inputs=()
    )
    events = [
        json.loads(message.value)
        for flow in (FLOW, second)
        for message in output().messages(ScheduledOutcome(flow, together=together | {second.outputs[0].key}), 0)
    ]
    merged = {**events[0], "outputs": [*events[0]["outputs"], *events[1]["outputs"]]}
    found = {each.outputs[0].key: [dataset.key for dataset in each.inputs] for each in read(merged)}
    assert found == {REPORT.key: [FLOW.inputs[0].key], "path:hdfs://nn/other": []}
