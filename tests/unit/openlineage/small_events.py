"""Small events of OpenLineage, written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sac_kafka.model import Outcome, Process
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.flows import FlowOptions
from sac_kafka.openlineage.open_runs import OpenRuns

Json = dict[str, Any]


def dataset(name: str, namespace: str = "hive://m1:9083", **facets: Json) -> Json:
    """Return an input or output."""
    return {"namespace": namespace, "name": name, "facets": facets}


def event(
    state: str = "COMPLETE",
    *,
    run: str = "r1",
    job: str = "load",
    namespace: str = "prod",
    second: int = 0,
    inputs: Sequence[Json] = (),
    outputs: Sequence[Json] = (),
    run_facets: Mapping[str, Json] | None = None,
    job_facets: Mapping[str, Json] | None = None,
) -> Json:
    """Return a run event; `second` is its time within the minute."""
    return {
        "eventType": state,
        "eventTime": f"2026-11-20T06:00:{second:02}Z",
        "producer": "https://example.org/loader",
        "run": {"runId": run, "facets": dict(run_facets or {})},
        "job": {"namespace": namespace, "name": job, "facets": dict(job_facets or {})},
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def schema(*names: str) -> Json:
    """Return the facet of columns."""
    return {"fields": [{"name": name, "type": "int"} for name in names]}


def lineage(output: str, *used: tuple[str, str, str]) -> Json:
    """Return the facet of one output column: pairs of (dataset, column, subtype) flow into it."""
    fields = [
        {"namespace": "hive://m1:9083", "name": name, "field": column, "transformations": [{"subtype": subtype}]}
        for name, column, subtype in used
    ]
    return {"fields": {output: {"inputFields": fields}}}


def parent(run: str, job: str = "app", namespace: str = "prod") -> Json:
    """Return the facet of the parent run."""
    return {"run": {"runId": run}, "job": {"namespace": namespace, "name": job}}


def runs_of(events: Iterable[Json], options: FlowOptions | None = None) -> OpenRuns:
    """Return runs with these events."""
    runs = OpenRuns(options or FlowOptions(namespace="prod"))
    for each in events:
        runs.add(read_event(each), 0.0)
    return runs


def outcomes(events: Iterable[Json], options: FlowOptions | None = None) -> list[Outcome]:
    """Return what events mean, when all of them have arrived."""
    return [each for group in runs_of(events, options).all() for each in group]


def flows(events: Iterable[Json], options: FlowOptions | None = None) -> list[Process]:
    """Return the flows of events."""
    return [each for each in outcomes(events, options) if isinstance(each, Process)]


def edges(process: Process) -> tuple[list[str], list[str]]:
    """Return the keys of inputs and outputs, without their kind."""
    inputs, outputs = ([each.key.partition(":")[2] for each in side] for side in (process.inputs, process.outputs))
    return inputs, outputs
