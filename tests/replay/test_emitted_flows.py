"""A flow that is stated by hand gives the messages of the hook for the same flow, byte for byte except facts of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.emitting.stated_columns import KINDS
from sac_kafka.emitting.stated_flows import StatingProcess, read_flow
from sac_kafka.hook.emitter import Emitter
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.pipeline_options import pipeline_options
from sac_kafka.model import (
    ColumnLineage,
    Dataset,
    Outcome,
    PathDataset,
    Process,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.openlineage.sql_text import mask_sql
from sac_kafka.settings import Settings
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.messages import validated

KIND_OF = {dependency: kind for kind, dependency in KINDS.items()}
NEWEST = BATCHES / owed()[-1]
SETTINGS = Settings.read({"atlas.metadata.namespace": "test"}, "test")
CASES = sorted(each.stem for each in NEWEST.glob("*.txt"))
LEAST = 400
"""Of the flows of the recorded batches, so many can be stated by hand."""


def messages(outcomes: Iterable[Outcome]) -> list[str]:
    """Return what a hook sends for these outcomes."""
    context = context_of(APPLICATION, SETTINGS.names, SETTINGS.content)
    pipeline = Pipeline(pipeline_options(context, SETTINGS), clock=lambda: 0)
    emitter = Emitter(AtlasOutput(context), pipeline.stats.writes, pipeline._guard, lambda: 0)
    return [each.value for outcome in outcomes for each in emitter.messages(pipeline.add(lambda o=outcome: [o]))]


def plain(dataset: Dataset) -> Dataset:
    """Return a dataset with what a statement can say of it: not what Spark's catalog knows besides."""
    if isinstance(dataset, TableDataset):
        return TableDataset(
            database=dataset.database,
            name=dataset.name,
            catalog=dataset.catalog,
            columns=dataset.columns,
            comment=dataset.comment,
        )
    return replace(dataset, partitions=()) if isinstance(dataset, PathDataset) else dataset


def masked(column: ColumnLineage) -> ColumnLineage:
    """Return a column as if its expression had come from outside, where all literals are masked."""
    return replace(column, expression=mask_sql(column.expression) if column.expression else None)


def stated(dataset: Dataset, alias: str) -> dict[str, Any]:
    match dataset:
        case TableDataset():
            name: Any = ".".join(f"`{part}`" for part in (dataset.catalog, dataset.database, dataset.name) if part)
        case PathDataset():
            name = dataset.locations[0]
        case TopicDataset():
            name = f"kafka://{dataset.servers}/{dataset.topic}"
        case RdbmsDataset():
            name = (f"jdbc:{dataset.rdbms_type}:{dataset.database}", f"{dataset.schema}.{dataset.table}")
    columns = {
        each.name: {"type": each.type, "nullable": each.nullable, "description": each.comment or ""}
        for each in dataset.columns
    }
    more = {"format": dataset.format} if isinstance(dataset, PathDataset) else {}
    if isinstance(dataset, TableDataset):
        more = {"description": dataset.comment or ""}
    return {"dataset": name, "alias": alias, "columns": columns, **more}


def can_be_stated(process: Process) -> bool:
    datasets = process.datasets
    known = all(
        type(each) in (TableDataset, TopicDataset)
        or (type(each) is PathDataset and len(each.locations) == 1)
        or (type(each) is RdbmsDataset and each.rdbms_type == "h2" and each.schema)
        for each in datasets
    )
    special = (process.stream, process.defines_view, process.gaps, process.decided_by, process.through_driver)
    return bool(known and process.outputs and process.has_happened and not any(special)) and not (
        process.extent.part or process.versions_read or process.other_sources
    )


def statement(process: Process) -> dict[str, Any]:
    aliases = {key: f"d{number}" for number, key in enumerate(dict.fromkeys(each.key for each in process.datasets))}

    def reference(each: Any) -> dict[str, str]:
        return {"dataset": aliases[each.dataset], "column": each.column}

    columns = {}
    for each in process.columns:
        by_kind: dict[str, Any] = {}
        for source in each.sources:
            by_kind.setdefault(KIND_OF[source.dependency], []).append(reference(source))
        columns[f"{aliases[each.dataset]}.{each.column}"] = {
            **by_kind,
            **({"text": each.expression} if each.expression else {}),
        }
    return {
        "job": process.application.job,
        "inputs": [stated(each, aliases[each.key]) for each in process.inputs],
        "outputs": [stated(each, aliases[each.key]) for each in process.outputs],
        "columns": columns,
        "conditions": [
            {"kind": clause.dependency.value, "text": clause.text, "columns": [*map(reference, clause.sources)]}
            for clause in process.clauses
        ],
        "replaces": process.replaces_output,
        "engine": "Spark",
    }


def flows(cases: Iterable[str]) -> Iterator[tuple[str, Process]]:
    for case in cases:
        for process in Capture.processes_of((NEWEST / f"{case}.txt").read_text("utf-8")):
            if can_be_stated(process):
                yield case, process


@pytest.mark.full
def test_every_recorded_flow_that_can_be_stated() -> None:
    number = 0
    for case, process in flows(CASES):
        same(case, process)
        number += 1
    assert number >= LEAST


@pytest.mark.parametrize("case", ["copy_parquet", "join", "ctas", "group_by_in"])
def test_flows_of_a_case(case: str) -> None:
    found = [process for _, process in flows([case])]
    assert found
    validated(message for process in found for message in same(case, process))


def same(case: str, process: Process) -> list[str]:
    by = StatingProcess(application_id=APPLICATION.application_id, user=APPLICATION.user)
    (emitted,) = [each for each in read_flow(statement(process), by, case) if isinstance(each, Process)]
    own = replace(
        process,
        run=emitted.run,
        application=replace(process.application, is_job_chosen=True, name=emitted.application.name),
        inputs=tuple(map(plain, process.inputs)),
        outputs=tuple(map(plain, process.outputs)),
        columns=tuple(map(masked, process.columns)),
        clauses=tuple(replace(each, text=mask_sql(each.text)) for each in process.clauses),
    )
    sent = messages([emitted])
    assert sent == messages([own]), case
    return sent
