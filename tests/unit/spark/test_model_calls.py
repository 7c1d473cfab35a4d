"""Calls of `pyspark.ml`'s own classes, without a JVM: which ones are reported, and none that the user did not make."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("numpy")

from pyspark.ml import Estimator, Model, Pipeline, PipelineModel, Transformer
from pyspark.ml.util import MLReader, MLWriter

from sac_kafka.guard import Guard
from sac_kafka.spark import processes
from sac_kafka.spark.calls import models
from sac_kafka.spark.calls.instrumentor import Instrumentor, ObservedCall
from sac_kafka.spark.calls.models import ModelCalls
from sac_kafka.spark.listener import GoneError
from tests.helpers.live_runs import stop_notifying

TRAINING, OTHER = SimpleNamespace(_jdf="training"), SimpleNamespace(_jdf="other")


class Listener:
    """Keep each note: its kind, its parsed text, and the given ones of path, read, before and after."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, dict[str, Any], dict[str, Any]]] = []

    def model(self, kind: str, text: str, **known: Any) -> None:
        self.notes.append((kind, json.loads(text), {name: each for name, each in known.items() if each is not None}))

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _, _ in self.notes]


class Scores(Model):
    def _transform(self, dataset: Any) -> Any:
        return SimpleNamespace(_jdf=f"scored {dataset._jdf}")


class Fits(Estimator):
    """An estimator that fails on the dataset `bad`."""

    def _fit(self, dataset: Any) -> Scores:
        if getattr(dataset, "_jdf", None) == "bad":
            raise ValueError(dataset)
        return Scores()._resetUid(self.uid)


class Renames(Transformer):
    def _transform(self, dataset: Any) -> Any:
        return SimpleNamespace(_jdf=f"renamed {dataset._jdf}")


class Search(Estimator):
    """Fit in separate threads, as CrossValidator does."""

    def __init__(self, estimator: Estimator) -> None:
        super().__init__()
        self._estimator = estimator

    def hasParam(self, name: str) -> bool:  # noqa: N802 as Spark has it
        return name == "estimator"

    def isDefined(self, name: str) -> bool:  # noqa: N802 as above
        return True

    def getOrDefault(self, name: str) -> Estimator:  # noqa: N802 as above
        return self._estimator

    def _fit(self, dataset: Any) -> Scores:
        def one(_: int) -> Any:
            return self._estimator.fit(dataset).transform(OTHER)

        with ThreadPool(2) as pool:
            pool.map(one, range(4))
        best = Scores()
        best.bestModel = self._estimator.fit(dataset)
        return best


class Writer(MLWriter):
    def __init__(self, instance: Any) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:  # noqa: N802 as above
        if path == "/taken":
            raise FileExistsError(path)
        if isinstance(self.instance, PipelineModel):
            for stage in self.instance.stages:
                Writer(stage).save(f"{path}/stages/{stage.uid}")


@pytest.fixture(autouse=True)
def _alone() -> None:
    stop_notifying()  # of other tests of this process


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    monkeypatch.setattr(processes, "numbers", lambda: itertools.count(1))
    listener = Listener()
    instrumentor = Instrumentor(Guard())
    models.watch(instrumentor, listener)  # type: ignore[arg-type] # no other method is called
    yield listener
    instrumentor.restore()


def test_reports_a_fit_with_its_input(listener: Listener) -> None:
    estimator = Fits()
    model = estimator.fit(TRAINING)
    ((kind, fields, known),) = listener.notes
    assert (kind, known) == ("fitted", {"read": "training"})
    assert fields.pop("started") > 0
    assert fields == {"number": 1, "uids": [model.uid], "class": "Scores", "estimator": estimator.uid}


def test_a_pipeline_and_all_that_its_stages_do_is_one_fit(listener: Listener) -> None:
    inner, outer = Fits(), Fits()
    model = Pipeline(stages=[Renames(), Pipeline(stages=[inner]), outer]).fit(TRAINING)
    ((kind, fields, _),) = listener.notes
    assert kind == "fitted"
    assert {model.uid, inner.uid, outer.uid} <= set(fields["uids"])
    model.stages[-1].transform(OTHER)
    assert listener.notes[-1] == (
        "transformed",
        {"number": 1, "uid": outer.uid},
        {"before": "other", "after": "scored other"},
    )


def test_a_stage_that_needs_no_fit_stays_the_users_own(listener: Listener) -> None:
    renames, loaded = Renames(), Fits().fit(TRAINING)
    model = Pipeline(stages=[renames, loaded, Fits()]).fit(TRAINING)
    listener.notes.clear()
    renames.transform(OTHER)
    assert listener.notes == []
    loaded.transform(OTHER)
    model.transform(OTHER)
    assert [fields["number"] for _, fields, _ in listener.notes] == [1, 2]


