"""Sample processes, and their messages as parsed JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from sac_kafka.atlas.context import Context, context_of
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import Message, messages
from sac_kafka.model import (
    Application,
    Column,
    ColumnLineage,
    ColumnSource,
    Dataset,
    Dependency,
    Engine,
    PathDataset,
    Process,
    RowClause,
    Run,
    TableDataset,
)
from sac_kafka.settings.content import Content
from sac_kafka.settings.names import Names
from tests.helpers.schemas import validate_message

NOW = 1_795_165_902_386
DAY = 24 * 60 * 60 * 1000
APPLICATION = Application(
    job="daily load",
    application_id="application_1795000000000_0042",
    name="daily load 2026-11-20",
    user="alice",
    engine=Engine(version="4.3.0"),
    attempt="1",
    started_ms=1_795_165_800_000,
)
CONTEXT = dataclasses.replace(context_of(APPLICATION, Names(namespace="prod"), Content()), source_ip="10.1.2.3")
RUN = Run(execution_id=7, started_ms=1_795_165_900_000, ended_ms=1_795_165_902_000)


def columns(*names: str, type: str = "bigint") -> tuple[Column, ...]:
    return tuple(Column(name=name, type=type) for name in names)


def table(name: str, *names: str, **known: Any) -> TableDataset:
    return TableDataset(**{"database": "sales", "name": name, "columns": columns(*names), **known})


def path(uri: str, *names: str, **known: Any) -> PathDataset:
    return PathDataset(**{"path": uri, "format": "parquet", "columns": columns(*names), **known})


def copies(source: Dataset, target: Dataset) -> tuple[ColumnLineage, ...]:
    """Return the column lineage of a copy: each column from the one at the same position."""
    return tuple(
        ColumnLineage(
            dataset=target.key, column=b.name, sources=(ColumnSource(source.key, a.name, Dependency.IDENTITY),)
        )
        for a, b in zip(source.columns, target.columns, strict=False)
    )


def process(
    inputs: Iterable[Dataset] = (),
    outputs: Iterable[Dataset] = (),
    columns: Iterable[ColumnLineage] = (),
    row_level: Iterable[ColumnSource] = (),
    *,
    clauses: Iterable[RowClause] = (),
    job: str = APPLICATION.job,
    query_text: str | None = None,
) -> Process:
    return Process(
        application=dataclasses.replace(APPLICATION, job=job),
        run=dataclasses.replace(RUN, query_text=query_text),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        columns=tuple(columns),
        row_level=tuple(row_level),
        clauses=tuple(clauses),
    )


def copy(source: Dataset, target: Dataset, **known: Any) -> Process:
    return process([source], [target], copies(source, target), **known)


ORDERS = table(
    "orders",
    "id",
    "amount",
    provider="parquet",
    table_type="MANAGED",
    owner="etl",
    created_ms=1_700_000_000_000,
    comment="all orders",
    location="hdfs://nn1/warehouse/sales.db/orders",
    partition_columns=("day",),
)
TOTALS = path("hdfs://nn1/data/totals", "id", "total")
ORDINARY = copy(
    ORDERS, TOTALS, query_text="insert overwrite directory ... select id, sum(amount) from orders group by id"
)


def context(**changed: Any) -> Context:
    """Return `CONTEXT` with changes: of its fields or of its content settings."""
    own = {
        each.name: changed.pop(each.name) for each in dataclasses.fields(Context) if each.init and each.name in changed
    }
    return dataclasses.replace(CONTEXT, content=dataclasses.replace(CONTEXT.content, **changed), **own)


def messages_for(
    outcome: Process, remembered: Remembered | None = None, *, now_ms: int = NOW, **changed: Any
) -> tuple[Message, ...]:
    """Return the messages for an outcome, checked against the schemas; keywords change the context."""
    remembered = Remembered(max_age_ms=DAY) if remembered is None else remembered
    result = messages(outcome, context=context(**changed), remembered=remembered, now_ms=now_ms)
    for message in result:
        validate_message(message.value)
    return result


def entities(sent: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the entities of all messages in order; fail if there are none."""
    result = [entity for message in sent for entity in json.loads(message.value)["message"]["entities"]["entities"]]
    assert result
    return result


def of_type(sent: Iterable[Message], *types: str) -> list[dict[str, Any]]:
    return [entity for entity in entities(sent) if entity["typeName"] in types]


def name(entity: dict[str, Any]) -> str:
    """Return the qualifiedName of an entity or of the target of a reference."""
    return entity.get("attributes", entity.get("uniqueAttributes"))["qualifiedName"]


def ends(entity: dict[str, Any], relationship: str) -> list[str]:
    """Return the names of the entities at one end of a process or column lineage."""
    return [name(reference) for reference in entity["relationshipAttributes"].get(relationship, [])]
