"""Build the entities of the application and its process: who ran the flow, when, and between which datasets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows import facts, rows, run_facts
from sac_kafka.atlas.flows.facts import Facts
from sac_kafka.atlas.limits import COMMENT_LIMIT, LABEL_LIMIT, PART_LIMIT, bounded, shortened
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.lineage.model import Application, Process
from sac_kafka.settings.content import TEXT_LIMIT, Content
from sac_kafka.stats import Completeness, counted, of_writes

_NAMES_SHOWN = 3
_DRIVER = "the driver"  # the target of rows that are not written to a dataset
_NONE: Facts = MappingProxyType({})


def flow(
    described: Process,
    *,
    inputs: Sequence[DatasetEntities],
    outputs: Sequence[DatasetEntities],
    decided: Facts | None,
    of_inputs: Facts = _NONE,
    decided_by: Sequence[str] = (),
    naming: Naming,
    content: Content,
) -> tuple[AtlasEntity, ...]:
    """Return the application, then its process; under `compat = sac` only the process, which represents the application.

    The definition of a view has no application, because it is the same for all readers of the view.
    """
    if described.defines_view:
        return (
            definition(
                described,
                inputs=inputs,
                view=outputs[0],
                decided=decided,
                of_inputs=of_inputs,
                naming=naming,
                content=content,
            ),
        )
    between = process(
        described,
        inputs=inputs,
        outputs=outputs,
        decided=decided,
        of_inputs=of_inputs,
        decided_by=decided_by,
        naming=naming,
        content=content,
    )
    if naming.is_sac:
        return (_as_application(between, described.application),)
    return application(described.application, naming, content), between


def _as_application(between: AtlasEntity, of: Application) -> AtlasEntity:
    """Return the process as named by the Spark Atlas Connector: one per application, under the application's id.

    Source: SAC `types.internal`, which names the process of a shell `Spark Job`.
    """
    is_shell = of.name == "Spark shell"
    name = f"{'Spark Job +' if is_shell else of.name} {of.application_id}"
    return replace(
        between,
        id=AtlasObjectId("spark_process", of.application_id),
        attributes={**between.attributes, "name": name},
        references={side: ids for side, ids in between.references.items() if side != "application"},
    )


def application(
    described: Application,
    naming: Naming,
    content: Content,
    wrote: Completeness | None = None,
    status: str = run_facts.RUNNING,
) -> AtlasEntity:
    """Return the spark_application, named by the job, with custom attributes that identify the run.

    Its type inherits from Process; without inputs and outputs it does not appear in the lineage graph.

    Args:
        described: The application.
        naming: The naming of entities.
        content: The settings of content.
        wrote: The completeness of the lineage of its writes, known at its end.
        status: As of `run_facts.of_application`.
    """
    user = described.user and shortened(described.user, PART_LIMIT)
    return AtlasEntity(
        id=AtlasObjectId("spark_application", qualified_name.application(described.job, naming.namespace)),
        attributes={
            "name": bounded(described.job, COMMENT_LIMIT),
            **known(description=_last_run(described, wrote), currentUser=user, remoteUser=user),
        },
        custom_attributes={
            **dict(content.custom_attributes),
            **facts.custom_attributes(run_facts.of_application(described, status)),
            **(facts.custom_attributes(run_facts.of_writes(wrote)) if wrote is not None else {}),
        },
        labels=content.labels,
    )


def process(
    described: Process,
    *,
    inputs: Sequence[DatasetEntities],
    outputs: Sequence[DatasetEntities],
    decided: Facts | None,
    of_inputs: Facts = _NONE,
    decided_by: Sequence[str] = (),
    naming: Naming,
    content: Content,
) -> AtlasEntity:
    """Return the spark_process: the flow from `inputs` to `outputs`, with its last run as attributes.

    Without inputs or outputs, that relationship is omitted: Atlas stores such a process, but no lineage graph shows it (R16).

    Args:
        described: The process.
        inputs: The entities of its inputs.
        outputs: The entities of its outputs.
        decided: The columns that decided rows (`rows.columns`); None if they are not requested.
        of_inputs: The facts of the run that name inputs.
        decided_by: The names of the datasets whose values decided rows.
        naming: The naming of entities.
        content: The settings of content.
    """
    job, run = described.application.job, described.run
    user, remote_user = (each and shortened(each, PART_LIMIT) for each in _users(described))
    input_ids, output_ids = tuple(each.id for each in inputs), tuple(each.id for each in outputs)
    application_id = AtlasObjectId("spark_application", qualified_name.application(job, naming.namespace))
    ran = run_facts.of_run(described, decided, {**of_inputs, "decided_by": tuple(decided_by)})
    annotated: Facts = {"labels": content.labels, "custom_attributes": dict(content.custom_attributes)}
    return AtlasEntity(
        id=AtlasObjectId("spark_process", _name(described, output_ids, input_ids, naming)),
        attributes={
            "name": f"{run_label(described)}: {_sources(described, inputs)} -> {_names(outputs) if outputs else _DRIVER}",
            **known(executionId=run.execution_id),
            "details": facts.details({**ran, **annotated}),
            **known(
                description=None if decided is None else rows.sentence(described, decided_by),
                currUser=user,
                remoteUser=remote_user,
                queryText=run.query_text and bounded(run.query_text, TEXT_LIMIT),
                sparkPlanDescription=run.plan_text and bounded(run.plan_text, TEXT_LIMIT),
            ),
        },
        references={
            "application": application_id,
            **{side: ids for side, ids in (("inputs", input_ids), ("outputs", output_ids)) if ids},
        },
        custom_attributes={**dict(content.custom_attributes), **facts.custom_attributes(ran)},
        labels=content.labels,
        classifications=content.classifications,
    )


def _name(described: Process, outputs: Sequence[AtlasObjectId], inputs: Sequence[AtlasObjectId], naming: Naming) -> str:
    """Return the name, derived from the datasets; for a streaming query from its identity, as its datasets may grow."""
    job, stream = described.application.job, described.stream
    if stream is None:
        return qualified_name.process(job, outputs=outputs, inputs=inputs, namespace=naming.namespace)
    label = stream.name or (qualified_name.path_label(stream.checkpoint) if stream.checkpoint else "")
    return qualified_name.stream(job, label, identity=stream.identity, namespace=naming.namespace)


def run_label(described: Process) -> str:
    """Return the readable name of a run: its job, and the name of a streaming query."""
    job, stream = shortened(described.application.job, LABEL_LIMIT), described.stream
    return job if stream is None or stream.name is None else f"{job}, {shortened(stream.name, LABEL_LIMIT)}"


def definition(
    described: Process,
    *,
    inputs: Sequence[DatasetEntities],
    view: DatasetEntities,
    decided: Facts | None,
    of_inputs: Facts = _NONE,
    naming: Naming,
    content: Content,
) -> AtlasEntity:
    """Return the spark_process of a view's definition, named by the view, without facts of the run that created or read it."""
    input_ids = tuple(each.id for each in inputs)
    query_text = described.run.query_text
    query_facts = {"lineage": run_facts.lineage(described), **run_facts.of_query(described, decided, of_inputs)}
    annotated: Facts = {"labels": content.labels, "custom_attributes": dict(content.custom_attributes)}
    return AtlasEntity(
        id=AtlasObjectId(
            "spark_process",
            qualified_name.view_definition(view.id, inputs=input_ids, namespace=naming.namespace),
        ),
        attributes={
            "name": f"view {_names((view,))} of {_sources(described, inputs)}",
            "details": facts.details({**query_facts, **annotated}),
            **known(
                description=None if decided is None else rows.sentence(described),
                queryText=query_text and bounded(query_text, TEXT_LIMIT),
            ),
        },
        references={"outputs": (view.id,), **({"inputs": input_ids} if input_ids else {})},
        custom_attributes={**dict(content.custom_attributes), **facts.custom_attributes(query_facts)},
        labels=content.labels,
        classifications=content.classifications,
    )


