"""Turn what a script or a tool states into outcomes: a process of the model, and the descriptions of its datasets."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from sac_kafka.emitting.stated_columns import read_column_lineage, read_conditions
from sac_kafka.emitting.stated_datasets import StatedDataset, read_datasets, reject_unknown, text_of, unite
from sac_kafka.errors import FlowError
from sac_kafka.masking import mask_text
from sac_kafka.model import (
    APPENDED,
    REPLACED,
    Application,
    ColumnSource,
    Dataset,
    Engine,
    Outcome,
    PathDataset,
    Process,
    Run,
)
from sac_kafka.model.bounds import DEFAULT, Budget
from sac_kafka.model.gaps import COLUMNS_NOT_STATED, CONDITIONS_NOT_STATED
from sac_kafka.names.paths import Patterns
from sac_kafka.openlineage.sql_text import mask_sql
from sac_kafka.settings.content import WORD, WORD_LENGTH
from sac_kafka.settings.declarations.choices import QueryText

RUN_KEYS = ("sql", "started", "ended", "failure", "rows", "replaces", "engine", "run_id", "facts", "other_sources")
"""What a flow may state of its run."""
FLOW_KEYS = ("job", "inputs", "outputs", "columns", "conditions", "datasets", *RUN_KEYS)
_MAX_JOB = 1_000
_MAX_FACT = 1_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatingProcess:
    """What states flows: the id, user and platform of the process, and the settings on which flows depend.

    `facts` are pairs of a name and a text, as of `Application`.
    """

    application_id: str = ""
    user: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    patterns: Patterns = ()
    budget: Budget = DEFAULT
    query_text: QueryText = QueryText.MASKED


_UNKNOWN = StatingProcess()


def read_flow(flow: Mapping[str, object], by: StatingProcess = _UNKNOWN, place: str = "") -> tuple[Outcome, ...]:
    """Return the outcomes of a stated flow: the descriptions of its datasets, then its process.

    Args:
        flow: The flow, by `FLOW_KEYS`.
        by: What states it.
        place: The place of it, for errors.

    Raises:
        FlowError: A part of it is wrong.
    """
    try:
        return tuple(_outcomes(flow, by))
    except FlowError as error:
        if not place:
            raise
        raise FlowError(f"{place}: {error}") from None


def _outcomes(flow: Mapping[str, object], by: StatingProcess) -> Iterator[Outcome]:
    reject_unknown(flow, FLOW_KEYS, "flow")
    job = _job(flow.get("job"))
    inputs, outputs, more = (
        read_datasets(flow.get(key), key, by.patterns) for key in ("inputs", "outputs", "datasets")
    )
    if not outputs:
        raise FlowError("outputs: empty; a flow writes at least one dataset")
    described = _described((*inputs, *outputs, *more))
    sources = _complete(inputs, more)
    lineage = read_column_lineage(flow.get("columns"), sources, _complete(outputs, more))
    clauses = read_conditions(flow.get("conditions"), sources)
    edges = sum(len(each.sources) for each in lineage.columns)
    omitted = by.budget.exceeded_limit(columns=len(lineage.columns), edges=edges)
    are_known = lineage.is_typed or flow.get("conditions") is not None
    are_stated = flow.get("columns") is not None
    gaps = (*(() if are_stated else (COLUMNS_NOT_STATED,)), *(() if are_known else (CONDITIONS_NOT_STATED,)))
    is_replaced = _flag(flow, "replaces")
    written = unite(outputs, more)
    yield from described
    yield Process(
        application=_application(job, flow, by),
        run=_run(flow, by),
        inputs=unite(inputs, more),
        outputs=tuple(map(_marked_replaced, written)) if is_replaced else written,
        columns=() if omitted else lineage.columns,
        row_level=tuple(sorted({s for each in clauses for s in each.sources}, key=_order)),
        clauses=clauses,
        columns_omitted=omitted,
        extent=REPLACED if is_replaced else APPENDED,
        other_sources=_other_sources(flow.get("other_sources")),
        gaps=gaps,
    )


def _order(source: ColumnSource) -> tuple[str, str, str]:
    return source.dataset, source.column, source.dependency.value


def read_descriptions(value: object, patterns: Patterns = ()) -> tuple[Outcome, ...]:
    """Return the descriptions of registered datasets.

    Raises:
        FlowError: There are none, or one is wrong.
    """
    stated = read_datasets(value, "datasets", patterns)
    if not stated:
        raise FlowError("datasets: empty; state at least one dataset")
    return tuple(each.described() for each in stated)


def _described(stated: Iterable[StatedDataset]) -> Iterator[Outcome]:
    return (each.described() for each in stated if each.is_described)


def _complete(stated: Iterable[StatedDataset], more: Iterable[StatedDataset]) -> tuple[StatedDataset, ...]:
    """Return the datasets of a side with the columns that descriptions have."""
    datasets = {each.key: each for each in unite(stated, more)}
    return tuple(replace(each, dataset=datasets[each.dataset.key]) for each in stated)


def _marked_replaced(dataset: Dataset) -> Dataset:
    return replace(dataset, is_replaced=True) if isinstance(dataset, PathDataset) and dataset.columns else dataset


def _job(value: object) -> str:
    job = text_of(value, "job")
    if len(job) > _MAX_JOB or _CONTROL.search(job):
        raise FlowError(
            f"job: {job[:60]!r} is too long, or has control characters; write the same short name in every run"
        )
    return mask_text(job)


def _application(job: str, flow: Mapping[str, object], by: StatingProcess) -> Application:
    engine, _, version = text_of(flow.get("engine", ""), "engine", is_empty_ok=True).rpartition(" ")
    facts = {**dict(by.facts), **_facts(flow.get("facts", {}))}
    run_id = text_of(flow.get("run_id", ""), "run_id", is_empty_ok=True)[:_MAX_FACT]
    return Application(
        job=job,
        application_id=mask_text(run_id) or by.application_id,
        name=job,
        user=by.user,
        engine=Engine(name=engine or version, version=version if engine else ""),
        facts=tuple(facts.items()),
        is_job_chosen=True,
    )


def _other_sources(value: object) -> tuple[str, ...]:
    """Return the origins of rows that are no datasets, such as an API."""
    listed = [value] if isinstance(value, str) else value or ()
    if not isinstance(listed, (list, tuple)):
        raise FlowError(f"other_sources: a {type(listed).__name__}; state a list of texts")
    return tuple(sorted({mask_text(text_of(each, "other_sources"))[:_MAX_FACT] for each in listed}))


def _facts(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise FlowError(f"facts: a {type(value).__name__}; state a table of texts")
    for name in value:
        if not isinstance(name, str) or not re.fullmatch(WORD, name):
            raise FlowError(f"facts: {name!r} must have 1 to {WORD_LENGTH} letters, digits, _ or -")
    return {name: mask_text(text_of(text, f"facts.{name}"))[:_MAX_FACT] for name, text in value.items()}


def _run(flow: Mapping[str, object], by: StatingProcess) -> Run:
    now = int(time.time() * 1000)
    ended = milliseconds(flow.get("ended"), "ended")
    ended = now if ended is None else ended
    started = milliseconds(flow.get("started"), "started")
    started = ended if started is None else started
    if started > ended:
        raise FlowError(f"started: {flow.get('started')} is after ended; correct one of them")
    sql = text_of(flow.get("sql") or "", "sql", is_empty_ok=True)
    dialect = str(flow.get("engine") or "").partition(" ")[0].lower()
    return Run(
        execution_id=None,
        started_ms=started,
        ended_ms=ended,
        query_text=(mask_sql(sql, dialect) if by.query_text is QueryText.MASKED else sql) or None,
        failure=_failure(flow.get("failure")),
        rows_written=_rows(flow.get("rows")),
    )


def _failure(value: object) -> str | None:
    """Return the class of an error; its message may hold data, so it is omitted."""
    if value is None or value is False:
        return None
    if isinstance(value, BaseException):
        return type(value).__name__
    return mask_text(text_of(value, "failure"))[:200]


def _rows(value: object) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise FlowError(f"rows: {value!r}; state the number of rows written")


def _flag(flow: Mapping[str, object], key: str) -> bool:
    value = flow.get(key, False)
    if not isinstance(value, bool):
        raise FlowError(f"{key}: {value!r}; write true or false")
    return value


def milliseconds(value: object, place: str) -> int | None:
    """Return epoch milliseconds of a time, an ISO 8601 text, or epoch seconds; a time without a zone is local. None: None.

    Raises:
        FlowError: It is no time.
    """
    if value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        try:
            value = datetime.fromisoformat(f"{text[:-1]}+00:00" if text.endswith(("Z", "z")) else text)
        except ValueError:
            raise FlowError(f"{place}: {text[:60]!r} is no time; write 2026-11-28T05:00:00+01:00") from None
    if isinstance(value, datetime):
        try:
            value = value.timestamp()
        except (OverflowError, OSError, ValueError):
            raise FlowError(f"{place}: {value} is no time of a run; correct it") from None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not 0 <= float(value) < datetime.max.replace(tzinfo=timezone.utc).timestamp():  # type: ignore[arg-type]
        raise FlowError(f"{place}: {value!r} is no time; write a datetime, an ISO 8601 text, or epoch seconds")
    return int(float(value) * 1000)  # type: ignore[arg-type]
