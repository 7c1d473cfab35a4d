"""What is known of a process' last run, and of its query, as facts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.atlas.flows import facts, reads
from sac_kafka.atlas.flows.facts import Facts
from sac_kafka.config.server_limits import CUSTOM_VALUE_LIMIT
from sac_kafka.lineage.model import Application, Dataset, PathDataset, Process, Requester, Stream
from sac_kafka.lineage.model.gaps import gaps
from sac_kafka.stats import OTHERS, Completeness

COMPLETE, PARTIAL = "complete", "partial"
"""What the fact `lineage` says; behind PARTIAL stands why."""

RUNNING, FINISHED, FAILED = "running", "finished", "failed"
"""What the fact `status` says of an application; FAILED where an error or a signal has ended the driver."""


def of_application(described: Application, status: str = RUNNING) -> Facts:
    """What names the last run of an application; `status` is RUNNING, FINISHED or FAILED."""
    return {
        "status": status,
        "application_id": described.application_id,
        "attempt": described.attempt,
        "spark_version": described.spark_version,
        "started": facts.timestamp(described.started_ms),
        **dict(described.facts),
    }


def of_writes(found: Completeness) -> Facts:
    """How complete the lineage of the last run's writes is; the reasons as JSON, as programs read them."""
    is_complete = found["writes"] == found["with_column_lineage"]
    return {
        "lineage": COMPLETE if is_complete else PARTIAL,
        "writes": found["writes"],
        "writes_with_table_lineage": found["with_table_lineage"],
        "writes_with_column_lineage": found["with_column_lineage"],
        "writes_not_complete": _counted(found["reasons"]) if found["reasons"] else None,
    }


def _counted(reasons: Mapping[str, int]) -> str:
    """Reasons and how many, as one JSON object that is no longer than a custom attribute may be."""
    told = dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))
    left = 0
    while len(text := json.dumps({**told, **({OTHERS: left} if left else {})})) > CUSTOM_VALUE_LIMIT and told:
        left += told.popitem()[1]
    return text


def lineage(described: Process) -> str | None:
    """Whether the lineage of a process is complete, and why not; None where nothing was written, or by an earlier run."""
    if not described.outputs or described.run.failure is not None:
        return None
    found = gaps(described)
    return f"{PARTIAL}: {'; '.join(found)}" if found else COMPLETE


def of_run(described: Process, decided: Facts | None, of_inputs: Facts) -> Facts:
    """What is known of the last run, the most important first."""
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
    """How it went with the last run: `running`, `succeeded` or `failed`."""
    if described.run.failure is not None:
        return FAILED
    return RUNNING if described.stream is not None and described.stream.is_running else "succeeded"


def _of_stream(stream: Stream | None) -> Facts:
    """What is known of a streaming query, and of its last start."""
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
    """What is known of the query, whoever ran it and when.

    Of one that failed nothing is said of columns, because their lineage is still that of the last run that wrote them.
    """
    has_written = described.run.failure is None
    return {
        "column_lineage": described.columns_left_out and f"left out: {described.columns_left_out}",
        "inputs_left_out": described.inputs_left_out or None,
        **of_inputs,
        "other_sources": described.other_sources,
        **(decided or {}),
        "columns_without_sources": tuple(_constants(described)) if decided is not None and has_written else (),
    }


def _constants(described: Process) -> Iterator[str]:
    """Columns that come from no other, with what they are: they can have no column lineage."""
    for each in described.columns:
        if not each.sources:
            yield f"{each.column} = {each.expression}" if each.expression else each.column


def _locations(datasets: Iterable[Dataset]) -> list[str]:
    """The concrete paths of a run that its datasets' names do not say."""
    return [
        location
        for dataset in datasets
        if isinstance(dataset, PathDataset)
        for location in dataset.locations
        if location != dataset.path
    ]
