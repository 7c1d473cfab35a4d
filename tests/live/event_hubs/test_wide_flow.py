"""A wide flow gets through: 40 tables of 500 columns each, in both dialects, below 1 MB and below 256 KB.

Each record below the limit, and each reference of a message resolvable in that message or in an earlier one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, messages, values
from sac_kafka.hook.dialects import dialect_of, receiver_of
from sac_kafka.model import ColumnLineage, ColumnSource, Dependency, Process
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.factory import content_of, make_transport
from sac_kafka.transport.reader import is_purview
from tests.helpers.broker import LocalBroker
from tests.live.event_hubs.clients import await_outcomes, file_of
from tests.live.event_hubs.endpoint import Endpoint
from tests.live.event_hubs.namespace import Namespace
from tests.unit.atlas.flows import APPLICATION, DAY, NOW, process, table

pytestmark = pytest.mark.kafka

TABLES, COLUMNS = 40, 500


def wide() -> Process:
    """Return a flow in which each target column comes from that column of all tables."""
    names = [f"column_{number:03}" for number in range(COLUMNS)]
    sources = [table(f"source_{number:02}", *names, database="lake") for number in range(TABLES)]
    target = table("wide", *names, database="lake")
    return process(
        sources,
        [target],
        (
            ColumnLineage(
                dataset=target.key,
                column=name,
                sources=tuple(ColumnSource(each.key, name, Dependency.TRANSFORMATION) for each in sources),
            )
            for name in names
        ),
    )


def messages_of(settings: Settings) -> tuple[Message, ...]:
    """Return the messages that a driver with these settings sends, and their one record each."""
    context = context_of(
        APPLICATION,
        settings.names,
        content_of(settings),
        receiver=receiver_of(settings),
    )
    dialect = dialect_of(settings, APPLICATION)
    made = messages(wide(), context=context, dialect=dialect, remembered=Remembered(max_age_ms=DAY), now_ms=NOW)
    assert all(values(each, context) == (each.value.encode(),) for each in made), "a message is cut into parts"
    return made


def references(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in an entity that refer to another one."""
    if isinstance(value, dict):
        if "typeName" in value and ("guid" in value or "uniqueAttributes" in value) and "attributes" not in value:
            yield value
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def unresolved(records: Iterable[bytes]) -> list[dict[str, Any]]:
    """References to what neither their own message nor an earlier one has."""
    known: set[tuple[str, str]] = set()
    found = []
    for record in records:
        held = json.loads(record)["message"]["entities"]
        all_of_it = [*held["entities"], *held.get("referredEntities", {}).values()]
        guids = {each["guid"] for each in all_of_it}
        known |= {(each["typeName"], each["attributes"]["qualifiedName"]) for each in all_of_it}
        for each in references([(list(entity.values())) for entity in all_of_it]):
            name = each.get("uniqueAttributes", {}).get("qualifiedName")
            if each["guid"] not in guids if "guid" in each else (each["typeName"], name) not in known:
                found.append(each)
    return found


def mapped_columns(records: Iterable[bytes]) -> int:
    """Return how many columns of sources are mapped to one of the target, once each."""
    entities = [entity for record in records for entity in json.loads(record)["message"]["entities"]["entities"]]
    pairs = {
        (each["DatasetMapping"]["Source"], column["Source"], column["Sink"])
        for entity in entities
        for each in json.loads(entity["attributes"].get("columnMapping", "[]"))
        for column in each["ColumnMapping"]
    }
    return len(pairs)


def test_an_unresolved_reference_is_found() -> None:
    """Test the search itself: one unresolved reference among good ones."""
    entities = [
        {"typeName": "t", "guid": "-1", "attributes": {"qualifiedName": "a", "of": {"typeName": "t", "guid": "-2"}}},
        {"typeName": "t", "guid": "-2", "attributes": {"qualifiedName": "b"}},
        {
            "typeName": "p",
            "guid": "-3",
            "attributes": {"qualifiedName": "c"},
            "relationshipAttributes": {
                "inputs": [
                    {"typeName": "t", "uniqueAttributes": {"qualifiedName": "a"}},
                    {"typeName": "t", "uniqueAttributes": {"qualifiedName": "nothing"}},
                ]
            },
        },
    ]
    record = json.dumps({"message": {"entities": {"entities": entities}}}).encode()
    assert [each["uniqueAttributes"]["qualifiedName"] for each in unresolved([record])] == ["nothing"]


@pytest.mark.parametrize(
    ("dialect", "max_length", "limit"),
    [("auto", "1000000", 1_000_000), ("auto", "250000", 262_144), ("atlas", "1000000", 1_000_000)],
)
def test_forty_tables_of_five_hundred_columns_are_delivered(
    endpoint: Endpoint, namespace: Namespace, broker: LocalBroker, dialect: str, max_length: str, limit: int
) -> None:
    namespace.publication_bytes = limit
    namespace.hubs = (f"wide-{dialect}-{max_length}",)
    (hub,) = namespace.hubs
    broker.create_topic(hub)
    file = {
        **file_of(endpoint, namespace.connection_string(namespace.policy())),
        "atlas.notification.hook.topic.name": hub.upper(),
        "atlas.notification.message.max.length.bytes": max_length,
        "atlas.hook.spark.dialect": dialect,
    }
    settings = Settings.read(file, "test")
    assert is_purview(settings) is (dialect == "auto")
    sent = [each.value.encode() for each in messages_of(settings)]
    to, outcomes = make_transport(settings), list[Failure | None]()
    for value in sent:
        to.send(Record(settings.sink.topic, b"app", (value,)), outcomes.append)
    await_outcomes(to, outcomes, len(sent))
    to.close(1)
    assert outcomes == [None] * len(sent)
    arrived = broker.read_all(hub)
    assert arrived == sent
    assert max(namespace.seen.publications) <= limit
    assert namespace.seen.counts["too large"] == 0, "no batch is refused and sent again in pieces"
    assert unresolved(arrived) == []
    names = {f"source_{number:02}" for number in range(TABLES)} | {"wide"}
    if dialect == "auto":
        assert mapped_columns(arrived) == TABLES * COLUMNS
    assert all(any(name.encode() in value for value in arrived) for name in names)
