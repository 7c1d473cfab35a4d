"""Build the entities of the application and its process: who ran the flow, when, and between which datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from sac_kafka.atlas import qualified_name
from sac_kafka.atlas.catalog.definitions import RESET
from sac_kafka.atlas.context import Context
from sac_kafka.atlas.datasets import DatasetEntities
from sac_kafka.atlas.flows import run_facts
from sac_kafka.atlas.flows.run_facts import Facts
from sac_kafka.atlas.limits import COMMENT_LIMIT, LABEL_LIMIT, PART_LIMIT, fitting, shorten, truncate
from sac_kafka.atlas.model import (
    OWN_PROCESS,
    SPARK_TYPES,
    AtlasEntity,
    AtlasObjectId,
    Ends,
    Value,
    known,
    process_type,
)
from sac_kafka.atlas.naming import Naming
from sac_kafka.model import Application, Dependency, Process, RowClause
from sac_kafka.model.facts import COLUMN_FACTS, FACTS, LINEAGE, QUERY_FACTS, RUNNING, STATUS, ApplicationRun
from sac_kafka.model.gaps import may_hide_conditions
from sac_kafka.settings.content import TEXT_LIMIT, Content
from sac_kafka.settings.declarations.choices import ColumnLineageMode
from sac_kafka.stats import Completeness, of_writes, with_noun

_NAMES_SHOWN = 3
_NO_DATASET = "no dataset"
_ENGINE_FACTS: Mapping[str, str] = MappingProxyType(
    {"status": STATUS.name, "producer": "producer", "parentJob": "parent_job", "parentRunId": "parent_run_id"}
)
"""Attributes of OWN_PROCESS that are facts, too."""
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
    def entities(self) -> tuple[AtlasEntity, ...]:
        """The application, then its process; under `compat = sac` only the process, which represents the application.

        The definition of a view has no application, because it is the same for all readers of the view.
        """
        if self.described.defines_view:
            return (_definition(self),)
        represented = application(self.described.application, self.context.naming, self.context.content)
        process = _process(self, represented.id)
        if self.context.naming.is_sac:
            return (_as_application(process, self.described.application),)
        return represented, process


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
        id=AtlasObjectId(between.id.type_name, app.application_id),
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
        id=AtlasObjectId(SPARK_TYPES.application, qualified_name.application(described.job, naming.namespace)),
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


def _process(flow: DescribedFlow, application_id: AtlasObjectId) -> AtlasEntity:
    """Return the process: the flow from the inputs to the outputs, with its last run as attributes.

    Without inputs or outputs, that relationship is omitted: Atlas stores such a process, but no lineage graph shows it (R16).
    It is named by the datasets; a streaming query by its identity, as its inputs may grow.
    """
    described, run, inputs, outputs = flow.described, flow.described.run, flow.inputs, flow.outputs
    user, remote_user = (user_name and shorten(user_name, PART_LIMIT) for user_name in users(described))
    input_ids, output_ids = tuple(dataset.id for dataset in inputs), tuple(dataset.id for dataset in outputs)
    job, stream, namespace = described.application.job, described.stream, flow.context.naming.namespace
    type_name = process_type(described.application.engine, flow.context.content.engine_processes)
    if stream is None:
        name = qualified_name.process(
            job, outputs=output_ids, inputs=input_ids, namespace=namespace, type_name=type_name
        )
    else:
        label = stream.name or (qualified_name.path_label(stream.checkpoint) if stream.checkpoint else "")
        name = qualified_name.stream(job, label, identity=stream.identity, namespace=namespace, type_name=type_name)
    target = first_names([dataset.label for dataset in outputs]) if outputs else _DRIVER
    return _entity(
        flow,
        AtlasObjectId(type_name, name),
        f"{run_label(described)}: {_sources(described, inputs)} -> {target}",
        {
            "application": application_id,
            **{side: ids for side, ids in (("inputs", input_ids), ("outputs", output_ids)) if ids},
        },
        executionId=run.execution_id,
        currUser=user,
        remoteUser=remote_user,
        queryText=run.query_text and truncate(run.query_text, TEXT_LIMIT),
        sparkPlanDescription=run.plan_text and truncate(run.plan_text, TEXT_LIMIT),
    )


def run_label(described: Process) -> str:
    """Return the readable name of a run: its job, and the name of a streaming query."""
    job, stream = shorten(described.application.job, LABEL_LIMIT), described.stream
    return job if stream is None or stream.name is None else f"{job}, {shorten(stream.name, LABEL_LIMIT)}"


def _definition(flow: DescribedFlow) -> AtlasEntity:
    """Return the spark_process of a view's definition, named by the view, without facts of the run that created or read it."""
    (view,), inputs, text = flow.outputs, flow.inputs, flow.described.run.query_text
    input_ids = tuple(dataset.id for dataset in inputs)
    name = qualified_name.view_definition(view.id, inputs=input_ids, namespace=flow.context.naming.namespace)
    return _entity(
        flow,
        AtlasObjectId(SPARK_TYPES.process, name),  # whatever the engine: that of each is the same
        f"view {first_names([view.label])} of {_sources(flow.described, inputs)}",
        {"outputs": (view.id,), **({"inputs": input_ids} if input_ids else {})},
        queryText=text and truncate(text, TEXT_LIMIT),
    )


