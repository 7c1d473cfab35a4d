"""Track the Spark ML models of an application: fits, saves, loads and uses, and the columns that they compute.

Saving makes a process from the training data to the model. A model is identified by the number that the driver's Python assigns,
and by Spark's uids.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sac_kafka.lineage.columns.origins import Origin, OriginOf
from sac_kafka.lineage.columns.output_columns import EMPTY
from sac_kafka.lineage.extract import MAX_CLAUSES, merge_clauses, process_of, sort_sources
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.model import Application, Dataset, ModelDataset, Process, Run
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.gaps import gaps_beyond_columns
from sac_kafka.model.merging import merge
from sac_kafka.names.files import Patterns
from sac_kafka.names.model_places import ModelPlace, place
from sac_kafka.plan.expressions import Alias, Attribute
from sac_kafka.plan.ml_events import (
    FitEnd,
    FitStart,
    LoadInstanceEnd,
    LoadInstanceStart,
    ModelEvent,
    ModelNote,
    SaveInstanceEnd,
    SaveInstanceStart,
    TransformEnd,
    TransformStart,
)
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Aggregate, Project, Window
from sac_kafka.stages.model_directories import ModelDirectories

MAX_MODELS = 1_000
"""Names of models that are remembered; the oldest is evicted first."""


@dataclasses.dataclass(slots=True, eq=False, kw_only=True)
class KnownModel:
    """A model, as its fit or load described it.

    Attributes:
        uid: The uid of the whole model.
        training: Origin of the training data, with the pipeline if that is saved; None if the fit was not seen.
        pipeline_uid: The uid of the estimator or pipeline that was fitted.
        started_ms: Start of the fit in epoch milliseconds.
        saved: The location it was loaded from, or last saved to.
    """

    uid: str
    training: Origin | None = None
    pipeline_uid: str = ""
    started_ms: int | None = None
    saved: ModelDataset | None = None

    @property
    def read(self) -> Origin | None:
        """The input of a column that the model computes: the saved model, else its training data."""
        if self.saved is not None:
            return Origin(inputs=(self.saved,), columns=EMPTY)
        return self.training


class KnownModels:
    """The models that an application has recently fitted or loaded."""

    def __init__(self) -> None:
        self._by_name: Bounded[tuple[int, str], KnownModel] = Bounded(MAX_MODELS)

    def add(self, model: KnownModel, number: int, uids: Iterable[str]) -> None:
        """Add a model under its number (0: none), its uid and the uids of its parts."""
        names = [(number, "")] if number else []
        for name in (*names, *((0, uid) for uid in uids)):
            self._by_name[name] = model

    def find(self, number: int, uid: str) -> KnownModel | None:
        """Return the model with this number, or, if that is unknown, the last one with this uid."""
        names = ((number, uid), (number, ""), (0, uid)) if number else ((0, uid),)
        return next((known for name in names if (known := self._by_name.get(name)) is not None), None)

    def note_save(self, number: int, uid: str, at: ModelDataset) -> None:
        """Record where a model was saved; a part that is saved separately becomes another model.

        A loaded model keeps the location that it was loaded from: the new one is a copy.
        """
        known = self.find(number, uid)
        if known is None:
            self.add(KnownModel(uid=uid, saved=at), number, (uid,))
        elif known.training is not None and known.uid == uid:
            known.saved = at
        elif known.training is not None:
            self._by_name[(number, uid)] = dataclasses.replace(known, uid=uid, saved=at)


MAX_COLUMNS = 10_000
"""Columns computed by models that are remembered."""
MAX_STARTED = 1_000
"""Fits, transforms and loads that have started and not ended."""

_PYTHON, _JVM = "python", "jvm"
_COLUMN_EXPRESSIONS: Mapping[type, Callable[[Any], Iterable[object]]] = {
    Project: lambda node: node.project_list,
    Aggregate: lambda node: node.aggregate_expressions,
    Window: lambda node: node.window_expressions,
}
"""The expressions by which operators compute columns."""

_WITHOUT_FIT = {True: "a model whose fit was not seen", False: "a transformer that needs no fit"}
"""Source of something saved without a known fit, by whether it is a model."""


class Models:
    """The models of an application, updated by events and notes in order; finds the models behind a column (`ColumnOrigins`).

    `attribution` finds the Python process that saves a model; `directories` are those of models. `columns` are the models by the
    exprIds of the columns that they compute.
    """

    def __init__(
        self,
        attribution: Attribution,
        patterns: Patterns,
        directories: ModelDirectories,
        counts: Counter[str],
    ) -> None:
        self._attribution = attribution
        self._patterns = patterns
        self._counts = counts
        self._models = KnownModels()
        self._pipelines: Bounded[str, ModelDataset] = Bounded(MAX_STARTED)  # saved ones, by uid
        self.columns: Bounded[int, KnownModel] = Bounded(MAX_COLUMNS)
        self._fits: Bounded[str, Origin] = Bounded(MAX_STARTED)
        self._transforms: Bounded[str, frozenset[int]] = Bounded(MAX_STARTED)
        self._loads: Bounded[str, tuple[str, bool]] = Bounded(MAX_STARTED)
        self._directories = directories

    def add(self, event: ModelEvent, origin_of: OriginOf) -> Iterable[Process]:
        """Process one event and return the processes that it finishes, if any; `origin_of` reads the rows of a plan."""
        saving, loading = self._directories.saving, self._directories.loading
        match event:
            case ModelNote():
                return self._add_note(event, json.loads(event.text), origin_of)
            case FitStart(plan=LogicalPlan() as plan):
                self._fits[event.uid] = origin_of(plan)
            case FitEnd():
                origin = self._fits.pop(event.uid, None)
                if origin is not None:
                    self._models.add(self._trained_model(event.model, event.uid, origin, None), 0, (event.model,))
            case TransformStart():
                self._transforms[event.uid] = frozenset(column.expr_id for column in event.columns)
            case TransformEnd():  # that of a pipeline model comes after those of its stages and overrides them
                given = self._transforms.pop(event.uid, None)
                if given is not None:
                    added = [column for column in event.columns if column.expr_id not in given]
                    self._mark_columns(self._models.find(0, event.uid), added)
            case SaveInstanceStart():
                if saving.outermost(event.path) is None:  # otherwise it is a part of a model that is being saved
                    saving.begin(_JVM, event.path)
            case SaveInstanceEnd():
                if saving.end(_JVM, event.path) is not None:
                    details = _event_details(event.uid, event.instance_class)
                    run, application = Run(execution_id=None), self._attribution.application_of()
                    return self._save_process(event.path, 0, details, run, application)
            case LoadInstanceStart():
                outermost = loading.outermost(event.path)  # the model that this is a part of
                self._loads[event.reader] = outermost or event.path, outermost is None
                if outermost is None:
                    loading.begin(_JVM, event.path)
            case LoadInstanceEnd():
                self._end_load(event)
        return ()

    def _end_load(self, event: LoadInstanceEnd) -> None:
        path, is_whole = self._loads.pop(event.reader, ("", False))
        if is_whole:
            self._directories.loading.end(_JVM, path)
        if path:
            self._add_from_path(path, 0, _event_details(event.uid, event.instance_class))

    def _add_note(self, note: ModelNote, details: dict[str, Any], origin_of: OriginOf) -> Iterable[Process]:
        """Process a note of the driver's Python."""
        saving, loading, path = self._directories.saving, self._directories.loading, note.path or ""
        match note.kind:
            case "fitted":
                if note.plan is not None and details["uids"]:
                    origin, uid = origin_of(note.plan), details["uids"][0]
                    model = self._trained_model(uid, details["estimator"], origin, details["started"])
                    self._models.add(model, details["number"], details["uids"])
            case "transformed":
                self._mark_columns(self._models.find(details["number"], details["uid"]), note.columns)
            case "saving":
                saving.begin(_PYTHON, path, note.time)
            case "saved":
                began = saving.end(_PYTHON, path)
                run = Run(execution_id=None, started_ms=began[0] if began else None, ended_ms=note.time)
                application = self._attribution.application_of(process=note.process)
                return self._save_process(path, details["number"] or 0, details, run, application)
            case "loading":
                loading.begin(_PYTHON, path, note.time)
            case "loaded":
                loading.end(_PYTHON, path)
                self._add_from_path(path, details["number"], details)
            case "failed":
                saving.end(_PYTHON, path)
                loading.end(_PYTHON, path)
            case _:
                self._counts[f"note about a model not understood: {note.kind}"] += 1
        return ()

    def origins_of(self, node: LogicalPlan) -> Iterable[Origin]:
        """Return the origins of the models that compute columns of a node."""
        expressions = _COLUMN_EXPRESSIONS.get(type(node)) if self.columns else None
        if expressions is None:
            return ()
        models = {
            id(model): model
            for expression in expressions(node)
            if isinstance(expression, Alias) and (model := self.columns.get(expression.expr_id)) is not None
        }
        return [origin for model in models.values() if (origin := model.read) is not None]

    def _trained_model(self, uid: str, estimator: str, origin: Origin, started_ms: int | None) -> KnownModel:
        pipeline = self._pipelines.get(estimator)
        if pipeline is not None:
            origin = dataclasses.replace(origin, inputs=(*origin.inputs, pipeline))
        return KnownModel(uid=uid, training=origin, pipeline_uid=estimator, started_ms=started_ms)

    def _mark_columns(self, model: KnownModel | None, columns: Iterable[Attribute]) -> None:
        if model is not None:
            self.columns.update({column.expr_id: model for column in columns})

    def _add_from_path(self, path: str, number: int, details: Mapping[str, Any]) -> None:
        """Remember a model or pipeline that was loaded."""
        known_place = self._place(path)
        if known_place is None:
            return
        at = _dataset(known_place, details)
        if at.is_fitted:
            self._directories.saved.add(at)
            self._models.add(KnownModel(uid=at.uid, saved=at), number, details.get("uids", (at.uid,)))
        else:
            self._pipelines[at.uid] = at

    def _save_process(
        self, path: str, number: int, details: Mapping[str, Any], run: Run, application: Application
    ) -> Iterator[Process]:
        """Yield the process that made a saved model."""
        known_place = self._place(path)
        if known_place is None:
            return
        model = self._models.find(number, details["uid"] or "")
        at = _dataset(known_place, details, model.pipeline_uid if model is not None else "")
        if not at.is_fitted:
            # An unfitted pipeline has no training data; it becomes an input of the models that it fits.
            self._pipelines[at.uid] = at
            return
        # The input of a model that was loaded is the saved one.
        known = (model.training or model.read) if model is not None else None
        without_fit = _WITHOUT_FIT[bool(details.get("is_model"))]
        origin = known or Origin(inputs=(), columns=EMPTY, other_sources=(without_fit,))
        run = dataclasses.replace(run, started_ms=(model.started_ms if model else None) or run.started_ms)
        self._models.note_save(number, at.uid, at)
        self._directories.saved.add(at)
        yield from origin.definitions
        yield _process(origin, (at, dataclasses.replace(at, is_directory=True)), run, application)

    def _place(self, path: str) -> ModelPlace | None:
        known = place(path, self._patterns)
        if known is None:
            self._counts["model in a temporary folder of MLflow's"] += 1
        return known


