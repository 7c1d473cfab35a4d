"""Build the entities of the application and its process: who ran the flow, when, and between which datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows import rows, run_facts
from sac_kafka.atlas.flows.run_facts import Facts
from sac_kafka.atlas.limits import COMMENT_LIMIT, LABEL_LIMIT, PART_LIMIT, shorten, truncate
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, Ends, Value, known
from sac_kafka.atlas.naming import Naming
from sac_kafka.atlas.types.sent import flow_types
from sac_kafka.model import Application, Process
from sac_kafka.model.facts import COLUMN_FACTS, FACTS, LINEAGE, QUERY_FACTS, RUNNING, ApplicationRun
from sac_kafka.settings.content import TEXT_LIMIT, Content
from sac_kafka.settings.declarations.choices import ColumnLineageMode
from sac_kafka.stats import Completeness, of_writes, with_noun

_NAMES_SHOWN = 3
_DRIVER = "the driver"  # the target of rows that are not written to a dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedFlow:
    """A process with all that its entities state.

    `datasets` are the entities of its inputs and outputs by key, `decided_by` the names of datasets whose values decided rows.
    """

    described: Process
    datasets: Mapping[str, DatasetEntities]
    decided_by: tuple[str, ...]
    context: Context

    @property
    def inputs(self) -> tuple[DatasetEntities, ...]:
        """The distinct inputs (Atlas treats the list of a relationship as a set)."""
        return once(self.datasets[dataset.key] for dataset in self.described.inputs)

    @property
    def outputs(self) -> tuple[DatasetEntities, ...]:
        """The distinct outputs."""
        return once(self.datasets[output.key] for output in self.described.outputs)

    @property
    def facts(self) -> Facts:
        """The facts of the last run; for the definition of a view only those of its query."""
        is_definition = self.described.defines_view
        facts = (LINEAGE, *QUERY_FACTS, *COLUMN_FACTS) if is_definition else FACTS
        if self.context.column_lineage is not ColumnLineageMode.FULL:
            facts = tuple(fact for fact in facts if fact not in COLUMN_FACTS)
        return run_facts.of_process(self.described, facts, self.datasets, () if is_definition else self.decided_by)

    @property
    def entities(self) -> tuple[AtlasEntity, ...]:
        """The application, then its process; under `compat = sac` only the process, which represents the application.

        The definition of a view has no application, because it is the same for all readers of the view.
        """
        if self.described.defines_view:
            return (_definition(self),)
        process = _process(self)
        if self.context.naming.is_sac:
            return (_as_application(process, self.described.application),)
        return application(self.described.application, self.context.naming, self.context.content), process


def once(described: Iterable[DatasetEntities]) -> tuple[DatasetEntities, ...]:
    """Drop duplicates: several keys may denote the same dataset."""
    return tuple({each.id: each for each in described}.values())


def _as_application(between: AtlasEntity, app: Application) -> AtlasEntity:
    """Return the process as named by the Spark Atlas Connector: one per application, under the application's id.

    Source: SAC `types.internal`, which names the process of a shell `Spark Job`.
    """
    is_shell = app.name == "Spark shell"
    name = f"{'Spark Job +' if is_shell else app.name} {app.application_id}"
    return replace(
        between,
        id=AtlasObjectId(flow_types(app.engine).process, app.application_id),
        attributes={**between.attributes, "name": name},
        references={side: ids for side, ids in between.references.items() if side != "application"},
    )


def application(
    described: Application,
    naming: Naming,
    content: Content,
    wrote: Completeness | None = None,
    status: str = RUNNING,
) -> AtlasEntity:
    """Return the spark_application, named by the job, with custom attributes that identify the run.

    Its type inherits from Process; without inputs and outputs it does not appear in the lineage graph. `wrote`, the
    completeness of the lineage of its writes, is known at its end.
    """
    user = described.user and shorten(described.user, PART_LIMIT)
    return AtlasEntity(
        id=_application_id(described, naming),
        attributes={
            "name": truncate(described.job, COMMENT_LIMIT),
            **known(description=_last_run(described, wrote), currentUser=user, remoteUser=user),
        },
        custom_attributes={
            **dict(content.custom_attributes),
            **run_facts.custom_attributes(
                run_facts.of_application(ApplicationRun(application=described, status=status, wrote=wrote))
            ),
        },
        labels=labels(described, content),
    )


def labels(application: Application, content: Content) -> tuple[str, ...]:
    """Return the labels of the settings, and the tags of the job."""
    return tuple(dict.fromkeys((*content.labels, *application.labels)))


def _application_id(app: Application, naming: Naming) -> AtlasObjectId:
    return AtlasObjectId(flow_types(app.engine).application, qualified_name.application(app.job, naming.namespace))


def _process(flow: DescribedFlow) -> AtlasEntity:
    """Return the spark_process: the flow from the inputs to the outputs, with its last run as attributes.

    Without inputs or outputs, that relationship is omitted: Atlas stores such a process, but no lineage graph shows it (R16).
    """
    described, run, inputs, outputs = flow.described, flow.described.run, flow.inputs, flow.outputs
    user, remote_user = (user_name and shorten(user_name, PART_LIMIT) for user_name in users(described))
    input_ids, output_ids = tuple(dataset.id for dataset in inputs), tuple(output.id for output in outputs)
    return _entity(
        flow,
        _name(described, output_ids, input_ids, flow.context.naming),
        f"{run_label(described)}: {_sources(described, inputs)} -> {_names(outputs) if outputs else _DRIVER}",
        {
            "application": _application_id(described.application, flow.context.naming),
            **{side: ids for side, ids in (("inputs", input_ids), ("outputs", output_ids)) if ids},
        },
        executionId=run.execution_id,
        currUser=user,
        remoteUser=remote_user,
        queryText=_text(run.query_text),
        sparkPlanDescription=_text(run.plan_text),
    )


def _name(described: Process, outputs: Sequence[AtlasObjectId], inputs: Sequence[AtlasObjectId], naming: Naming) -> str:
    """Return the name, derived from the datasets; for a streaming query from its identity, as its inputs may grow."""
    job, stream = described.application.job, described.stream
    if stream is None:
        return qualified_name.process(job, outputs=outputs, inputs=inputs, namespace=naming.namespace)
    label = stream.name or (qualified_name.path_label(stream.checkpoint) if stream.checkpoint else "")
    return qualified_name.stream(job, label, identity=stream.identity, namespace=naming.namespace)


def run_label(described: Process) -> str:
    """Return the readable name of a run: its job, and the name of a streaming query."""
    job, stream = shorten(described.application.job, LABEL_LIMIT), described.stream
    return job if stream is None or stream.name is None else f"{job}, {shorten(stream.name, LABEL_LIMIT)}"


def _definition(flow: DescribedFlow) -> AtlasEntity:
    """Return the spark_process of a view's definition, named by the view, without facts of the run that created or read it."""
    (view,), inputs = flow.outputs, flow.inputs
    input_ids = tuple(dataset.id for dataset in inputs)
    return _entity(
        flow,
        qualified_name.view_definition(view.id, inputs=input_ids, namespace=flow.context.naming.namespace),
        f"view {_names((view,))} of {_sources(flow.described, inputs)}",
        {"outputs": (view.id,), **({"inputs": input_ids} if input_ids else {})},
        queryText=_text(flow.described.run.query_text),
    )


