"""Restore what the events of this product state beyond OpenLineage's facets (`own_facets`); other events stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sac_kafka.masking import mask_text
from sac_kafka.model import (
    APPENDED,
    Application,
    ColumnLineage,
    Dataset,
    Dependency,
    DriverRead,
    Extent,
    Process,
    RowClause,
    Stream,
)
from sac_kafka.model.gaps import CONDITIONS_NOT_STATED
from sac_kafka.openlineage.columns import MAX_EXPRESSION
from sac_kafka.openlineage.events import MAX_TEXT, objects
from sac_kafka.openlineage.own_facets import COMPLETENESS, FLOW, RUN, dataset_of_identity
from sac_kafka.openlineage.runs import MergedRun, StampedFacets, facet
from sac_kafka.openlineage.sql_text import mask_sql

_MAX_ITEMS = 100
_TOO_LARGE = "the event was over the limit of its size"
_Json = Mapping[str, object]


def is_flow(facets: StampedFacets) -> bool:
    """Return whether an output is that of a flow, even without inputs and statistics."""
    return bool(facet(facets, FLOW))


def divide(run: MergedRun) -> Iterator[MergedRun]:
    """Yield the flows of an execution, each as a separate run; a run of another producer is one."""
    groups: dict[str, dict[str, _Json]] = {}
    for name, facets in run.outputs.items():
        flow = facet(facets, FLOW)
        groups.setdefault(_text(flow, "of"), {})[f"{name.namespace}\0{name.name}"] = flow
    if len(groups) <= 1:
        yield run
        return
    for outputs in groups.values():
        listed = next(iter(outputs.values())).get("inputs")
        inputs = {f"{_text(item, 'namespace')}\0{_text(item, 'name')}" for item in objects(listed)}
        yield replace(
            run,
            inputs={n: f for n, f in run.inputs.items() if listed is None or f"{n.namespace}\0{n.name}" in inputs},
            outputs={n: f for n, f in run.outputs.items() if f"{n.namespace}\0{n.name}" in outputs},
        )


def restore(process: Process, run: MergedRun) -> Process:
    """Return a process with what the facets of its outputs and its run state."""
    flow = next(filter(None, (facet(facets, FLOW) for facets in run.outputs.values())), None)
    if flow is None:
        return process
    part, is_replaced = _text(flow, "part"), flow.get("isReplaced") is True
    stream, of_failure = flow.get("stream"), flow if "of" in flow else run.facet("errorMessage")
    failure = _text(of_failure, "failure") or _text(of_failure, "message")
    omitted = _texts(run.facet(COMPLETENESS), "omitted")
    too_large = _TOO_LARGE if "column lineage" in omitted else None
    without_rows = (CONDITIONS_NOT_STATED,) if "columns that decide rows" in omitted else ()
    return replace(
        process,
        application=_application(process.application, run.facet(RUN)),
        run=replace(process.run, failure=mask_text(failure)[:MAX_TEXT] or None),
        columns=tuple(_columns(process.columns, flow.get("expressions"))),
        clauses=tuple(_clauses(process.clauses, flow.get("clauses"))),
        columns_omitted=_text(flow, "columnsOmitted") or process.columns_omitted or too_large,
        extent=Extent(part=part, is_replaced=is_replaced) if part or is_replaced else APPENDED,
        defines_view=flow.get("definesView") is True,
        other_sources=_texts(flow, "otherSources"),
        through_driver=tuple(_driver_reads(flow.get("throughDriver"))),
        decided_by=tuple(found for _, found in _datasets(flow.get("decidedBy"))),
        inputs_excluded=_number(flow, "inputsExcluded") or 0,
        gaps=(*_texts(flow, "gaps"), *without_rows),
        stream=_stream(stream, process.stream) if isinstance(stream, dict) else None,
    )


def _application(known: Application, facts: _Json) -> Application:
    job = mask_text(_text(facts, "job"))
    if not job:
        return known
    platform = facts.get("platform")
    stated = platform.items() if isinstance(platform, dict) else ()
    return replace(
        known,
        job=job,
        name=mask_text(_text(facts, "application")) or job,
        application_id=_text(facts, "applicationId") or known.application_id,
        attempt=_text(facts, "attempt") or None,
        user=mask_text(_text(facts, "user")),
        facts=tuple((str(name), mask_text(text)) for name, text in stated if isinstance(text, str)),
    )


def _columns(columns: tuple[ColumnLineage, ...], expressions: object) -> Iterator[ColumnLineage]:
    known = expressions if isinstance(expressions, dict) else {}
    for column in columns:
        text = known.get(column.column)
        yield replace(column, expression=mask_sql(text)) if isinstance(text, str) else column


def _clauses(read: tuple[RowClause, ...], stated: object) -> Iterator[RowClause]:
    """Yield the clauses in their order, if they state one."""
    if not isinstance(stated, list):
        yield from read
        return
    sources = {(clause.dependency, clause.text): clause.sources for clause in read}
    for clause in [*objects(stated)][:_MAX_ITEMS]:
        dependency = next((found for found in Dependency if found.name == clause.get("type")), None)
        text = mask_sql(_text(clause, "text"))[:MAX_EXPRESSION]
        if dependency is not None:
            yield RowClause(dependency=dependency, text=text, sources=sources.get((dependency, text), ()))


def _datasets(value: object) -> Iterator[tuple[_Json, Dataset]]:
    for item in [*objects(value)][:_MAX_ITEMS]:
        identity = item.get("dataset")
        dataset = dataset_of_identity(identity, ()) if isinstance(identity, dict) else None
        if dataset is not None:
            yield item, dataset


def _driver_reads(value: object) -> Iterator[DriverRead]:
    return (DriverRead(dataset, _text(item, "how")) for item, dataset in _datasets(value))


def _stream(value: _Json, known: Stream | None) -> Stream:
    rows = value.get("rowsRead")
    return Stream(
        identity=_texts(value, "identity"),
        name=_text(value, "name") or None,
        checkpoint=_text(value, "checkpoint") or None,
        query_id=_text(value, "queryId"),
        run_id=_text(value, "runId"),
        output_mode=_text(value, "outputMode") or None,
        is_running=known is not None and known.is_running,
        batches=_number(value, "batches") or 0,
        last_batch=_number(value, "lastBatch"),
        rows_read=tuple((str(source), n) for source, n in rows.items() if isinstance(n, int))
        if isinstance(rows, dict)
        else (),
    )


def _text(value: _Json, key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""


def _texts(value: _Json, key: str) -> tuple[str, ...]:
    texts = value.get(key)
    return (
        tuple(mask_text(text) for text in texts if isinstance(text, str))[:_MAX_ITEMS]
        if isinstance(texts, list)
        else ()
    )


def _number(value: _Json, key: str) -> int | None:
    number = value.get(key)
    return number if isinstance(number, int) and not isinstance(number, bool) else None
