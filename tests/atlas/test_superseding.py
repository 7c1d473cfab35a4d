"""Column lineage that another expression of the same column has replaced."""

from __future__ import annotations

import dataclasses
import json

from sac_kafka.atlas.memory import Remembered
from sac_kafka.lineage.model import ColumnLineage, ColumnSource, Dependency
from tests.atlas.flows import DAY, NOW, name, path, process, say, table

SOURCE = table("s", "x", "y")
TARGET = path("hdfs://nn1/t", "a", "b")


def _flow(*, replaces=True, **columns):
    lineage = tuple(
        ColumnLineage(
            dataset=TARGET.key, column=column, sources=(ColumnSource(SOURCE.key, of, Dependency.TRANSFORMATION),)
        )
        for column, of in columns.items()
    )
    return dataclasses.replace(process([SOURCE], [TARGET], lineage), replaces_output=replaces)


def _run(remembered, flow) -> list[str]:
    """What is deleted."""
    said = say(flow, remembered)
    for message in said:
        remembered.confirm(message.tokens, NOW, remembered.epoch)
    bodies = [json.loads(message.value)["message"] for message in said]
    return [name(each) for body in bodies if body["type"] == "ENTITY_DELETE_V2" for each in body["entities"]]


def test_lineage_of_an_older_expression_is_deleted():
    remembered = Remembered(max_age_ms=DAY)
    assert _run(remembered, _flow(a="x", b="x")) == []
    (gone,) = _run(remembered, _flow(a="y", b="x"))
    assert ":a:" in gone
    assert _run(remembered, _flow(a="y", b="x")) == []


def test_lineage_of_an_earlier_run_is_deleted():
    first = Remembered(max_age_ms=DAY)
    _run(first, _flow(a="x"))
    assert len(_run(Remembered(max_age_ms=DAY, earlier=first.changed), _flow(a="y"))) == 1


def _conditional(*conditions):
    sources = (
        ColumnSource(SOURCE.key, "x", Dependency.TRANSFORMATION),
        *(ColumnSource(SOURCE.key, of, Dependency.CONDITIONAL) for of in conditions),
    )
    lineage = ColumnLineage(dataset=TARGET.key, column="a", sources=sources)
    return dataclasses.replace(process([SOURCE], [TARGET], [lineage]), replaces_output=True)


def test_influence_of_an_older_expression_is_deleted_and_what_flows_stays():
    remembered = Remembered(max_age_ms=DAY)
    assert _run(remembered, _conditional("x")) == []
    (gone,) = _run(remembered, _conditional("y"))
    assert ":a:influence-" in gone


def test_influence_that_an_expression_has_lost_is_deleted():
    remembered = Remembered(max_age_ms=DAY)
    _run(remembered, _conditional("y"))
    (gone,) = _run(remembered, _conditional())
    assert ":a:influence-" in gone


def test_columns_of_another_statement_stay():
    remembered = Remembered(max_age_ms=DAY)
    _run(remembered, _flow(a="x"))
    assert _run(remembered, _flow(b="y")) == []


def test_what_is_appended_replaces_nothing():
    remembered = Remembered(max_age_ms=DAY)
    _run(remembered, _flow(a="x"))
    assert _run(remembered, _flow(a="y", replaces=False)) == []


def test_statements_that_take_turns_are_not_deleted_again_and_again():
    remembered = Remembered(max_age_ms=DAY)
    deletes = [len(_run(remembered, _flow(a=of))) for of in ("x", "y", "x", "y", "x")]
    assert deletes == [0, 1, 0, 0, 0]
