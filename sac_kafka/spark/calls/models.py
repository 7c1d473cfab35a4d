"""Observe fit, transform, save and load of `pyspark.ml` as the user calls them; Spark posts no event for most of these.

The fit of a pipeline or of a parameter search is one fit. Classes of other packages inherit most of the instrumented methods.
"""

from __future__ import annotations

import inspect
import json
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from sac_kafka.spark import processes
from sac_kafka.spark.calls.instrumentor import Instrumentor, ObservedCall
from sac_kafka.spark.listener import Listener


@dataclass(slots=True, eq=False)
class OpenCall:
    """A call in progress; `threads` work for it, `uids` are the estimators that it fits."""

    threads: set[int]
    uids: frozenset[str]


class OpenCalls:
    """The outermost calls in progress.

    A parameter search fits estimators in separate threads. A thread that fits an estimator of a call belongs to that call,
    with everything that it does until the call ends.
    """

    def __init__(self) -> None:
        self._open: list[OpenCall] = []
        self._lock = threading.Lock()

    def begin(self, uid: str = "", uids: frozenset[str] = frozenset()) -> OpenCall | None:
        """Begin a call; `uid` is that of the estimator if it is a fit. Return None if it is nested in another call."""
        thread = threading.get_ident()
        with self._lock:
            for each in self._open:
                if thread in each.threads:
                    return None
                if uid in each.uids:
                    each.threads.add(thread)
                    return None
            made = OpenCall({thread}, uids)
            self._open.append(made)
            return made

    def end(self, call: OpenCall) -> None:
        """End a call. Idempotent."""
        with self._lock:
            if call in self._open:
                self._open.remove(call)


MODULE = "pyspark.ml"
_CONNECT = "pyspark.ml.connect"
MAX_WITHIN = 1000
"""Limit of the nested stages and models that are examined."""

Instance = Any
"""An estimator, transformer or model; typed loosely, as `pyspark.ml` is not imported here."""
Held = tuple[OpenCall, str] | None
"""An outermost call, with a text needed at its end: the path, or the start time of a fit."""


def watch(instrumentor: Instrumentor, listener: Listener) -> None:
    """Instrument the methods as soon as `pyspark.ml` is imported."""
    instrumentor.on_import(MODULE, lambda: _wrap(instrumentor, ModelCalls(listener, processes.numbers())))


def _wrap(instrumentor: Instrumentor, calls: ModelCalls) -> None:
    base, util = sys.modules["pyspark.ml.base"], sys.modules["pyspark.ml.util"]
    for kind in _classes():
        # `issubclass` asks all subclasses of these abstract classes, which takes a quarter of a second.
        bases = kind.__mro__
        if base.Estimator in bases:
            instrumentor.wrap(kind, "fit", calls.on_fit, before=calls.fitting, failed=calls.end)
        elif base.Transformer in bases:
            instrumentor.wrap(kind, "transform", calls.on_transform, before=calls.begun, failed=calls.end)
        elif util.MLWriter in bases:
            instrumentor.wrap(kind, "save", calls.on_save, before=calls.saving, failed=calls.failed_at)
        elif util.MLReader in bases:
            instrumentor.wrap(kind, "load", calls.on_load, before=calls.loading, failed=calls.failed_at)
    instrumentor.wrap(util.JavaMLWriter, "__init__", calls.written)


def _classes() -> Iterator[type]:
    """Yield the classes of `pyspark.ml`, each once, without those for Spark Connect clients."""
    modules = [(name, module) for name, module in list(sys.modules.items()) if f"{name}.".startswith(f"{MODULE}.")]
    for name, module in modules:
        if not name.startswith(_CONNECT):
            yield from (each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == name)


