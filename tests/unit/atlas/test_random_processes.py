"""Properties of the messages of every process, on random processes; each by its seed, so that failures can be repeated."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import Column, ColumnLineage, ColumnSource, Dependency
from sac_kafka.settings.declarations.choices import ColumnLineageMode
from tests.helpers.every_row import every_row
from tests.helpers.schemas import references
from tests.unit.atlas.flows import DAY, NOW, entities, messages_for, name, path, process, table

SEEDS = range(30)
LETTERS = "abcXYZ09 _-.:/@#'\"\\{}$ßé列😀\t\n"


def _text(chance: random.Random) -> str:
    return "".join(chance.choice(LETTERS) for _ in range(chance.randint(1, 12)))


def _columns(chance: random.Random) -> tuple[Column, ...]:
    names = {_text(chance) for _ in range(chance.choice([0, 1, 3, 8]))}
    return tuple(
        Column(name=each, type=chance.choice(["", "bigint", "struct<a:int>"]), nullable=chance.random() < 0.5)
        for each in sorted(names)
    )


def _dataset(chance: random.Random):
    columns = _columns(chance)
    if chance.random() < 0.5:
        uri = chance.choice(["file:/", "hdfs://nn1/", "s3a://b/", "viewfs:/", "/"]) + _text(chance)
        locations = tuple(f"{uri}/{_text(chance)}" for _ in range(chance.randint(0, 3)))
        return path(uri, columns=columns, locations=locations, format=chance.choice(["", "parquet", "csv"]))
    unknown = chance.random() < 0.5
    return table(
        _text(chance),
        columns=columns,
        catalog=chance.choice([None, "lake"]),
        comment=None if unknown else _text(chance),
        location=None if unknown else _text(chance),
        created_ms=None if unknown else NOW,
        partition_columns=tuple(column.name for column in columns[:1]),
    )


def _process(seed: int):
    chance = random.Random(seed)
    pool = [_dataset(chance) for _ in range(chance.randint(1, 6))]
    inputs, outputs = (
        tuple(
            sorted({d.key: d for d in chance.choices(pool, k=chance.randint(fewest, 4))}.values(), key=lambda d: d.key)
        )
        for fewest in (0, 1)
    )
    sources = [ColumnSource(d.key, c.name, chance.choice(list(Dependency))) for d in inputs for c in d.columns]
    columns = [
        ColumnLineage(
            dataset=output.key,
            column=column.name,
            sources=tuple(chance.sample(sources, chance.randint(0, min(4, len(sources))))),
            expression=chance.choice([None, _text(chance)]),
        )
        for output in outputs
        for column in output.columns
    ]
    rows = chance.sample(sources, min(3, len(sources)))
    return process(inputs, outputs, columns, rows, job=_text(chance), query_text=chance.choice([None, _text(chance)]))


def _limits(seed: int) -> dict:
    chance = random.Random(-seed)
    return {
        "message_max_entities": chance.choice([1, 3, 6, 20, 300]),
        "message_max_bytes": chance.choice([1, 4_000, 15_000, 900_000]),
        "column_lineage": chance.choice(list(ColumnLineageMode)),
    }


def _identity(entity) -> tuple[str, str]:
    return entity["typeName"], name(entity)


@every_row("seed", SEEDS)
def test_references_point_to_entities_that_were_already_sent(seed):
    defined = set()
    sent = messages_for(_process(seed), **_limits(seed))
    assert sent
    for message in sent:
        for entity in entities([message]):
            targets = {(r["typeName"], r["uniqueAttributes"]["qualifiedName"]) for r in references(entity)}
            assert targets <= defined
            defined.add(_identity(entity))


@pytest.mark.slow
@every_row("seed", SEEDS)
def test_division_keeps_the_entities(seed):
    flow = _process(seed)
    limits = _limits(seed)
    undivided = messages_for(flow, column_lineage=limits["column_lineage"])
    assert len(undivided) == 1

    def content(messages):
        return {
            (*_identity(entity), json.dumps(entity["attributes"]), json.dumps(entity.get("customAttributes")))
            for entity in entities(messages)
        }

    assert content(messages_for(flow, **limits)) == content(undivided)


@every_row("seed", SEEDS)
def test_confirmed_entities_are_not_sent_again(seed):
    remembered = Remembered(max_age_ms=DAY)
    flow = _process(seed)
    for message in messages_for(flow, remembered, **_limits(seed)):
        remembered.confirm(message.tokens, NOW)
    (again,) = messages_for(flow, remembered, column_lineage=_limits(seed)["column_lineage"])
    assert again.tokens == ()
    types = Counter(entity["typeName"] for entity in entities([again]))
    assert not set(types) & {"spark_column", "avro_field", "avro_schema", "spark_storagedesc", "spark_column_lineage"}
    assert types["spark_process"] == types["spark_application"] == 1


@every_row("seed", SEEDS)
def test_messages_depend_on_the_process_alone(seed):
    assert messages_for(_process(seed)) == messages_for(_process(seed))
