"""Measure how complete the lineage of many messages is: each flow once, in its last version, and the writes without a flow.

Flows of older hooks have no completeness attribute; they count as complete if they have column lineage.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.atlas.types.sent import SPARK_TYPES
from sac_kafka.model import facts
from sac_kafka.model.gaps import COLUMNS_OMITTED, INPUTS_EXCLUDED, GapSeverity, severity_of
from sac_kafka.stages.completeness import WriteCounts
from sac_kafka.stats import Completeness
from sac_kafka.tools.graph.cost import NO_JOB
from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.messages.entities import name_of
from sac_kafka.tools.messages.model import LineageProcess
from sac_kafka.tools.messages.names import Labels

NO_COLUMNS_REPORTED = "no column lineage, and the hook reports no reason"
"""Reason for a flow without column lineage that an older or another hook has sent."""
_VIEW = "view "
_COLUMNS_OMITTED = "omitted: "


@dataclass(frozen=True, slots=True)
class Coverage:
    """Completeness in total and by job; what `stats.Completeness` counts as writes are flows here."""

    total: Completeness
    by_job: Mapping[str, Completeness]


def coverage_of(graph: LineageGraph, unreported: Mapping[str, Mapping[str, int]]) -> Coverage:
    """Count the flows of a graph, and writes without a flow, by display name of the job.

    Jobs have the namespace in their names; `unreported` are the writes without a flow that applications reported, by reason.
    """
    total, by_job = WriteCounts(), dict[str, WriteCounts]()
    counted = [*_flows(graph), *_without_flow(unreported)]
    labels = Labels(job for job, _, _ in counted)
    for job, reason, times in counted:
        for counts in (total, by_job.setdefault(labels(job) or NO_JOB, WriteCounts())):
            counts.add(reason, times)
    return Coverage(total.completeness(), {job: by_job[job].completeness() for job in sorted(by_job)})


def final_write_counts(entity: AtlasEntity) -> tuple[str, Mapping[str, int]] | None:
    """Return the job (with namespace) and its writes without a flow, by reason, from an application's final message.

    None for other entities, and for an application without write counts.
    """
    attributes = entity.custom_attributes
    if entity.id.type_name != SPARK_TYPES.application or not facts.WRITES.read(attributes):
        return None
    try:
        reasons = json.loads(facts.WRITES_NOT_COMPLETE.read(attributes) or "{}")
        found = {str(reason): int(number) for reason, number in reasons.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        found = {}
    return name_of(entity.id), {r: n for r, n in found.items() if severity_of(r) is GapSeverity.FLOW and n > 0}


def _flows(graph: LineageGraph) -> Iterator[tuple[str, str | None, int]]:
    """Yield job, reason (None if complete) and 1 for each flow with an output, except definitions of views."""
    for process in graph.processes.values():
        if process.outputs and (process.job or not process.name.startswith(_VIEW)):
            yield process.job, _reason(process), 1


def _without_flow(unreported: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, str | None, int]]:
    for job, reasons in unreported.items():
        for reason, number in reasons.items():
            yield job, reason, number


def _reason(process: LineageProcess) -> str | None:
    """Return the most serious reason why a flow is incomplete; None if it is complete."""
    attributes = process.attributes
    state, _, why = facts.LINEAGE.read(attributes).partition(": ")
    if state == facts.COMPLETE:
        return None
    if state == facts.PARTIAL and why:
        return why.split("; ")[0]
    if facts.INPUTS_EXCLUDED.read(attributes):
        return INPUTS_EXCLUDED
    if (omitted := facts.COLUMN_LINEAGE.read(attributes)).startswith(_COLUMNS_OMITTED):
        return f"{COLUMNS_OMITTED}{omitted.removeprefix(_COLUMNS_OMITTED)}"
    return None if process.flows or process.constants or not process.inputs else NO_COLUMNS_REPORTED
