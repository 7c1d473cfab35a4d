"""Change each process on its way from an input to the outputs: `STAGES` has every change, in order.

A stage is a function from a process to the process that goes on, None if none does. Nothing else changes a process: an input
makes it complete, and an output describes it. A new stage is a function here and its place in the order.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sac_kafka.model import (
    Application,
    Change,
    DatasetDescribed,
    ModelDataset,
    Outcome,
    PathDataset,
    Process,
    RowsRemoved,
    TableDataset,
)
from sac_kafka.model.gaps import COLUMNS_DISABLED
from sac_kafka.model.substitution import substitute
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import QueryText
from sac_kafka.settings.names import Names
from sac_kafka.stages.catalog_names import change_with_catalog_names, with_catalog_names
from sac_kafka.stages.completeness import WriteCounter
from sac_kafka.stages.dbt import dbt_node
from sac_kafka.stages.filters.outcomes import FilterCounts, Rules
from sac_kafka.stages.filters.rulings import Selection
from sac_kafka.stages.joined_runs import JoinedRuns, WrittenPlaces, places
from sac_kafka.stages.known_datasets import KnownDatasets, known_datasets

_DEFAULT_NAMES, _DEFAULT_CONTENT = Names(), Content()


@dataclass(slots=True, kw_only=True)
class StageState:
    """What the stages of one application know. Not thread-safe.

    Attributes:
        application: The application under the driver's job name.
        known: Its datasets.
        rules: The rules for exclusion.
        names: The settings of names.
        content: The settings of the content of messages.
        has_columns: Whether column lineage is emitted.
        joins_runs: Whether runs that wrote parts or at the same time are added up.
        counts: Counters of what is excluded, by reason.
        writes: Counts writes, and how complete their lineage is.
        runs: The last runs of each flow.
        written: The locations that the process at hand has written in part.
    """

    application: Application
    known: KnownDatasets = field(default_factory=known_datasets)
    rules: Rules = field(default_factory=lambda: Rules(Selection(with_defaults=False), FilterCounts()))
    names: Names = _DEFAULT_NAMES
    content: Content = _DEFAULT_CONTENT
    has_columns: bool = True
    joins_runs: bool = True
    counts: Counter[str] = field(default_factory=Counter)
    writes: WriteCounter = field(default_factory=WriteCounter)
    runs: JoinedRuns = field(default_factory=JoinedRuns)
    written: WrittenPlaces = frozenset()


Stage = Callable[[Process, StageState], Process | None]


# ---- the datasets, as they are called now


def note_written_places(process: Process, state: StageState) -> Process:
    """Note the locations that are written in part: a table that replaces a path no longer shows them."""
    state.written = places(process.outputs)
    return process


def rename_paths(process: Process, state: StageState) -> Process:
    """Rename paths as configured. First, so that one place has one name in all that is known of it."""
    aliases = state.known.aliases
    if not aliases.targets:
        return process
    paths = (dataset for dataset in process.datasets if isinstance(dataset, PathDataset))
    return substitute(process, {d.key: aliases.resolve_dataset(d) for d in paths if aliases.resolve(d.path) != d.path})


def update_tables(process: Process, state: StageState) -> Process:
    """Describe tables as they are defined now: a plan may show one before its last change, or under a former name."""
    definitions = state.known.definitions
    return definitions.apply_to(process) if definitions.last else process


def show_view_text(process: Process, state: StageState) -> Process:
    """Give the definition of a view the SQL text of the view, which its definition by now contains."""
    del state
    text = next((getattr(d, "view_text", None) for d in process.outputs), None) if process.defines_view else None
    return dataclasses.replace(process, run=dataclasses.replace(process.run, query_text=text)) if text else process


def learn_tables(process: Process, state: StageState) -> Process:
    """Remember the tables, so that the next stage, and later processes, find them by location."""
    made = process.outputs if process.run.failure is None else ()  # a failed statement created no table
    for dataset in (*process.inputs, *process.decided_by, *made):
        if isinstance(dataset, TableDataset):
            state.known.tables.add_seen(dataset)
    return process


def replace_paths(process: Process, state: StageState) -> Process:
    """Replace a path by the table at its location. After `rename_paths`, as tables are known by configured locations."""
    has_paths = any(isinstance(dataset, PathDataset) for dataset in process.datasets)
    return state.known.tables.substitute_paths(process) if has_paths and state.names.paths_as_tables else process


def learn_views(process: Process, state: StageState) -> Process:
    """Remember the definition of a view by its current tables: a rename of the view emits it again."""
    if process.defines_view:
        state.known.views.remember(process)
    return process


# ---- the run


def add_earlier_runs(process: Process, state: StageState) -> Process:
    """Add runs that wrote other parts or at the same time. After renaming, as a flow is known by its current datasets."""
    is_single = not state.joins_runs or not process.outputs or process.stream is not None
    if is_single or any(isinstance(d, ModelDataset) for d in process.outputs):
        return process  # reads are not added up; streams count their batches; a model is saved as a whole
    return state.runs.join(process, state.written)


def replace_parts_of_models(process: Process, state: StageState) -> Process | None:
    """Replace a part of a saved model by the model. Drop the writes and reads by which Spark saves or loads one."""
    models = state.known.models
    if not (models.saved.at or models.saving.open or models.loading.open):
        return process
    if models.is_part(process):
        state.counts["part of a model that is saved or loaded"] += 1
        return None
    return models.saved.as_models(process)


# ---- the settings


def rename_catalogs(process: Process, state: StageState) -> Process:
    """Rename catalogs as configured. After everything that compares tables with those of Spark's events."""
    names = dict(state.names.catalog_names)
    return with_catalog_names(process, names) if names else process


