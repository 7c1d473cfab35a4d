"""Models of an application: fitted, saved, loaded, used. A save is the flow from the training data to the model."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.extract import MAX_CLAUSES, deciding, told
from sac_kafka.lineage.merging import merged
from sac_kafka.lineage.ml.known import KnownModel, KnownModels
from sac_kafka.lineage.ml.open_directories import OpenDirectories
from sac_kafka.lineage.ml.places import ModelPlace, place
from sac_kafka.lineage.ml.saved_parts import SavedParts
from sac_kafka.lineage.model import Application, Dataset, ModelDataset, Outcome, Process, Run
from sac_kafka.lineage.model.gaps import of_tables
from sac_kafka.plan.expressions import Alias
from sac_kafka.plan.ml_events import (
    FitEnd,
    FitStart,
    LoadInstanceEnd,
    LoadInstanceStart,
    ModelNote,
    SaveInstanceEnd,
    SaveInstanceStart,
    TransformEnd,
    TransformStart,
)
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Aggregate, Project, Window

MAX_COLUMNS = 10_000
"""Columns that models have made and that are remembered."""
MAX_STARTED = 1_000
"""Fits, transforms and loads that have begun and not ended."""

_PYTHON, _JVM = "python", "jvm"
_MADE: Mapping[type, Callable[[Any], Iterable[object]]] = {
    Project: lambda node: node.project_list,
    Aggregate: lambda node: node.aggregate_expressions,
    Window: lambda node: node.window_expressions,
}
"""The expressions by which operators make columns."""


class Models:
    """Takes what happens to models, in order; knows what was read to make a column (`Makers`).

    `read` gives what a plan reads; `counts` takes what could not be understood.
    """

    def __init__(
        self,
        application: Application,
        patterns: Patterns,
        read: Callable[[LogicalPlan], Origin],
        counts: Counter[str],
    ) -> None:
        self._application = application
        self._patterns = patterns
        self._read = read
        self._counts = counts
        self._models = KnownModels()
        self._pipelines: Bounded[str, ModelDataset] = Bounded(MAX_STARTED)  # by their uids, those that are saved
        self._columns: Bounded[int, KnownModel] = Bounded(MAX_COLUMNS)
        self._fits: Bounded[str, Origin] = Bounded(MAX_STARTED)
        self._transforms: Bounded[str, frozenset[int]] = Bounded(MAX_STARTED)
        self._loads: Bounded[str, tuple[str, bool]] = Bounded(MAX_STARTED)
        self._saving, self._loading, self._parts = OpenDirectories(), OpenDirectories(), SavedParts()
        self.takes: Mapping[type, Callable[[Any], Iterable[Process]]] = {
            ModelNote: self._noted,
            FitStart: self._fit_started,
            FitEnd: self._fit_ended,
            TransformStart: self._transform_started,
            TransformEnd: self._transform_ended,
            SaveInstanceStart: self._save_started,
            SaveInstanceEnd: self._save_ended,
            LoadInstanceStart: self._load_started,
            LoadInstanceEnd: self._load_ended,
        }
        self._notes: Mapping[str, Callable[[ModelNote, dict[str, Any]], Iterable[Process]]] = {
            "fitted": self._fitted,
            "transformed": self._transformed,
            "saving": self._begun,
            "saved": self._saved,
            "loading": self._begun,
            "loaded": self._loaded,
            "failed": self._failed,
        }

    def of(self, node: LogicalPlan) -> Iterable[Origin]:
        """What was read to make the columns that a node makes by models."""
        made = _MADE.get(type(node)) if self._columns else None
        if made is None:
            return ()
        found = {
            id(model): model
            for each in made(node)
            if isinstance(each, Alias) and (model := self._columns.get(each.expr_id)) is not None
        }
        return [origin for model in found.values() if (origin := model.read) is not None]

    def without_parts(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """The outcomes without what Spark does to save or load a model: no flows of their own; no part of one is a dataset."""
        for outcome in outcomes:
            if isinstance(outcome, Process) and (self._saving.is_part(outcome) or self._loading.is_part(outcome)):
                self._counts["part of a model that is saved or loaded"] += 1
            else:
                yield self._parts.as_models(outcome) if isinstance(outcome, Process) else outcome

    # ---- the driver's Python

    def _noted(self, note: ModelNote) -> Iterable[Process]:
        takes = self._notes.get(note.kind)
        if takes is None:
            self._counts[f"note about a model not understood: {note.kind}"] += 1
            return ()
        return takes(note, json.loads(note.text))

    def _begun(self, note: ModelNote, _said: dict[str, Any]) -> Iterable[Process]:
        at = self._saving if note.kind == "saving" else self._loading
        at.begin(_PYTHON, note.path or "", note.time)
        return ()

    def _fitted(self, note: ModelNote, said: dict[str, Any]) -> Iterable[Process]:
        if note.plan is not None and said["uids"]:
            model = self._trained(said["uids"][0], said["estimator"], self._read(note.plan), said["started"])
            self._models.add(model, said["number"], said["uids"])
        return ()

    def _transformed(self, note: ModelNote, said: dict[str, Any]) -> Iterable[Process]:
        model = self._models.find(said["number"], said["uid"])
        self._used(model, frozenset(each.expr_id for each in note.columns))
        return ()

    def _saved(self, note: ModelNote, said: dict[str, Any]) -> Iterable[Process]:
        began = self._saving.end(_PYTHON, note.path or "")
        run = Run(execution_id=None, started_ms=began[0] if began else None, ended_ms=note.time)
        return self._written(note.path or "", said["number"] or 0, said, run)

    def _loaded(self, note: ModelNote, said: dict[str, Any]) -> Iterable[Process]:
        self._loading.end(_PYTHON, note.path or "")
        self._known(note.path or "", said["number"], said)
        return ()

    def _failed(self, note: ModelNote, _said: dict[str, Any]) -> Iterable[Process]:
        self._saving.end(_PYTHON, note.path or "")
        self._loading.end(_PYTHON, note.path or "")
        return ()

    # ---- pipelines of the JVM

    def _fit_started(self, event: FitStart) -> Iterable[Process]:
        if event.plan is not None:
            self._fits[event.uid] = self._read(event.plan)
        return ()

    def _fit_ended(self, event: FitEnd) -> Iterable[Process]:
        origin = self._fits.pop(event.uid, None)
        if origin is not None:
            self._models.add(self._trained(event.model, event.uid, origin, None), 0, (event.model,))
        return ()

    def _transform_started(self, event: TransformStart) -> Iterable[Process]:
        self._transforms[event.uid] = frozenset(each.expr_id for each in event.columns)
        return ()

    def _transform_ended(self, event: TransformEnd) -> Iterable[Process]:
        """A model's own is said after those of its stages, and stands for them."""
        given = self._transforms.pop(event.uid, None)
        if given is not None:
            self._used(self._models.find(0, event.uid), frozenset(each.expr_id for each in event.columns) - given)
        return ()

    def _save_started(self, event: SaveInstanceStart) -> Iterable[Process]:
        if self._saving.around(event.path) is None:  # else it is a part of what is saved
            self._saving.begin(_JVM, event.path)
        return ()

    def _save_ended(self, event: SaveInstanceEnd) -> Iterable[Process]:
        if self._saving.end(_JVM, event.path) is None:
            return ()
        return self._written(event.path, 0, _said(event.uid, event.instance_class), Run(execution_id=None))

    def _load_started(self, event: LoadInstanceStart) -> Iterable[Process]:
        around = self._loading.around(event.path)  # what this is a part of
        self._loads[event.reader] = around or event.path, around is None
        if around is None:
            self._loading.begin(_JVM, event.path)
        return ()

    def _load_ended(self, event: LoadInstanceEnd) -> Iterable[Process]:
        path, is_whole = self._loads.pop(event.reader, ("", False))
        if is_whole:
            self._loading.end(_JVM, path)
        if path:
            self._known(path, 0, _said(event.uid, event.instance_class))
        return ()

    # ---- both

    def _trained(self, uid: str, estimator: str, origin: Origin, started_ms: int | None) -> KnownModel:
        pipeline = self._pipelines.get(estimator)
        if pipeline is not None:
            origin = dataclasses.replace(origin, inputs=(*origin.inputs, pipeline))
        return KnownModel(uid=uid, training=origin, pipeline_uid=estimator, started_ms=started_ms)

    def _used(self, model: KnownModel | None, columns: frozenset[int]) -> None:
        if model is not None:
            for column in columns:
                self._columns[column] = model

    def _known(self, path: str, number: int, said: Mapping[str, Any]) -> None:
        """What has been loaded."""
        found = self._place(path)
        if found is None:
            return
        at = _dataset(found, said)
        if at.is_fitted:
            self._parts.add(at)
            self._models.add(KnownModel(uid=at.uid, saved=at), number, said.get("uids", (at.uid,)))
        else:
            self._pipelines[at.uid] = at

    def _written(self, path: str, number: int, said: Mapping[str, Any], run: Run) -> Iterator[Process]:
        """What has been saved: the flow that made it."""
        found = self._place(path)
        if found is None:
            return
        model = self._models.find(number, said["uid"] or "")
        at = _dataset(found, said, model.pipeline_uid if model is not None else "")
        if not at.is_fitted:
            self._pipelines[at.uid] = at  # no data flows into it: it becomes an input of what it fits
            return
        copied = model is not None and model.training is None
        origin = model.read if model is not None and copied else model.training if model is not None else None
        words = () if origin is not None else (_WITHOUT_FIT[bool(said.get("is_model"))],)
        run = dataclasses.replace(run, started_ms=(model.started_ms if model else None) or run.started_ms)
        self._models.saved(number, at.uid, at)
        self._parts.add(at)
        yield from origin.definitions if origin is not None else ()
        yield self._process(origin, words, (at, dataclasses.replace(at, is_directory=True)), run)

    def _process(
        self, origin: Origin | None, words: tuple[str, ...], outputs: tuple[ModelDataset, ...], run: Run
    ) -> Process:
        clauses = tuple(told(origin.clauses)) if origin is not None else ()
        return Process(
            application=self._application,
            run=run,
            inputs=_each_once(origin.inputs if origin is not None else ()),
            outputs=tuple(sorted(outputs, key=lambda d: d.key)),
            row_level=deciding(clauses),
            clauses=tuple(c for c in clauses if c.text)[:MAX_CLAUSES],
            other_sources=(*words, *(origin.other_sources if origin is not None else ())),
            versions_read=tuple(sorted(set(origin.versions))) if origin is not None else (),
            gaps=of_tables(origin.gaps) if origin is not None else (),
        )

    def _place(self, path: str) -> ModelPlace | None:
        found = place(path, self._patterns)
        if found is None:
            self._counts["model in a temporary folder of MLflow's"] += 1
        return found


_WITHOUT_FIT = {True: "a model whose fit was not seen", False: "a transformer that needs no fit"}
"""Where what is saved comes from, by whether it is a model."""


def _said(uid: str | None, instance_class: str | None) -> dict[str, Any]:
    """What an event of the JVM says of an instance, as a note says it."""
    name = (instance_class or "").rpartition(".")[2]
    return {"uid": uid or "", "class": name, "is_fitted": name != "Pipeline", "is_model": True}


def _dataset(found: ModelPlace, said: Mapping[str, Any], pipeline_uid: str = "") -> ModelDataset:
    return ModelDataset(
        path=found.path,
        locations=(found.location,),
        is_fitted=said["is_fitted"],
        model_class=said["class"],
        uid=said["uid"],
        pipeline_uid=pipeline_uid,
        uri=found.uri,
    )


def _each_once(datasets: Iterable[Dataset]) -> tuple[Dataset, ...]:
    found: dict[str, Dataset] = {}
    for each in datasets:
        found[each.key] = merged(found[each.key], each) if each.key in found else each
    return tuple(sorted(found.values(), key=lambda d: d.key))