def _last_run(described: Application, wrote: Completeness | None) -> str:
    """Return the last run as text, because the type has no attribute `details`."""
    parts = (
        described.spark_version and f"Spark {described.spark_version}",
        described.application_id,
        described.attempt and f"attempt {described.attempt}",
        described.started_ms is not None and f"started {facts.timestamp(described.started_ms)}",
        wrote is not None and f"lineage of {of_writes(wrote)}",
        *(f"{name} {text}" for name, text in described.facts),
    )
    text = ", ".join(part for part in parts if part)
    return text and bounded(f"Last run: {text}", COMMENT_LIMIT)


def _users(described: Process) -> tuple[str, str]:
    """Return the application's user and the requester of the run; equal unless a server reports a requester."""
    user, requester = described.application.user, described.run.requester
    return user, (requester.user if requester is not None else "") or user


def _sources(described: Process, inputs: Sequence[DatasetEntities]) -> str:
    """Return the names of the inputs; without inputs the other sources and the number of excluded inputs."""
    if inputs:
        return _names(inputs)
    number = described.inputs_left_out
    left_out = (f"{counted(number, 'input')} left out",) if number else ()
    return ", ".join((*described.other_sources, *left_out)) or _names(inputs)


def _names(datasets: Sequence[DatasetEntities]) -> str:
    shown = [shortened(each.label, LABEL_LIMIT) for each in datasets[:_NAMES_SHOWN]]
    more = [f"+{len(datasets) - _NAMES_SHOWN}"] if len(datasets) > _NAMES_SHOWN else []
    return ", ".join([*shown, *more]) or "no dataset"
