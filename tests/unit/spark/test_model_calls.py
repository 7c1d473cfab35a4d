"""Calls of `pyspark.ml` as its own classes make them, without a JVM: what is told of them, and what the user did not call."""

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
from sac_kafka.spark.calls.instrumentor import Instrumentor
from sac_kafka.spark.calls.models import ModelCalls
from sac_kafka.spark.listener import GoneError
from tests.helpers.live_runs import tell_nobody

TRAINING, OTHER = SimpleNamespace(_jdf="training"), SimpleNamespace(_jdf="other")


class Listener:
    """Keeps what it is told: kind, what the text says, and what of path, read, before and after there is."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any], dict[str, Any]]] = []

    def model(self, kind: str, text: str, **known: Any) -> None:
        self.told.append((kind, json.loads(text), {name: each for name, each in known.items() if each is not None}))

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _, _ in self.told]


class Scores(Model):
    def _transform(self, dataset: Any) -> Any:
        return SimpleNamespace(_jdf=f"scored {dataset._jdf}")


class Fits(Estimator):
    """Fits to what it is given, but for what is called `bad`."""

    def _fit(self, dataset: Any) -> Scores:
        if getattr(dataset, "_jdf", None) == "bad":
            raise ValueError(dataset)
        return Scores()._resetUid(self.uid)


class Renames(Transformer):
    def _transform(self, dataset: Any) -> Any:
        return SimpleNamespace(_jdf=f"renamed {dataset._jdf}")


class Search(Estimator):
    """Fits in threads of its own, as CrossValidator does."""

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
    tell_nobody()  # of other tests of this process


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    monkeypatch.setattr(processes, "numbers", lambda: itertools.count(1))
    told = Listener()
    instrumentor = Instrumentor(Guard())
    models.watch(instrumentor, told)  # type: ignore[arg-type] # nothing else of it is asked
    yield told
    instrumentor.restore()


def test_a_fit_is_told_with_what_it_read(listener: Listener) -> None:
    estimator = Fits()
    model = estimator.fit(TRAINING)
    ((kind, said, known),) = listener.told
    assert (kind, known) == ("fitted", {"read": "training"})
    assert said.pop("started") > 0
    assert said == {"number": 1, "uids": [model.uid], "class": "Scores", "estimator": estimator.uid}


def test_a_pipeline_and_all_that_its_stages_do_is_one_fit(listener: Listener) -> None:
    inner, outer = Fits(), Fits()
    model = Pipeline(stages=[Renames(), Pipeline(stages=[inner]), outer]).fit(TRAINING)
    ((kind, said, _),) = listener.told
    assert kind == "fitted"
    assert {model.uid, inner.uid, outer.uid} <= set(said["uids"])
    model.stages[-1].transform(OTHER)
    assert listener.told[-1] == (
        "transformed",
        {"number": 1, "uid": outer.uid},
        {"before": "other", "after": "scored other"},
    )


def test_a_stage_that_needs_no_fit_stays_the_users_own(listener: Listener) -> None:
    renames, loaded = Renames(), Fits().fit(TRAINING)
    model = Pipeline(stages=[renames, loaded, Fits()]).fit(TRAINING)
    listener.told.clear()
    renames.transform(OTHER)
    assert listener.told == []
    loaded.transform(OTHER)
    model.transform(OTHER)
    assert [said["number"] for _, said, _ in listener.told] == [1, 2]


def test_a_search_that_fits_in_threads_of_its_own_is_one_fit(listener: Listener) -> None:
    estimator = Fits()
    model = Search(estimator).fit(TRAINING)
    assert listener.kinds == ["fitted"]
    assert listener.told[0][1]["uids"] == [model.uid, estimator.uid]
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
    assert sorted(known["read"] for _, _, known in listener.told) == ["other", "training"]


def test_several_parameters_give_several_models_of_one_fit(listener: Listener) -> None:
    first, second = Fits().fit(TRAINING, [{}, {}])
    first.transform(OTHER)
    second.transform(OTHER)
    assert [said["number"] for _, said, _ in listener.told] == [1, 1, 1]


def test_a_fit_that_fails_is_not_told_and_the_next_one_is(listener: Listener) -> None:
    with pytest.raises(ValueError, match="bad"):
        Pipeline(stages=[Fits()]).fit(SimpleNamespace(_jdf="bad"))
    assert listener.told == []
    Fits().fit(TRAINING)
    assert listener.kinds == ["fitted"]


def test_what_needs_no_fit_is_not_told(listener: Listener) -> None:
    Renames().transform(TRAINING)
    Fits().fit(object())  # of a client of Spark Connect
    assert listener.told == []


def test_a_save_is_told_as_it_begins_and_ends(listener: Listener) -> None:
    model = Pipeline(stages=[Fits()]).fit(TRAINING)
    Writer(model).save("/m")
    assert listener.told[1:] == [
        ("saving", {}, {"path": "/m"}),
        (
            "saved",
            {"number": 1, "uid": model.uid, "class": "PipelineModel", "is_fitted": True, "is_model": True},
            {"path": "/m"},
        ),
    ]
    pipeline = Pipeline(stages=[])
    Writer(pipeline).save(path="/p")
    said = {"number": None, "uid": pipeline.uid, "class": "Pipeline", "is_fitted": False, "is_model": False}
    assert listener.told[-1] == ("saved", said, {"path": "/p"})


def test_a_save_that_fails_says_so(listener: Listener) -> None:
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
    assert [(kind, said.get("number")) for kind, said, _ in listener.told] == [
        ("loading", None),
        ("loaded", 1),
        ("transformed", 1),
    ]


def test_nothing_is_told_once_it_is_taken_back() -> None:
    told = Listener()
    instrumentor = Instrumentor(Guard())
    models.watch(instrumentor, told)  # type: ignore[arg-type] # as above
    fit = Estimator.fit
    instrumentor.restore()
    assert Estimator.fit is not fit
    Fits().fit(TRAINING)
    assert told.told == []


@pytest.mark.planted
def test_a_driver_that_is_gone_costs_nothing() -> None:
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


def test_models_that_nobody_holds_are_forgotten() -> None:
    calls = ModelCalls(Listener(), itertools.count(1))  # type: ignore[arg-type] # as above
    for _ in range(3):
        calls.fitted(Fits(), (TRAINING,), {}, Scores(), calls.fitting(Fits(), (), {}))
    assert len(calls._known) == 0