def _entity(
    flow: DescribedFlow, name: str, label: str, references: Mapping[str, Ends], **attributes: Value
) -> AtlasEntity:
    content, facts = flow.context.content, flow.facts
    tags = content.labels if flow.described.defines_view else labels(flow.described.application, content)
    annotated: Facts = {"labels": tags, "custom_attributes": dict(content.custom_attributes)}
    decided_by = () if flow.described.defines_view else flow.decided_by
    return AtlasEntity(
        id=AtlasObjectId(flow_types(flow.described.application.engine).process, name),
        attributes={
            "name": label,
            **known(executionId=attributes.pop("executionId", None)),
            "details": run_facts.details({**facts, **annotated}),
            **known(
                description=None
                if flow.context.column_lineage is not ColumnLineageMode.FULL
                else rows.sentence(flow.described, decided_by),
                **attributes,
            ),
        },
        references=references,
        custom_attributes={**dict(content.custom_attributes), **run_facts.custom_attributes(facts)},
        labels=tags,
        classifications=content.classifications,
    )


def _text(text: str | None) -> str | None:
    return text and truncate(text, TEXT_LIMIT)


def _last_run(described: Application, wrote: Completeness | None) -> str:
    """Return the last run as text, because the type has no attribute `details`."""
    parts = (
        described.engine.version and f"{described.engine.name} {described.engine.version}",
        described.application_id,
        described.attempt and f"attempt {described.attempt}",
        described.started_ms is not None and f"started {run_facts.timestamp(described.started_ms)}",
        wrote is not None and f"lineage of {of_writes(wrote)}",
        *(f"{name} {text}" for name, text in described.facts),
    )
    text = ", ".join(part for part in parts if part)
    return text and truncate(f"Last run: {text}", COMMENT_LIMIT)


def users(described: Process) -> tuple[str, str]:
    """Return the application's user and the requester of the run; equal unless a server reports a requester."""
    user, requester = described.application.user, described.run.requester
    return user, (requester.user if requester is not None else "") or user


def _sources(described: Process, inputs: Sequence[DatasetEntities]) -> str:
    """Return the names of the inputs; without inputs the other sources and the number of excluded inputs."""
    if inputs:
        return _names(inputs)
    number = described.inputs_excluded
    excluded = (f"{with_noun(number, 'input')} excluded",) if number else ()
    return ", ".join((*described.other_sources, *excluded)) or _names(inputs)


def _names(datasets: Sequence[DatasetEntities]) -> str:
    return first_names([dataset.label for dataset in datasets])


def first_names(names: Sequence[str]) -> str:
    """Return the first names of datasets, and the number of further ones."""
    shown = [shorten(name, LABEL_LIMIT) for name in names[:_NAMES_SHOWN]]
    more = [f"+{len(names) - _NAMES_SHOWN}"] if len(names) > _NAMES_SHOWN else []
    return ", ".join([*shown, *more]) or "no dataset"
