"""Column lineage that is superseded by another expression of the same column."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sac_kafka.atlas.memory import MAX_RETURNS, Remembered
from sac_kafka.model import REPLACED, ColumnLineage, ColumnSource, Dependency, Extent, gaps
from sac_kafka.settings.declarations.choices import ColumnLineageMode, MessageForm, TableModel
from tests.cases.namings import naming_of
from tests.unit.atlas.flows import DAY, NOW, messages_for, name, path, process, table

SOURCE = table("s", "x", "y")
TARGET = path("hdfs://nn1/t", "a", "b")


def _flow(*, replaces=True, target=TARGET, gaps=(), **columns):
    """Return a flow whose columns are each made of the named source column, or of none for None."""
    lineage = tuple(
        ColumnLineage(
            dataset=target.key,
            column=column,
            sources=() if of is None else (ColumnSource(SOURCE.key, of, Dependency.TRANSFORMATION),),
            expression="NULL" if of is None else None,
        )
        for column, of in columns.items()
    )
    return dataclasses.replace(process([SOURCE], [target], lineage), extent=Extent(is_replaced=replaces), gaps=gaps)


def _run(remembered, flow, **changed) -> list[str]:
    """Send a flow and return the names of the deleted entities."""
    sent = messages_for(flow, remembered, **changed)
    for message in sent:
        remembered.confirm(message.tokens, NOW, remembered.epoch)
    bodies = [json.loads(message.value)["message"] for message in sent]
    return [gone for body in bodies for gone in _gone(body)]


def _gone(body) -> list[str]:
    """Return the names of the entities that a notification deletes, in either form."""
    if body["type"] == "ENTITY_DELETE_V2":
        return [name(each) for each in body["entities"]]
    return [body["attributeValue"]] if body["type"] == "ENTITY_DELETE" else []


def test_lineage_of_an_older_expression_is_deleted():
    remembered = Remembered(max_age_ms=DAY)
    assert _run(remembered, _flow(a="x", b="x")) == []
    (gone,) = _run(remembered, _flow(a="y", b="x"))
    assert ":a:" in gone
    assert _run(remembered, _flow(a="y", b="x")) == []


def test_lineage_of_a_removed_column_is_deleted():
    """Delete it also if the table was dropped with its columns in between."""
    whole, fewer = (dataclasses.replace(path("hdfs://nn1/t", *names), is_replaced=True) for names in ("ab", "a"))
    remembered = Remembered(max_age_ms=DAY)
    assert _run(remembered, _flow(target=whole, a="x", b="x")) == []
    remembered.drop(list(remembered.owners("hdfs_path")), NOW)
    assert [":b:" in each for each in _run(remembered, _flow(target=fewer, a="x"))] == [True]
    assert _run(remembered, _flow(target=fewer, a="x")) == []


def test_lineage_of_an_earlier_run_is_deleted():
    first = Remembered(max_age_ms=DAY)
    _run(first, _flow(a="x"))
    assert len(_run(Remembered(max_age_ms=DAY, earlier=first.changed_groups), _flow(a="y"))) == 1


def _conditional(*conditions):
    sources = (
        ColumnSource(SOURCE.key, "x", Dependency.TRANSFORMATION),
        *(ColumnSource(SOURCE.key, of, Dependency.CONDITIONAL) for of in conditions),
    )
    lineage = ColumnLineage(dataset=TARGET.key, column="a", sources=sources)
    return dataclasses.replace(process([SOURCE], [TARGET], [lineage]), extent=REPLACED)


def test_influence_of_an_older_expression_is_deleted_and_value_lineage_kept():
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


def test_append_deletes_no_lineage():
    remembered = Remembered(max_age_ms=DAY)
    _run(remembered, _flow(a="x"))
    assert _run(remembered, _flow(a="y", replaces=False)) == []


VIEW = table("v", "a", "b", table_type="VIEW")


@pytest.mark.parametrize(
    ("target", "changed"),
    [
        pytest.param(TARGET, {}, id="directory"),
        pytest.param(table("t", "a", "b"), {}, id="table"),
        pytest.param(TARGET, {"message_form": MessageForm.V1}, id="older form"),
        pytest.param(table("t", "a", "b"), {"naming": naming_of(table_model=TableModel.HIVE)}, id="hive_table"),
        pytest.param(TARGET, {"column_lineage": ColumnLineageMode.DIRECT}, id="direct"),
        pytest.param(VIEW, {}, id="view"),
    ],
)
def test_lineage_of_a_column_that_lost_all_sources_is_deleted(target, changed):
    remembered = Remembered(max_age_ms=DAY)

    def run(**columns):
        flow = _flow(target=target, **columns)
        return _run(remembered, dataclasses.replace(flow, defines_view=target is VIEW), **changed)

    assert run(a="x", b="x") == []
    (gone,) = run(a=None, b="x")
    assert ":a:" in gone
    assert run(a=None, b="x") == []
    assert run(a="x", b="x") == []
    assert run(a="x", b="y") == [each.replace(":a:", ":b:") for each in [gone]]


def test_lineage_of_an_earlier_run_is_deleted_if_the_column_lost_all_sources():
    first = Remembered(max_age_ms=DAY)
    _run(first, _flow(a="x", b="x"))
    (gone,) = _run(Remembered(max_age_ms=DAY, earlier=first.changed_groups), _flow(a=None, b="x"))
    assert ":a:" in gone


@pytest.mark.parametrize(
    ("then", "gone"),
    [
        pytest.param(_flow(b="x"), 0, id="the column is unknown"),
        pytest.param(_flow(a=None, b="x", replaces=False), 0, id="appended"),
        *(
            pytest.param(_flow(a=None, b="x", gaps=(gap,)), gone, id=gap)
            for gap, gone in (
                ("relation not understood: org.example.Mystery", 0),
                ("node not understood: Mystery", 0),
                (gaps.CHECKPOINT_FORGOTTEN, 0),
                (gaps.COLUMNS_OF_VARIABLE, 0),
                (gaps.COLUMNS_OF_DRIVER, 1),
                (gaps.COLUMN_NOT_FOUND, 1),
                (gaps.INPUTS_EXCLUDED, 1),
            )
        ),
    ],
)
def test_lineage_is_deleted_only_for_columns_known_to_have_no_sources(then, gone):
    remembered = Remembered(max_age_ms=DAY)
    _run(remembered, _flow(a="x", b="x"))
    assert len(_run(remembered, then)) == gone


def test_literal_may_be_a_value_from_the_driver():
    remembered = Remembered(max_age_ms=DAY)
    _run(remembered, _flow(a="x", b="x"))
    then = _flow(a=None, b="x", gaps=(gaps.COLUMNS_OF_DRIVER,))
    literal = tuple(dataclasses.replace(c, expression=c.expression and "?") for c in then.columns)
    assert _run(remembered, dataclasses.replace(then, columns=literal)) == []


def test_without_column_lineage_that_of_before_stays():
    remembered = Remembered(max_age_ms=DAY)
    _run(remembered, _flow(a="x"))
    assert _run(remembered, _flow(a=None), column_lineage=ColumnLineageMode.OFF) == []


def test_restored_expression_replaces_the_changed_one():
    remembered = Remembered(max_age_ms=DAY)
    deletes = [_run(remembered, _flow(a=of, b="x")) for of in ("x", "y", "x", "x", "z", None)]
    assert [len(each) for each in deletes] == [0, 1, 1, 0, 1, 1]
    assert all(":a:" in name for gone in deletes for name in gone)


def test_expression_that_was_restored_too_often_keeps_only_its_own_lineage():
    remembered = Remembered(max_age_ms=DAY)
    for _ in range(MAX_RETURNS):
        for of in ("x", "y"):
            _run(remembered, _flow(a=of, b="x"))
    assert _run(remembered, _flow(a=None, b="x")) == []
    (gone,) = _run(remembered, _flow(a="x", b="y"))
    assert ":b:" in gone


def test_alternating_statements_are_not_deleted_repeatedly():
    remembered = Remembered(max_age_ms=DAY)
    deletes = [len(_run(remembered, _flow(a=of))) for of in ("x", "y") * (MAX_RETURNS + 1)]
    assert deletes == [0, 1] + [1] * MAX_RETURNS + [0] * (len(deletes) - 2 - MAX_RETURNS)
