"""Build the facets of this product (`own_facets`): completeness, the facts of a run, and what a flow has in the model alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sac_kafka.model import Application, Dataset, DriverRead, Process, RowClause, Stream
from sac_kafka.model.facts import COMPLETE, FACTS, PARTIAL, Fact, FactType
from sac_kafka.model.gaps import gaps
from sac_kafka.openlineage.own_facets import identity_of
from sac_kafka.openlineage.writing.facets import JsonObject, NameOf, holds_expression
from sac_kafka.stats import Completeness

_OF_OTHER_FACETS = frozenset(
    {
        *("status", "failure", "lineage", "started", "ended", "rows_written", "files_written", "bytes_written"),
        *("application_id", "attempt", "spark_version", "engine", "column_lineage", "inputs_excluded", "other_sources"),
        *("columns_without_sources", "query_name", "checkpoint", "query_id", "query_run_id", "output_mode", "batches"),
        *("last_batch", "duration_seconds"),
    }
)
"""Facts that other facets, or the event itself, state."""
_PLAIN = frozenset({FactType.TEXT, FactType.NUMBER, FactType.TEXTS})


def rate_flow(process: Process) -> JsonObject:
    """Return whether the lineage of a flow is complete, with the reasons if it is not."""
    reasons = list(gaps(process))
    return {"lineage": PARTIAL if reasons else COMPLETE, "reasons": reasons}


def rate_application(wrote: Completeness | None) -> JsonObject:
    """Return the completeness of all writes of an application."""
    if wrote is None:
        return {}
    is_complete = wrote["writes"] == wrote["with_column_lineage"]
    return {
        "lineage": COMPLETE if is_complete else PARTIAL,
        "reasons": sorted(wrote["reasons"]),
        "writes": wrote["writes"],
        "writesWithTableLineage": wrote["with_table_lineage"],
        "writesWithColumnLineage": wrote["with_column_lineage"],
    }


def describe_application(app: Application) -> JsonObject:
    """Return the application and the facts of its platform."""
    return select_known(
        job=app.job,
        application=app.name,
        applicationId=app.application_id,
        attempt=app.attempt,
        user=app.user,
        platform=dict(app.facts),
    )


def list_facts(process: Process) -> JsonObject:
    """Return the facts of a run by their names, without those that other facets state."""
    return {name: value for fact in FACTS for name, value in _encode(fact, process).items()}


def _encode(fact: Fact[Process], process: Process) -> Mapping[str, object]:
    if fact.name in _OF_OTHER_FACETS or fact.type not in _PLAIN:
        return {}
    value: Any = fact.value(process)
    if isinstance(value, tuple):
        value = list(value)
    return {} if value in (None, "", [], {}) else {fact.name: value}


def describe_flow(process: Process, name_of: NameOf, together: Iterable[str]) -> JsonObject:
    """Return what a flow has in the model alone; `together` are the keys of what its execution writes, too."""
    expressions = {
        column.column: column.expression
        for column in process.columns
        if column.expression and not any(map(holds_expression, column.sources))
    }
    keys = {output.key for output in process.outputs}
    is_one_of_several = any(key not in keys for key in together)
    extent = process.extent
    more = select_known(
        part=extent.part,
        definesView=process.defines_view or None,
        columnsOmitted=process.columns_omitted,
        otherSources=list(process.other_sources),
        throughDriver=[_read(read, name_of) for read in process.through_driver],
        decidedBy=[_name(dataset, name_of) for dataset in process.decided_by],
        inputsExcluded=process.inputs_excluded or None,
        gaps=list(process.gaps),
        expressions=expressions,
        clauses=[{"type": clause.dependency.name, "text": clause.text} for clause in process.clauses]
        if are_unlike_read(process.clauses)
        else [],
        stream=_stream(process.stream) if process.stream is not None else None,
    )
    if is_one_of_several:
        more |= {"of": min(keys), "inputs": [_name(dataset, name_of) for dataset in process.inputs]}
        more |= select_known(failure=process.run.failure)
    return {"isReplaced": extent.is_replaced, **more}


def are_unlike_read(clauses: tuple[RowClause, ...]) -> bool:
    """Return whether clauses have an order, or parts, that the columns which decide rows do not show."""
    return len(clauses) > 1 or any(not clause.sources for clause in clauses)


def _read(read: DriverRead, name_of: NameOf) -> JsonObject:
    return {**_name(read.dataset, name_of), "how": read.how}


def _name(dataset: Dataset, name_of: NameOf) -> JsonObject:
    name = name_of(dataset)
    return {"namespace": name.namespace, "name": name.name, "dataset": identity_of(dataset)}


def _stream(stream: Stream) -> JsonObject:
    return select_known(
        identity=list(stream.identity),
        name=stream.name,
        checkpoint=stream.checkpoint,
        queryId=stream.query_id,
        runId=stream.run_id,
        outputMode=stream.output_mode,
        batches=stream.batches,
        lastBatch=stream.last_batch,
        rowsRead=dict(stream.rows_read),
    )


def select_known(**values: object) -> JsonObject:
    """Return the values that are known and not empty."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}
