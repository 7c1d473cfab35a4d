"""Above the size limit an event loses parts in a fixed order, and states which."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from itertools import pairwise

import pytest

from sac_kafka.model import Column, ColumnLineage, ColumnSource, Dependency, PathDataset, Process, RowClause
from sac_kafka.openlineage.writing.events import Events
from sac_kafka.openlineage.writing.names import EventNames
from sac_kafka.openlineage.writing.sizes import encode
from tests.unit.openlineage.writing.test_events import FLOW

NAMES = [f"column_{n}" for n in range(50)]
PARTS = [
    "descriptions",
    "columns that decide rows",
    "schemas of inputs",
    "column lineage",
    "schemas of outputs",
    "SQL text and facts of the run",
]


def wide() -> Process:
    columns = tuple(Column(name=name, type="int", comment=f"of {name}") for name in NAMES)
    source, target = (PathDataset(path=f"file:/{name}", format="orc", columns=columns) for name in ("in", "out"))
    used = [ColumnSource(source.key, name, Dependency.TRANSFORMATION) for name in NAMES]
    rows = [replace(each, dependency=Dependency.JOIN) for each in used]
    lineage = [ColumnLineage(dataset=target.key, column=e.column, sources=(e,), expression="x + 1") for e in used]
    return replace(
        FLOW,
        inputs=(source,),
        outputs=(target,),
        columns=tuple(lineage),
        row_level=tuple(rows),
        clauses=(RowClause(dependency=Dependency.JOIN, text="a = b", sources=tuple(rows)),),
    )


EVENT = Events("prod", EventNames("hive")).describe_flow(wide(), 0)
WHOLE = len(encode(deepcopy(EVENT), 1_000_000))


def omitted(text: str) -> list[str]:
    return json.loads(text)["run"]["facets"]["sacKafka_completeness"].get("omitted", [])


def test_an_event_that_fits_is_whole() -> None:
    assert omitted(encode(deepcopy(EVENT), WHOLE)) == []


def test_parts_are_omitted_in_their_order_until_it_fits() -> None:
    texts = []
    limit = WHOLE - 1
    while len(texts) < len(PARTS):
        texts.append(encode(deepcopy(EVENT), limit))
        limit = len(texts[-1]) - 1
    assert [omitted(text) for text in texts] == [PARTS[: n + 1] for n in range(len(PARTS))]
    assert all(len(one) > len(other) for one, other in pairwise(texts))
    last = json.loads(texts[-1])
    assert last["run"]["facets"]["sacKafka_completeness"]["lineage"] == "partial"
    assert [each["name"] for side in ("inputs", "outputs") for each in last[side]] == ["/in", "/out"]


@pytest.mark.parametrize("part", range(len(PARTS)))
def test_what_is_not_there_is_not_stated_as_omitted(part: int) -> None:
    bare = replace(
        FLOW, columns=(), row_level=(), clauses=(), inputs=(), outputs=(PathDataset(path="file:/o", format=""),)
    )
    event = Events("prod", EventNames("hive")).describe_flow(replace(bare, run=replace(FLOW.run, query_text=None)), 0)
    assert PARTS[part] not in omitted(encode(event, 10)) or part == len(PARTS) - 1
