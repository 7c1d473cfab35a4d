"""Build the attributes of custom process types: the query, the row conditions, and the last run.

Built-in types have no attributes for these, except for the plan of a Databricks process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sac_kafka.atlas.flows import facts, reads, rows
from sac_kafka.atlas.flows.facts import Facts
from sac_kafka.atlas.flows.processes import users
from sac_kafka.atlas.flows.run_facts import lineage, status
from sac_kafka.atlas.limits import PART_LIMIT, shortened
from sac_kafka.atlas.model import known
from sac_kafka.lineage.model import READ_BEFORE, Process
from sac_kafka.purview.flows.columns import PROPERTY_BYTES

Attributes = Mapping[str, str | int]

_CUT = "…"
_ROOM_FOR_COUNT = 40


def of_definition(described: Process, *, with_expressions: bool, decided_by: Sequence[str] = ()) -> Attributes:
    """Return the attributes that stay the same from run to run as long as the query does.

    `decided_by` are the names of the assets that values of the statement were read from.
    """
    texts = {
        "queryText": described.run.query_text,
        "plan": described.run.plan_text,
        "rowConditions": rows.sentence(described, decided_by),
        "columnInfluence": _listed("columnInfluence", _influences(described)),
        "columnExpressions": _listed("columnExpressions", _expressions(described)) if with_expressions else None,
        "otherSources": ", ".join(described.other_sources),
        "throughDriver": "; ".join(
            f"{each.dataset.key}: {each.how}" for each in described.through_driver if each.how != READ_BEFORE
        ),
        "jobName": described.application.job,
    }
    return {name: fitting(name, text) for name, text in texts.items() if text}


def of_plan(described: Process) -> Attributes:
    """Return the plan in the attribute of a Databricks process."""
    plan = described.run.plan_text
    return {"sparkPlan": fitting("sparkPlan", plan)} if plan else {}


def of_run(described: Process) -> Attributes:
    """Return the attributes of the last run, whose changes alone do not cause a message."""
    application, run = described.application, described.run
    _, user = users(described)
    attributes = known(
        lastRunId=application.application_id,
        lastRunStatus=status(described),
        lastRunStarted=facts.timestamp(run.started_ms),
        lastRunEnded=facts.timestamp(run.ended_ms),
        rowsWritten=run.rows_written,
        lastRunDetails=facts.details(_counted(described)),
        sparkVersion=application.spark_version,
        user=user and shortened(user, PART_LIMIT),
        versionsRead="; ".join(f"{dataset}: {version}" for dataset, version in described.versions_read),
    )
    return {name: value if isinstance(value, int) else fitting(name, str(value)) for name, value in attributes.items()}


def _counted(described: Process) -> Facts:
    """Return the counters of the last run and its identifiers in Spark."""
    run = described.run
    return {
        "failure": run.failure,
        "lineage": lineage(described),
        "duration_seconds": facts.seconds(run.started_ms, run.ended_ms),
        "files_written": run.files_written,
        "bytes_written": run.bytes_written,
        "executions": run.executions if run.executions > 1 else None,
        "attempt": described.application.attempt,
        "execution_id": run.execution_id,
        "job_ids": reads.job_ids(described),
        "read": tuple(f"{each.dataset}: {reads.figures(each)}" for each in run.read),
    }


def fitting(name: str, text: str) -> str:
    """Truncate a text to the size of a property with this name: 32 KB including the name."""
    room = PROPERTY_BYTES - len(name)
    if len(text) * 4 <= room:
        return text
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= room:
        return text
    return data[: room - len(_CUT.encode())].decode("utf-8", "ignore") + _CUT


def _influences(described: Process) -> list[dict[str, object]]:
    return [
        {
            "column": each.column,
            "influencedBy": sorted({f"{source.column} ({source.dependency.value})" for source in each.influences}),
        }
        for each in described.columns
        if each.influences
    ]


def _expressions(described: Process) -> list[dict[str, object]]:
    return [{"column": each.column, "expression": each.expression} for each in described.columns if each.expression]


def _listed(name: str, entries: list[dict[str, object]]) -> str | None:
    """Return the first entries that fit into a property as JSON, and the number of omitted ones."""
    room = PROPERTY_BYTES - len(name) - _ROOM_FOR_COUNT
    shown: list[str] = []
    for each in entries:
        text = json.dumps(each, ensure_ascii=False, separators=(",", ":"))
        room -= len(text.encode("utf-8", "surrogatepass")) + 1
        if room < 0:
            shown.append(f'{{"more":{len(entries) - len(shown)}}}')
            break
        shown.append(text)
    return f"[{','.join(shown)}]" if shown else None
