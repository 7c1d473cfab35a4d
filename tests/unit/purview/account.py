"""Sample flows in the dialect purview, and their messages as parsed JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, messages
from sac_kafka.hook.dialects import dialect_of, receiver_of
from sac_kafka.model import Application, Outcome, TableDataset
from sac_kafka.settings import Settings
from tests.unit.atlas.flows import APPLICATION, DAY, NOW

DATABRICKS = replace(
    APPLICATION,
    job="nightly/load",
    facts=(
        ("platform", "databricks"),
        ("workspace", "adb-1234567890.1.azuredatabricks.net"),
        ("job_id", "12"),
        ("task", "load"),
        ("notebook", "/Users/ada/load orders"),
        ("cluster", "small"),
    ),
)
LAKE = "abfss://raw@contosolake.dfs.core.windows.net"


class Account:
    """A dialect with its memory of sent entities: `deliver` returns the bodies of the messages of an outcome."""

    def __init__(self, application: Application = APPLICATION, **settings: str) -> None:
        properties = {f"atlas.hook.spark.{key.replace('__', '.')}": text for key, text in settings.items()}
        read = Settings.read({"atlas.hook.spark.dialect": "purview", **properties}, "test")
        self.dialect = dialect_of(read, application)
        self.context = context_of(application, read.names, read.content, receiver=receiver_of(read))
        self.remembered = Remembered(max_age_ms=DAY)

    def made(
        self, outcome: Outcome, now_ms: int = NOW, defined: Mapping[str, TableDataset] | None = None
    ) -> tuple[Message, ...]:
        """Return the messages, not yet delivered."""
        return messages(
            outcome,
            context=self.context,
            remembered=self.remembered,
            now_ms=now_ms,
            defined=defined or {},
            dialect=self.dialect,
        )

    def deliver(
        self, outcome: Outcome, now_ms: int = NOW, defined: Mapping[str, TableDataset] | None = None
    ) -> list[dict[str, Any]]:
        """Deliver the messages and return their bodies."""
        made = self.made(outcome, now_ms, defined)
        for each in made:
            self.remembered.confirm(each.tokens, now_ms, self.remembered.epoch)
        return [json.loads(each.value)["message"] for each in made]


def entities(bodies: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entities of the bodies of messages."""
    return [each for body in bodies for each in body["entities"]["entities"]]


def processes(bodies: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entities that connect assets."""
    return [each for each in entities(bodies) if "outputs" in each["attributes"]]


def ends(process: dict[str, Any], side: str) -> list[str]:
    """Return the names of the inputs or outputs."""
    return [each["uniqueAttributes"]["qualifiedName"] for each in process["attributes"].get(side, [])]


def mapping(process: dict[str, Any]) -> set[tuple[str, str, str, str]]:
    """Return all pairs of a process' column mapping: source, sink, and the column of each."""
    datasets = json.loads(process["attributes"].get("columnMapping", "[]"))
    pairs = [
        (each["DatasetMapping"]["Source"], each["DatasetMapping"]["Sink"], pair["Source"], pair["Sink"])
        for each in datasets
        for pair in each["ColumnMapping"]
    ]
    assert len(pairs) == len(set(pairs))
    return set(pairs)
