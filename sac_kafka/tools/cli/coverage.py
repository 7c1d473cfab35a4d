"""`sac-kafka coverage`: report how many flows (processes) have table and column lineage, by job, and why others do not.

Each flow counts once, as of its last message; view definitions are not counted. Exit status: 0 success, 1 fewer than
--fail-under percent of the flows have column lineage, 2 error, also without flows.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.atlas.types.sent import SPARK_TYPES
from sac_kafka.model import facts
from sac_kafka.model.gaps import COLUMNS_OMITTED, INPUTS_EXCLUDED, GapSeverity, severity_of
from sac_kafka.stages.completeness import WriteCounts
from sac_kafka.stats import Completeness
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.message_source import (
    LINEAGE_KEYWORDS,
    SERVER,
    TOPIC,
    add_allow_empty,
    add_source,
    configured_server,
    read_state,
    require_content,
)
from sac_kafka.tools.cli.output import print_data, print_data_json, print_data_table, print_error
from sac_kafka.tools.cli.server_lineage import read_applications
from sac_kafka.tools.cli.styles import REASONS
from sac_kafka.tools.cli.terminal import Table, TableColumn
from sac_kafka.tools.graph.cost import NO_JOB
from sac_kafka.tools.graph.graph import LineageGraph, graph_of
from sac_kafka.tools.messages.entities import name_of
from sac_kafka.tools.messages.model import LineageProcess
from sac_kafka.tools.messages.names import Labels

INCOMPLETE = 1
_HEAD = ("flows", "with tables", "with columns")
NO_COLUMNS_REPORTED = "no column lineage, and the hook reports no reason"
"""Reason for a flow without column lineage that an older or another hook has sent."""
_VIEW = "view "
_COLUMNS_OMITTED = "omitted: "


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    coverage = add_command(
        commands,
        run,
        "report the completeness of lineage by job",
        "coverage lineage.jsonl",
        "coverage topic --json",
        "coverage server --fail-under 95",
    )
    add_source(coverage, TOPIC, keywords=LINEAGE_KEYWORDS)
    add(coverage, "--fail-under PERCENT", "exit with status 1 if fewer flows have column lineage", type=_percent)
    add_allow_empty(coverage)
    add(coverage, "--json", "print the totals and jobs as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Count and print.

    Raises:
        SacKafkaError: The source does not exist, cannot be read or has no flows.
    """
    state = read_state(arguments, arguments.source)
    applications = (
        read_applications(*configured_server(arguments)) if arguments.source == SERVER else state.applications()
    )
    coverage = coverage_of(graph_of(state.items()), dict(filter(None, map(final_write_counts, applications))))
    total = coverage.total
    require_content(arguments, arguments.source, total["writes"], "flows")
    if arguments.json:
        jobs = {job: _object(counts) for job, counts in coverage.by_job.items()}
        print_data_json({**_object(total), "jobs": jobs})
    elif total["writes"]:
        print_data_table(_table(coverage))
        reasons = sorted(total["reasons"].items(), key=lambda item: (-item[1], item[0]))
        if reasons:
            print_data("")
        for reason, number in reasons:
            print_data(f"{number:>{len(str(reasons[0][1]))}}  {reason}", REASONS)
    minimum = arguments.fail_under
    if minimum is not None and total["writes"] and 100 * total["with_column_lineage"] / total["writes"] < minimum:
        print_error(f"fewer than {minimum:g} % of the flows have column lineage", arguments.program)
        return INCOMPLETE
    return 0


def _table(coverage: Coverage) -> Table:
    columns = (*(TableColumn(title) for title in _HEAD), TableColumn("job", is_right=False))
    rows = tuple((*_cells(counts), job) for job, counts in coverage.by_job.items())
    return Table(columns, rows, (*_cells(coverage.total), "all"))


def _cells(counts: Completeness) -> tuple[str, ...]:
    flows, numbers = counts["writes"], (counts["with_table_lineage"], counts["with_column_lineage"])
    return str(flows), *(f"{number} ({100 * number / flows:.0f} %)" if flows else "0" for number in numbers)


def _object(counts: Completeness) -> dict[str, object]:
    """Return the counts as JSON, with percentages of one decimal; these are null without flows."""
    flows = counts["writes"]
    numbers = {key: counts[key] for key in ("with_table_lineage", "with_column_lineage")}
    percentages = {f"percent_{key}": round(100 * n / flows, 1) if flows else None for key, n in numbers.items()}
    return {"flows": flows, **numbers, **percentages, "reasons": counts["reasons"]}


def _percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 100, not {text}")
    return value


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
    """Return the most serious reason why a flow is incomplete; None if it is complete.

    Flows of older hooks have no completeness attribute; they count as complete if they have column lineage.
    """
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