class ModelCalls:
    """Posts notes of the calls. A model is identified by a number, assigned when it is fitted or loaded; its parts share it."""

    def __init__(self, listener: Listener, numbers: Iterator[int]) -> None:
        self._listener = listener
        self._open = OpenCalls()
        self._numbers = numbers
        self._known: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._written: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def begun(self, _call: ObservedCall) -> Held:
        """Begin a call that is reported when it ends."""
        opened = self._open.begin()
        return None if opened is None else (opened, "")

    def end(self, call: ObservedCall) -> bool:
        """End a call; return False if it was nested in another one."""
        if call.held is not None:
            self._open.end(call.held[0])
        return call.held is not None

    def failed_at(self, call: ObservedCall) -> None:
        """End a save or a load that raised, and report it as failed."""
        if self.end(call):
            self._listener.model("failed", "{}", path=call.held[1])

    # ---- fit and transform

    def fitting(self, call: ObservedCall) -> Held:
        """Begin a fit."""
        opened = self._open.begin(call.receiver.uid, frozenset(each.uid for each in _within(call.receiver)))
        return None if opened is None else (opened, str(int(time.time() * 1000)))

    def on_fit(self, call: ObservedCall) -> None:
        """Report a fit: one model, or several for a list of parameter maps."""
        if not self.end(call):
            return
        dataset = getattr(call.first("dataset"), "_jdf", None)
        if dataset is None:
            return
        # Stages that need no fit are in the model unchanged: they belong to the user and may be used elsewhere.
        own = set(map(id, _within(call.receiver)))
        models = [each for each in call.given if each is not None] if isinstance(call.given, list) else [call.given]
        made = [each for model in models for each in (model, *_within(model)) if id(each) not in own]
        facts = {
            "number": self._number(made),
            "uids": _uids(made),
            "class": _class(models[0]) if models else "",
            "estimator": call.receiver.uid,
            "started": int(call.held[1]),
        }
        self._listener.model("fitted", json.dumps(facts), read=dataset)

    def on_transform(self, call: ObservedCall) -> None:
        """Report a transform by a model that was fitted or loaded here."""
        if not self.end(call):
            return
        number = self._known.get(call.receiver)
        before, after = (getattr(each, "_jdf", None) for each in (call.first("dataset"), call.given))
        if number is not None and before is not None and after is not None:
            facts = {"number": number, "uid": call.receiver.uid}
            self._listener.model("transformed", json.dumps(facts), before=before, after=after)

    # ---- save and load

    def written(self, call: ObservedCall) -> None:
        """Remember what a new writer writes, which it does not expose."""
        self._written[call.receiver] = call.first("instance")

    def _instance(self, writer: Any) -> Instance:  # noqa: ANN401 a writer
        return self._written.get(writer, getattr(writer, "instance", None))

    def saving(self, call: ObservedCall) -> Held:
        """Begin a save."""
        return self._at("saving", call.first("path")) if self._instance(call.receiver) is not None else None

    def on_save(self, call: ObservedCall) -> None:
        """Report a save."""
        if self.end(call):
            instance = self._instance(call.receiver)
            facts = {"number": self._known.get(instance), **_of(instance)}
            self._listener.model("saved", json.dumps(facts), path=call.held[1])

    def loading(self, call: ObservedCall) -> Held:
        """Begin a load."""
        return self._at("loading", call.first("path"))

    def on_load(self, call: ObservedCall) -> None:
        """Report a load."""
        if self.end(call):
            made = [call.given, *_within(call.given)]
            facts = {"number": self._number(made), "uids": _uids(made), **_of(call.given)}
            self._listener.model("loaded", json.dumps(facts), path=call.held[1])

    def _at(self, kind: str, path: object) -> Held:
        if not isinstance(path, str):
            return None
        call = self._open.begin()
        if call is None:
            return None
        try:
            self._listener.model(kind, "{}", path=path)
        except BaseException:
            self._open.end(call)
            raise
        return call, path

    def _number(self, models: list[Any]) -> int:
        number = next(self._numbers)
        for model in models:
            self._known[model] = number
        return number


def _within(whole: Instance) -> list[Any]:
    """Return the nested estimators and models, at any depth."""
    found: list[Any] = []
    left = [whole]
    while left and len(found) < MAX_WITHIN:
        for part in _parts(left.pop()):
            found.append(part)
            left.append(part)
    return found


def _parts(whole: Instance) -> Iterator[Any]:
    """Yield the stages of a pipeline, the estimator or best model of a search, the models of one-versus-rest."""
    values = [getattr(whole, name, None) for name in ("stages", "bestModel", "models")]
    if hasattr(whole, "hasParam"):
        values += [
            whole.getOrDefault(name)
            for name in ("stages", "estimator", "classifier")
            if whole.hasParam(name) and whole.isDefined(name)
        ]
    for value in values:
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(getattr(each, "uid", None), str):
                yield each


def _uids(made: list[Any]) -> list[str]:
    return list(dict.fromkeys(each.uid for each in made))


def _of(instance: Instance) -> dict[str, object]:
    """Return the facts of an instance; everything but an estimator is fitted, or needs no fit."""
    base = sys.modules["pyspark.ml.base"]
    return {
        "uid": instance.uid,
        "class": _class(instance),
        "is_fitted": not isinstance(instance, base.Estimator),
        "is_model": isinstance(instance, base.Model),
    }


def _class(instance: object) -> str:
    return type(instance).__name__
