"""Collect the facts of a process' last run and of its query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.atlas.flows import facts, reads
from sac_kafka.atlas.flows.facts import Facts
from sac_kafka.model import Application, Dataset, PathDataset, Process, Requester, Stream
from sac_kafka.model.gaps import gaps
from sac_kafka.settings.content import CUSTOM_VALUE_LIMIT
from sac_kafka.stages.output import FAILED, RUNNING
from sac_kafka.stats import OTHERS, Completeness

COMPLETE, PARTIAL = "complete", "partial"
"""Values of the fact `lineage`; PARTIAL is followed by the reasons."""


def of_application(described: Application, status: str = RUNNING) -> Facts:
    """Return the facts that identify the last run of an application; `status` is RUNNING, FINISHED or FAILED."""
    return {
        "status": status,
        "application_id": described.application_id,
        "attempt": described.attempt,
        "spark_version": described.spark_version,
        "started": facts.timestamp(described.started_ms),
        **dict(described.facts),
    }


def of_writes(found: Completeness) -> Facts:
    """Return the completeness of the lineage of the last run's writes; the reasons are JSON for programs."""
    is_complete = found["writes"] == found["with_column_lineage"]
    return {
        "lineage": COMPLETE if is_complete else PARTIAL,
        "writes": found["writes"],
        "writes_with_table_lineage": found["with_table_lineage"],
        "writes_with_column_lineage": found["with_column_lineage"],
        "writes_not_complete": _counted(found["reasons"]) if found["reasons"] else None,
    }


def _counted(reasons: Mapping[str, int]) -> str:
    """Return the number of writes per reason as JSON that fits into a custom attribute."""
    shown = dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
    left = 0
    while len(text := json.dumps({**shown, **({OTHERS: left} if left else {})})) > CUSTOM_VALUE_LIMIT and shown:
        left += shown.popitem()[1]
    return text


def lineage(described: Process) -> str | None:
    """Return the completeness of a process' lineage with reasons; None if the run wrote nothing."""
    if not described.outputs or described.run.failure is not None:
        return None
    found = gaps(described)
    return f"{PARTIAL}: {'; '.join(found)}" if found else COMPLETE


def of_run(described: Process, decided: Facts | None, of_inputs: Facts) -> Facts:
    """Return the facts of the last run, most important first."""
    application, run = described.application, described.run
    return {
        "status": status(described),
        "failure": run.failure,
        "lineage": lineage(described),
        "started": facts.timestamp(run.started_ms),
        "ended": facts.timestamp(run.ended_ms),
        "duration_seconds": facts.seconds(run.started_ms, run.ended_ms),
        "rows_written": run.rows_written,
        "files_written": run.files_written,
        "bytes_written": run.bytes_written,
        "executions": run.executions if run.executions > 1 else None,
        "application_id": application.application_id,
        "attempt": application.attempt,
        "execution_id": run.execution_id,
        "job_ids": reads.job_ids(described),
        "spark_version": application.spark_version,
        **dict(application.facts),
        **_of_requester(run.requester),
        **_of_stream(described.stream),
        "read_locations": tuple(_locations(described.inputs)),
        "written_locations": tuple(_locations(described.outputs)),
        **of_query(described, decided, of_inputs),
    }


def status(described: Process) -> str:
    """Return the status of the last run: `running`, `succeeded` or `failed`."""
    if described.run.failure is not None:
        return FAILED
    return RUNNING if described.stream is not None and described.stream.is_running else "succeeded"


def _of_stream(stream: Stream | None) -> Facts:
    """Return the facts of a streaming query and of its last start."""
    if stream is None:
        return {}
    return {
        "query_name": stream.name,
        "checkpoint": stream.checkpoint,
        "query_id": stream.query_id,
        "query_run_id": stream.run_id,
        "output_mode": stream.output_mode,
        "batches": stream.batches,
        "last_batch": stream.last_batch,
        "rows_read": sum(rows for _, rows in stream.rows_read) if stream.rows_read else None,
        "rows_read_by_source": {source: str(rows) for source, rows in stream.rows_read},
    }


def _of_requester(requester: Requester | None) -> Facts:
    if requester is None:
        return {}
    return {
        "user": requester.user,
        "server": requester.server,
        "session_id": requester.session_id,
        "operation_id": requester.operation_id,
    }


def of_query(described: Process, decided: Facts | None, of_inputs: Facts) -> Facts:
    """Return the facts of the query, which do not depend on the run.

    For a failed query column facts are omitted, because the column lineage is still that of the last successful run.
    """
    has_written = described.run.failure is None
    return {
        "column_lineage": described.columns_omitted and f"omitted: {described.columns_omitted}",
        "inputs_excluded": described.inputs_excluded or None,
        **of_inputs,
        "other_sources": described.other_sources,
        **(decided or {}),
        "columns_without_sources": tuple(_constants(described)) if decided is not None and has_written else (),
    }


def _constants(described: Process) -> Iterator[str]:
    """Yield columns without source columns, with their expressions; they cannot have column lineage."""
    for each in described.columns:
        if not each.sources:
            yield f"{each.column} = {each.expression}" if each.expression else each.column


def _locations(datasets: Iterable[Dataset]) -> list[str]:
    """Return the concrete paths of a run that differ from its datasets' names."""
    return [
        location
        for dataset in datasets
        if isinstance(dataset, PathDataset)
        for location in dataset.locations
        if location != dataset.path
    ]