def _entity(
    flow: DescribedFlow, id_: AtlasObjectId, label: str, references: Mapping[str, Ends], **attributes: Value
) -> AtlasEntity:
    """Return the process with the facts of its last run; the definition of a view has only those of its query."""
    content, is_definition, mode = flow.context.content, flow.described.defines_view, flow.context.column_lineage
    declared = (LINEAGE, *QUERY_FACTS, *COLUMN_FACTS) if is_definition else FACTS
    if mode is not ColumnLineageMode.FULL:
        declared = tuple(fact for fact in declared if fact not in COLUMN_FACTS)
    decided_by = () if is_definition else flow.decided_by
    facts = run_facts.of_process(flow.described, declared, flow.datasets, decided_by)
    tags = content.labels if is_definition else labels(flow.described.application, content)
    annotated: Facts = {"labels": tags, "custom_attributes": dict(content.custom_attributes)}
    return AtlasEntity(
        id=id_,
        attributes={
            "name": label,
            **known(executionId=attributes.pop("executionId", None)),
            "details": run_facts.details({**facts, **annotated}),
            **known(
                description=rows_sentence(flow.described, decided_by) if mode is ColumnLineageMode.FULL else None,
                **attributes,
            ),
            **(_of_engine(flow.described, facts) if id_.type_name == OWN_PROCESS else {}),
        },
        references=references,
        custom_attributes={**dict(content.custom_attributes), **run_facts.custom_attributes(facts)},
        labels=tags,
        classifications=content.classifications,
    )


def _of_engine(described: Process, facts: Facts) -> Mapping[str, Value]:
    """Return the attributes that our type of process has in addition; those that this run lacks are reset."""
    app, run = described.application, described.run
    texts = {
        "job": app.job,
        "engine": app.engine.name,
        "engineVersion": app.engine.version,
        "runId": app.application_id,
        **{name: facts.get(fact) for name, fact in _ENGINE_FACTS.items()},
    }
    attributes = {name: truncate(str(text), COMMENT_LIMIT) for name, text in texts.items() if text}
    return {**dict.fromkeys(RESET[OWN_PROCESS]), **attributes, **known(started=run.started_ms, ended=run.ended_ms)}


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
        return first_names([dataset.label for dataset in inputs])
    number = described.inputs_excluded
    excluded = (f"{with_noun(number, 'input')} excluded",) if number else ()
    return ", ".join((*described.other_sources, *excluded)) or _NO_DATASET


def first_names(names: Sequence[str]) -> str:
    """Return the first names of datasets, and the number of further ones."""
    shown = [shorten(name, LABEL_LIMIT) for name in names[:_NAMES_SHOWN]]
    more = [f"+{len(names) - _NAMES_SHOWN}"] if len(names) > _NAMES_SHOWN else []
    return ", ".join([*shown, *more]) or _NO_DATASET


# ---- what decided the rows: as inputs of a separate process these columns would clutter the lineage graph of tables, and as
# inputs of all column lineage they would hide the sources of values, so they are one sentence for people

_WORDS: Mapping[Dependency, str] = MappingProxyType(
    {
        Dependency.JOIN: "joined by",
        Dependency.FILTER: "filtered by",
        Dependency.GROUP_BY: "grouped by",
        Dependency.SORT: "sorted by",
    }
)
_OWN_WORDS = frozenset({"DISTINCT", "INTERSECT", "EXCEPT"})
_SEPARATOR = "; "
_CLAUSE_LIMIT = 500
_SENTENCE_LIMIT = 1_800
_DECIDERS_LIMIT = 400

NO_CLAUSES = "Rows are not joined, filtered, grouped or sorted."
"""Sentence for a flow without conditions on rows."""


NOT_KNOWN = "What decides the rows is not known."
"""Sentence for a flow whose row conditions were not analyzed, such as a query run by a database."""
_MORE = "what else decides them is not known"


def rows_sentence(described: Process, decided_by: Sequence[str] = ()) -> str:
    """Return the clauses as one sentence for people; there always is one, so that it replaces that of an earlier run.

    "Rows joined by customer = name; filtered by amount > 100; grouped by country." It claims nothing that a gap may hide.
    `decided_by` are the names of the datasets that values of the statement were read from.
    """
    if described.columns_omitted:
        not_followed = f"Columns were not followed: {described.columns_omitted}."
        return f"{not_followed} {of_values(decided_by)}" if decided_by else not_followed
    shown, omitted = fitting(map(_clause, described.clauses), _SENTENCE_LIMIT)
    is_partial = bool(described.gaps) and may_hide_conditions(described.gaps)
    if not shown and not decided_by:
        return NOT_KNOWN if is_partial else NO_CLAUSES
    more = (
        f"{omitted} more" if omitted else "",
        _rows_by_values(decided_by) if decided_by else "",
        _MORE if is_partial else "",
    )
    return f"Rows {_SEPARATOR.join([*shown, *filter(None, more)])}."


def of_values(decided_by: Sequence[str]) -> str:
    """Return the sentence for a flow whose other row conditions are unknown.

    >>> of_values(["sales.control"])
    'Rows decided by values that were read from sales.control.'
    """
    return f"Rows {_rows_by_values(decided_by)}."


def _rows_by_values(decided_by: Sequence[str]) -> str:
    shown, omitted = fitting(decided_by, _DECIDERS_LIMIT)
    more = [f"{omitted} more"] if omitted else []
    return f"decided by values that were read from {', '.join([*shown, *more])}"


def _clause(clause: RowClause) -> str:
    text = truncate(clause.text, _CLAUSE_LIMIT)
    word = text.partition(" ")[0]
    return text if word in _OWN_WORDS else f"{_WORDS[clause.dependency]} {text}"
