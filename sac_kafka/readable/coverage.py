"""How complete lineage is over many messages: each flow once, by what was last told of it; and writes that no flow tells of.

Messages of an older hook do not say of a flow whether it is complete: then it counts by the columns that are told of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sac_kafka.atlas.flows.run_facts import COMPLETE, PARTIAL
from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.figures import Completeness
from sac_kafka.lineage.completeness import WriteCounts
from sac_kafka.lineage.model.gaps import COLUMNS_OMITTED, INPUTS_EXCLUDED, GapSeverity, severity_of
from sac_kafka.readable.entities import name_of
from sac_kafka.readable.graph import LineageGraph, ProcessNode
from sac_kafka.readable.names import Labels

NONE_TOLD = "no columns are told, by a hook that does not say why"
"""Why a flow of an older hook, or of another one, counts as without columns."""
NO_JOB = "(no job)"
_VIEW = "view "
_COLUMNS_LEFT_OUT = "left out: "


@dataclass(frozen=True, slots=True)
class Coverage:
    """How complete lineage is, in all and by job. What `figures.Completeness` counts as writes are flows here."""

    total: Completeness
    by_job: Mapping[str, Completeness]


def coverage_of(graph: LineageGraph, unsaid: Mapping[str, Mapping[str, int]]) -> Coverage:
    """Count the flows of a graph; `unsaid` are writes without one, job to reason to how many, as applications have said.

    Jobs have their names in full in both, and are counted by what people are shown.
    """
    total, by_job = WriteCounts(), dict[str, WriteCounts]()
    counted = [*_flows(graph), *_without_flow(unsaid)]
    labels = Labels(job for job, _, _ in counted)
    for job, reason, times in counted:
        for counts in (total, by_job.setdefault(labels(job) or NO_JOB, WriteCounts())):
            counts.add(reason, times)
    return Coverage(total.completeness(), {job: by_job[job].completeness() for job in sorted(by_job)})


def said_at_the_end(entity: AtlasEntity) -> tuple[str, Mapping[str, int]] | None:
    """The job, in full, of an application that says how complete its last run was, and its writes without a flow, by reason."""
    told = entity.custom_attributes
    if entity.id.type_name != "spark_application" or "writes" not in told:
        return None
    try:
        reasons = json.loads(told.get("writes_not_complete", "{}"))
        found = {str(reason): int(number) for reason, number in reasons.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        found = {}
    return name_of(entity.id), {r: n for r, n in found.items() if severity_of(r) is GapSeverity.FLOW and n > 0}


def _flows(graph: LineageGraph) -> Iterator[tuple[str, str | None, int]]:
    """Each flow that wrote something, but for definitions of views: its job, and why it is not complete."""
    for process in graph.processes.values():
        told = process.told
        if told is not None and process.outputs and not (not told.job and process.name.startswith(_VIEW)):
            yield told.job, _reason(process, told.about), 1


def _without_flow(unsaid: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, str | None, int]]:
    for job, reasons in unsaid.items():
        for reason, number in reasons.items():
            yield job, reason, number


def _reason(process: ProcessNode, about: Mapping[str, str]) -> str | None:
    """Why a flow is not complete, by what takes away most; None where it is."""
    says, _, why = about.get("lineage", "").partition(": ")
    if says == COMPLETE:
        return None
    if says == PARTIAL and why:
        return why.split("; ")[0]
    if about.get("inputs_left_out"):
        return INPUTS_EXCLUDED
    if (left_out := about.get("column_lineage", "")).startswith(_COLUMNS_LEFT_OUT):
        return f"{COLUMNS_OMITTED}{left_out.removeprefix(_COLUMNS_LEFT_OUT)}"
    has_columns = process.columns or (process.told is not None and (process.told.made or process.told.constants))
    return None if has_columns or not process.inputs else NONE_TOLD