def name_dbt_job(process: Process, state: StageState) -> Process:
    """Name the job by its dbt model, unless the settings of the driver or the session name it. Before rules, which read it."""
    is_set = process.application.is_job_chosen and process.application.job != state.application.job
    text = process.run.query_text
    node = dbt_node(text) if text and "dbt" in text and not is_set else None
    if node is None or not state.names.has_no_job_name:
        return process
    facts = (*process.application.facts, ("dbt_node", node))
    application = dataclasses.replace(process.application, job=f"dbt {node}", facts=facts)
    return dataclasses.replace(process, application=application)


def apply_rules(process: Process, state: StageState) -> Process | None:
    """Leave out what rules exclude. After all names: rules are written for those that a server shows."""
    return state.rules.select(process)


def mark_columns_disabled(process: Process, state: StageState) -> Process:
    """Mark the process if column lineage is disabled. After rules, which may leave no column."""
    if state.has_columns or not any(column.sources for column in process.columns):
        return process
    return dataclasses.replace(process, gaps=(*process.gaps, COLUMNS_DISABLED))


def count_write(process: Process, state: StageState) -> Process:
    """Count a write and its gaps. Last but for texts: only what is emitted counts."""
    state.writes.add(process)
    return process


def bound_query_text(process: Process, state: StageState) -> Process:
    """Shorten the SQL text, or leave it out. After `name_dbt_job`, which reads it."""
    text, limit = process.run.query_text, state.content.query_text_length
    is_off = state.content.query_text is QueryText.OFF or not limit
    if text is None or (not is_off and len(text) <= limit):
        return process
    return dataclasses.replace(
        process, run=dataclasses.replace(process.run, query_text=None if is_off else text[:limit])
    )


STAGES_OF_DATASETS: tuple[Stage, ...] = (
    note_written_places,
    rename_paths,
    update_tables,
    show_view_text,
    learn_tables,
    replace_paths,
    learn_views,
)
"""A streaming query unites the writes of its batches, each of which has passed these stages."""

STAGES: tuple[Stage, ...] = (
    *STAGES_OF_DATASETS,
    add_earlier_runs,
    replace_parts_of_models,
    rename_catalogs,
    name_dbt_job,
    apply_rules,
    mark_columns_disabled,
    count_write,
    bound_query_text,
)


def pass_stages(process: Process, state: StageState, stages: Iterable[Stage]) -> Process | None:
    """Return what remains of a process after some stages; None if one of them leaves nothing."""
    for stage in stages:
        changed = stage(process, state)
        if changed is None:
            return None
        process = changed
    return process


def pass_stages_of_datasets(process: Process, state: StageState) -> Process:
    """Return a write of a batch with its datasets as they are called now."""
    return pass_stages(process, state, STAGES_OF_DATASETS) or process


def pass_outcomes(outcomes: Iterable[Outcome], state: StageState) -> tuple[Outcome, ...]:
    """Return what remains of the outcomes of one event after all stages.

    Each outcome passes them before the next one is requested, so an input may be an iterator that reads `state.known`.
    """
    state.rules.of_others.clear()
    passed: list[Outcome] = []
    has_changes = False
    for outcome in outcomes:
        processes: Sequence[Process] = ()
        if isinstance(outcome, Process):
            processes = (outcome,)
        else:
            processes = tuple(state.known.follow(outcome))
            if not state.known.batches.is_repeat(outcome):
                names = dict(state.names.catalog_names)
                passed.append(change_with_catalog_names(_with_current_dataset(outcome, state), names))
                has_changes = True
        for process in processes:
            stages = STAGES if process.stream is None else STAGES[len(STAGES_OF_DATASETS) :]
            left = pass_stages(process, state, stages)
            if left is not None:
                passed.append(left)
    return tuple(state.rules.select_changes(passed, state.application) if has_changes else passed)


def _with_current_dataset(change: Change, state: StageState) -> Change:
    """Return a change of any dataset with its current name: its alias, or the table at the location."""
    if not isinstance(change, (DatasetDescribed, RowsRemoved)):
        return change
    dataset = state.known.aliases.resolve_dataset(change.dataset)
    has_tables = state.names.paths_as_tables
    table = state.known.tables.table_of(dataset) if has_tables and isinstance(dataset, PathDataset) else None
    return dataclasses.replace(change, dataset=dataset if table is None else table)
