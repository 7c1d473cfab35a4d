"""Whatever was recorded: a dataset that a rule names is in no message, and all that is said is valid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from sac_kafka.atlas.datasets import entities
from sac_kafka.lineage.leaving_out.names import NAMED
from sac_kafka.lineage.model import Dataset, PathDataset, Process, TableDataset
from sac_kafka.recording import Recording, replay
from sac_kafka.settings import Settings
from tests.batches import BATCHES, owed
from tests.live import APPLICATION, Capture
from tests.namings import naming_of

NAMING = naming_of()
NAMES = sorted(each.stem for each in (BATCHES / owed()[1]).glob("*.txt"))


def _name(dataset: Dataset) -> str:
    if isinstance(dataset, TableDataset):
        last = dataset.name.replace("`", "``")
        return f"{dataset.catalog or 'spark_catalog'}.{dataset.database}.`{last}`"
    if isinstance(dataset, PathDataset):
        return dataset.path
    return NAMED[type(dataset)][1].in_name(dataset)[0]


def _qualified_names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("qualifiedName"), str):
            yield value["qualifiedName"]
        for each in value.values():
            yield from _qualified_names(each)
    elif isinstance(value, list):
        for each in value:
            yield from _qualified_names(each)


def _said(text: str, rule: str) -> list[dict]:
    """The messages; Atlas' own classes judge them at the end of the test."""
    settings = Settings.read(
        {"atlas.metadata.namespace": NAMING.namespace, **({"atlas.hook.spark.exclude": rule} if rule else {})}, "test"
    )
    return [json.loads(message.value) for message in replay(Recording(APPLICATION, text), settings)]


def _named(dataset: Dataset, messages: list[dict]) -> list[str]:
    """The names in messages that are the dataset's, or of its columns and its storage."""
    stem, _, namespace = entities(dataset, NAMING).id.qualified_name.rpartition("@")
    its = re.compile(rf"{re.escape(stem)}(?:[.#][^/]*)?@{re.escape(namespace)}(?:_storage)?")
    return [name for name in _qualified_names(messages) if its.fullmatch(name)]


@pytest.mark.parametrize("batch", NAMES)
def test_what_a_rule_names_is_in_no_message(batch: str) -> None:
    text = (BATCHES / owed()[1] / f"{batch}.txt").read_text("utf-8")
    processes = [each for each in Capture.outcomes_of(text) if isinstance(each, Process) and not each.run.failure]
    used = {each.key: each for process in processes for each in (*process.inputs[:2], *process.outputs)}
    everything = _said(text, "")
    for dataset in used.values():
        rule = f"{NAMED[type(dataset)][0]}:{_name(dataset)}"
        if not re.search(r"[,\n{}*]", rule):
            assert _named(dataset, everything) != []
            assert _named(dataset, _said(text, rule)) == [], rule