def _process(origin: Origin, outputs: tuple[ModelDataset, ...], run: Run, application: Application) -> Process:
    clauses = tuple(merge_clauses(origin.clauses))
    return dataclasses.replace(
        process_of(origin, sorted(outputs, key=lambda d: d.key), run, application),
        inputs=_distinct(origin.inputs),
        row_level=sort_sources({s for c in clauses for s in c.sources}),
        clauses=tuple(c for c in clauses if c.text)[:MAX_CLAUSES],
        versions_read=tuple(sorted(set(origin.versions))),
        gaps=gaps_beyond_columns(origin.gaps),
    )


def _event_details(uid: str | None, instance_class: str | None) -> dict[str, Any]:
    """Return the facts of a JVM event about an instance, in the form of a note."""
    name = (instance_class or "").rpartition(".")[2]
    return {"uid": uid or "", "class": name, "is_fitted": name != "Pipeline", "is_model": True}


def _dataset(at: ModelPlace, details: Mapping[str, Any], pipeline_uid: str = "") -> ModelDataset:
    return ModelDataset(
        path=at.path,
        locations=(at.location,),
        is_fitted=details["is_fitted"],
        model_class=details["class"],
        uid=details["uid"],
        pipeline_uid=pipeline_uid,
        uri=at.uri,
    )


def _distinct(datasets: Iterable[Dataset]) -> tuple[Dataset, ...]:
    distinct: dict[str, Dataset] = {}
    for dataset in datasets:
        distinct[dataset.key] = merge(distinct[dataset.key], dataset) if dataset.key in distinct else dataset
    return tuple(sorted(distinct.values(), key=lambda d: d.key))
