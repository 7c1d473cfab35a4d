"""Filters on every recorded batch: no message has the dataset that a rule excludes, and all messages are valid."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import pytest

from sac_kafka.atlas.datasets import entities
from sac_kafka.hook.recording import Recording, replay
from sac_kafka.lineage import actions
from sac_kafka.model import Dataset, Outcome, PathDataset, Process, TableDataset, kind_of
from sac_kafka.plan import wire
from sac_kafka.settings import Settings
from sac_kafka.stages.filters.names import matching_of
from tests.cases.namings import naming_of
from tests.helpers.everyday import cover, newest
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import Actions, Event

NAMING = naming_of()
BATCHES = newest("batches")
NAMES = sorted(each.stem for each in BATCHES.glob("*.txt"))


class _Once(Actions):
    """Compute the lineage of an event once, however often it is replayed: rules change only the messages."""

    def __init__(self) -> None:
        super().__init__(APPLICATION)
        self.found: dict[int, tuple[Outcome, ...]] = {}

    def add(self, event: Event) -> Iterator[Outcome]:
        return iter(self._found(id(event), lambda: super(_Once, self).add(event)))

    def flush(self) -> Iterator[Outcome]:
        return iter(self._found(0, super().flush))

    def _found(self, key: int, find: Callable[[], Iterable[Outcome]]) -> tuple[Outcome, ...]:
        if key not in self.found:
            self.found[key] = tuple(find())
        return self.found[key]


@pytest.fixture
def lineage(monkeypatch: pytest.MonkeyPatch) -> _Once:
    """Share the lineage and the parsed lines between all replays of a test."""
    once = _Once()
    monkeypatch.setattr(actions, "Actions", lambda *_, **__: once)
    monkeypatch.setattr(wire, "read_line", cache(wire.read_line))
    return once


def _name(dataset: Dataset) -> str:
    if isinstance(dataset, TableDataset):
        last = dataset.name.replace("`", "``")
        return f"{dataset.catalog or 'spark_catalog'}.{dataset.database}.`{last}`"
    if isinstance(dataset, PathDataset):
        return dataset.path
    return matching_of(kind_of(dataset)).name_of(dataset)[0]


def _qualified_names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("qualifiedName"), str):
            yield value["qualifiedName"]
        for each in value.values():
            yield from _qualified_names(each)
    elif isinstance(value, list):
        for each in value:
            yield from _qualified_names(each)


def _messages(text: str, rule: str) -> list[dict]:
    """Replay a batch and return its messages; Atlas' own classes judge them at the end of the test."""
    settings = Settings.read(
        {"atlas.metadata.namespace": NAMING.namespace, **({"atlas.hook.spark.exclude": rule} if rule else {})}, "test"
    )
    return [json.loads(message.value) for message in replay(Recording(APPLICATION, text), settings)]


def _named(dataset: Dataset, messages: list[dict]) -> list[str]:
    """Return the names in messages of the dataset, its columns and its storage."""
    stem, _, namespace = entities(dataset, NAMING).id.qualified_name.rpartition("@")
    its = re.compile(rf"{re.escape(stem)}(?:[.#][^/]*)?@{re.escape(namespace)}(?:_storage)?")
    return [name for name in _qualified_names(messages) if its.fullmatch(name)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "batch",
    [pytest.param(name, marks=[] if ("batches", name) in cover() else [pytest.mark.full]) for name in NAMES],
)
def test_excluded_dataset_is_in_no_message(batch: str, lineage: _Once) -> None:
    text = (BATCHES / f"{batch}.txt").read_text("utf-8")
    everything = _messages(text, "")
    outcomes = [outcome for found in lineage.found.values() for outcome in found]
    processes = [each for each in outcomes if isinstance(each, Process) and not each.run.failure]
    used = {each.key: each for process in processes for each in (*process.inputs[:2], *process.outputs)}
    for dataset in used.values():
        rule = f"{kind_of(dataset).word}:{_name(dataset)}"
        if not re.search(r"[,\n{}*]", rule):
            assert _named(dataset, everything) != []
            assert _named(dataset, _messages(text, rule)) == [], rule
