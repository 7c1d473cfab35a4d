"""The application and its process as entities: who ran the flow, when, and between which datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.limits import COMMENT_LIMIT, PART_LIMIT, bounded, listed, shortened
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.config.choices import Compat
from sac_kafka.config.server_limits import CUSTOM_VALUE_LIMIT, TEXT_LIMIT
from sac_kafka.lineage.model import Application, ColumnSource, Dataset, PathDataset, Process

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """What the settings put on every process: checked against the server's rules when they were read (R20, R21)."""

    labels: tuple[str, ...] = ()
    custom_attributes: tuple[tuple[str, str], ...] = ()
    classifications: tuple[str, ...] = ()


def flow(
    described: Process,
    *,
    inputs: Sequence[DatasetEntities],
    outputs: Sequence[DatasetEntities],
    row_level: Mapping[str, Iterable[str]],
    naming: Naming,
    annotations: Annotations,
) -> tuple[AtlasEntity, ...]:
    """The application and, last, its process; for the Spark Atlas Connector's names the process is the application."""
    between = process(
        described, inputs=inputs, outputs=outputs, row_level=row_level, naming=naming, annotations=annotations
    )
    if naming.compat is Compat.SAC:
        return (_of_application(between, naming),)
    return application(described.application, naming, annotations), between


def _of_application(between: AtlasEntity, naming: Naming) -> AtlasEntity:
    """The process as the Spark Atlas Connector named it: it had one an application, under the application's id.

    Source: SAC `types.internal`, which calls a shell's a Spark job.
    """
    is_shell = naming.application_name == "Spark shell"
    name = f"{'Spark Job +' if is_shell else naming.application_name} {naming.application_id}"
    return replace(
        between,
        id=AtlasObjectId("spark_process", naming.application_id),
        attributes={**between.attributes, "name": name},
        references={side: ids for side, ids in between.references.items() if side != "application"},
    )


def application(described: Application, naming: Naming, annotations: Annotations) -> AtlasEntity:
    """spark_application, named by the job; what names this run are custom attributes.

    It is a Process type without inputs and outputs, which keeps it out of the lineage graph.
    """
    user = described.user and shortened(described.user, PART_LIMIT)
    return AtlasEntity(
        id=AtlasObjectId("spark_application", qualified_name.application(described.job, naming.namespace)),
        attributes={
            "name": bounded(described.job, COMMENT_LIMIT),
            **known(currentUser=user, remoteUser=user),
        },
        custom_attributes={
            **dict(annotations.custom_attributes),
            **_custom(
                application_id=described.application_id,
                attempt=described.attempt,
                spark_version=described.spark_version,
                started=_timestamp(described.started_ms),
            ),
        },
        labels=annotations.labels,
    )


def process(
    described: Process,
    *,
    inputs: Sequence[DatasetEntities],
    outputs: Sequence[DatasetEntities],
    row_level: Mapping[str, Iterable[str]],
    naming: Naming,
    annotations: Annotations,
) -> AtlasEntity:
    """spark_process: the flow from `inputs` to `outputs`, with its last run as attributes.

    `row_level` is what `rows` made. A side without datasets is absent: such a process is stored, but no dataset's
    lineage shows it (R16).
    """
    job, run = described.application.job, described.run
    user = described.application.user and shortened(described.application.user, PART_LIMIT)
    input_ids, output_ids = tuple(each.id for each in inputs), tuple(each.id for each in outputs)
    application_id = AtlasObjectId("spark_application", qualified_name.application(job, naming.namespace))
    return AtlasEntity(
        id=AtlasObjectId(
            "spark_process",
            qualified_name.process(job, outputs=output_ids, inputs=input_ids, namespace=naming.namespace),
        ),
        attributes={
            "name": f"{shortened(job, PART_LIMIT)}: {_names(inputs)} -> {_names(outputs)}",
            "executionId": run.execution_id,
            **known(
                currUser=user,
                remoteUser=shortened(run.user, PART_LIMIT) if run.user else user,
                queryText=run.query_text and bounded(run.query_text, TEXT_LIMIT),
                details=run.plan_text and bounded(run.plan_text, TEXT_LIMIT),
            ),
        },
        references={
            "application": application_id,
            **{side: ids for side, ids in (("inputs", input_ids), ("outputs", output_ids)) if ids},
        },
        custom_attributes={
            **dict(annotations.custom_attributes),
            **_custom(
                application_id=described.application.application_id,
                started=_timestamp(run.started_ms),
                ended=_timestamp(run.ended_ms),
                status="failed" if run.failure else "succeeded",
                failure=run.failure,
                column_lineage=described.columns_left_out and f"left out: {described.columns_left_out}",
                rows_written=None if run.rows_written is None else str(run.rows_written),
            ),
            **listed("read_locations", _locations(described.inputs)),
            **listed("written_locations", _locations(described.outputs)),
            **{key: value for kind, columns in row_level.items() for key, value in listed(kind, columns).items()},
        },
        labels=annotations.labels,
        classifications=annotations.classifications,
    )


def rows(sources: Iterable[ColumnSource], datasets: Mapping[str, DatasetEntities]) -> dict[str, list[str]]:
    """Which columns decided which rows were written: `rows_by_filter` → `db.table.column` …, one key a dependency.

    They go on the process as custom attributes. As inputs of a process of their own they would draw columns into the
    lineage graph of tables, and as inputs of every column lineage they would hide what flows into a value.
    """
    result: dict[str, list[str]] = {}
    for source in sources:
        if dataset := datasets.get(source.dataset):
            result.setdefault(f"rows_by_{source.dependency.value}", []).append(dataset.column_label(source.column))
    return result


def _names(datasets: Sequence[DatasetEntities]) -> str:
    shown = [shortened(each.name, PART_LIMIT) for each in datasets[:_NAMES_SHOWN]]
    more = [f"+{len(datasets) - _NAMES_SHOWN}"] if len(datasets) > _NAMES_SHOWN else []
    return ", ".join([*shown, *more]) or "nothing"


def _locations(datasets: Iterable[Dataset]) -> list[str]:
    """The concrete paths of a run that its datasets' names do not say."""
    return [
        location
        for dataset in datasets
        if isinstance(dataset, PathDataset)
        for location in dataset.locations
        if location != dataset.path
    ]


def _custom(**values: str | None) -> dict[str, str]:
    return {key: bounded(value, CUSTOM_VALUE_LIMIT) for key, value in values.items() if value}


def _timestamp(epoch_ms: int | None) -> str | None:
    """A point of time as a person reads it; custom attributes are texts."""
    if epoch_ms is None:
        return None
    return (_EPOCH + timedelta(milliseconds=epoch_ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