def test_search_that_fits_in_separate_threads_is_one_fit(listener: Listener) -> None:
    estimator = Fits()
    model = Search(estimator).fit(TRAINING)
    assert listener.kinds == ["fitted"]
    assert listener.notes[0][1]["uids"] == [model.uid, estimator.uid]
    estimator.fit(OTHER)
    assert listener.kinds == ["fitted", "fitted"]


def test_two_threads_fit_each_for_itself(listener: Listener) -> None:
    started = threading.Barrier(2)

    class Waits(Fits):
        def _fit(self, dataset: Any) -> Scores:
            started.wait(60)
            return super()._fit(dataset)

    threads = [threading.Thread(target=Waits().fit, args=(each,)) for each in (TRAINING, OTHER)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(known["read"] for _, _, known in listener.notes) == ["other", "training"]


def test_several_parameters_give_several_models_of_one_fit(listener: Listener) -> None:
    first, second = Fits().fit(TRAINING, [{}, {}])
    first.transform(OTHER)
    second.transform(OTHER)
    assert [fields["number"] for _, fields, _ in listener.notes] == [1, 1, 1]


def test_failed_fit_is_not_reported_and_the_next_one_is(listener: Listener) -> None:
    with pytest.raises(ValueError, match="bad"):
        Pipeline(stages=[Fits()]).fit(SimpleNamespace(_jdf="bad"))
    assert listener.notes == []
    Fits().fit(TRAINING)
    assert listener.kinds == ["fitted"]


def test_unfitted_stage_is_not_reported(listener: Listener) -> None:
    Renames().transform(TRAINING)
    Fits().fit(object())  # of a client of Spark Connect
    assert listener.notes == []


def test_reports_the_start_and_end_of_a_save(listener: Listener) -> None:
    model = Pipeline(stages=[Fits()]).fit(TRAINING)
    Writer(model).save("/m")
    assert listener.notes[1:] == [
        ("saving", {}, {"path": "/m"}),
        (
            "saved",
            {"number": 1, "uid": model.uid, "class": "PipelineModel", "is_fitted": True, "is_model": True},
            {"path": "/m"},
        ),
    ]
    pipeline = Pipeline(stages=[])
    Writer(pipeline).save(path="/p")
    fields = {"number": None, "uid": pipeline.uid, "class": "Pipeline", "is_fitted": False, "is_model": False}
    assert listener.notes[-1] == ("saved", fields, {"path": "/p"})


def test_reports_a_failed_save(listener: Listener) -> None:
    with pytest.raises(FileExistsError):
        Writer(Scores()).save("/taken")
    Writer(Scores()).save("/free")
    assert listener.kinds == ["saving", "failed", "saving", "saved"]


def test_a_load_makes_a_model_known(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    model = PipelineModel([Scores()])
    reader = type(PipelineModel.read())
    monkeypatch.setattr("pyspark.ml.pipeline.DefaultParamsReader.loadMetadata", lambda *_: {})
    monkeypatch.setattr("pyspark.ml.pipeline.PipelineSharedReadWrite.load", lambda *_: (model.uid, [model.stages[0]]))
    monkeypatch.setattr(MLReader, "sparkSession", None, raising=False)
    loaded = reader(PipelineModel).load("/m")
    loaded.transform(OTHER)
    assert [(kind, fields.get("number")) for kind, fields, _ in listener.notes] == [
        ("loading", None),
        ("loaded", 1),
        ("transformed", 1),
    ]


def test_reports_nothing_after_restore() -> None:
    listener = Listener()
    instrumentor = Instrumentor(Guard())
    models.watch(instrumentor, listener)  # type: ignore[arg-type] # as above
    fit = Estimator.fit
    instrumentor.restore()
    assert Estimator.fit is not fit
    Fits().fit(TRAINING)
    assert listener.notes == []


@pytest.mark.planted
def test_calls_succeed_without_the_driver() -> None:
    class Gone(Listener):
        def model(self, kind: str, text: str, **known: Any) -> None:
            raise GoneError(kind)

    guard, instrumentor = Guard(), None
    instrumentor = Instrumentor(guard)
    models.watch(instrumentor, Gone())  # type: ignore[arg-type] # as above
    model = Fits().fit(TRAINING)
    Writer(model).save("/m")
    Writer(model).save("/m")
    instrumentor.restore()
    assert guard.counts == {"call: GoneError": 3}


def test_unreferenced_models_are_forgotten() -> None:
    calls = ModelCalls(Listener(), itertools.count(1))  # type: ignore[arg-type] # as above
    for _ in range(3):
        call = ObservedCall(Fits(), (TRAINING,), {}, given=Scores())
        call.held = calls.fitting(call)
        calls.on_fit(call)
        del call
    assert len(calls._known) == 0
