"""Messages of queries whose rows end in the driver, and of values that passed through it."""

from __future__ import annotations

import dataclasses
import json

from sac_kafka.atlas.flows import processes
from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import READ_BEFORE, Dependency, DriverRead, RowClause, TableDataset
from sac_kafka.settings.declarations.choices import ColumnLineageMode
from sac_kafka.stages.filters.outcomes import FilterCounts
from sac_kafka.tools.graph.drawing import text
from sac_kafka.tools.graph.flows import flows
from tests.helpers.staged import filtered
from tests.unit.atlas.flows import (
    APPLICATION,
    DAY,
    NOW,
    ORDERS,
    ORDINARY,
    TOTALS,
    entities,
    messages_for,
    process,
    table,
)
from tests.unit.lineage.filters.datasets import selection

READ = process([ORDERS])


def test_read_has_inputs_and_no_outputs() -> None:
    (flow,) = (each for each in entities(messages_for(READ)) if each["typeName"] == "spark_process")
    assert flow["attributes"]["name"] == "daily load: sales.orders -> the driver"
    ends = {**flow["attributes"], **flow["relationshipAttributes"]}
    assert len(ends["inputs"]) == 1
    assert "outputs" not in ends


def test_read_is_drawn_as_a_read() -> None:
    drawn = [line for each in messages_for(READ) for line in text([each.value.encode()]).splitlines()]
    assert any(line.endswith("──▶ (read by the driver)") for line in drawn)


def test_is_sent_when_it_changes_and_once_a_day() -> None:
    remembered = Remembered(max_age_ms=DAY)
    other = process([ORDERS, TOTALS])
    is_sent = []
    for each, now_ms in ((READ, NOW), (READ, NOW + 1), (other, NOW + 2), (other, NOW + 3), (READ, NOW + 2 * DAY)):
        sent = messages_for(each, remembered, now_ms=now_ms)
        for message in sent:
            remembered.confirm(message.tokens, now_ms, remembered.epoch)
        is_sent.append(bool(sent))
    assert is_sent == [True, False, True, False, True]


def test_read_is_excluded_with_its_last_input() -> None:
    counts = FilterCounts()
    without = selection("table:*.orders")
    assert tuple(filtered((READ,), APPLICATION, without, counts)) == ()
    assert sum(counts.processes.values()) == 1
    (rest,) = filtered((process([ORDERS, TOTALS]),), APPLICATION, without, counts)
    assert [each.key for each in rest.inputs] == [TOTALS.key]  # type: ignore[union-attr]


def test_values_that_passed_through_the_driver_are_sent_and_drawn() -> None:
    through = dataclasses.replace(
        ORDINARY,
        through_driver=(
            DriverRead(ORDERS, "values of it"),
            DriverRead(TableDataset(database="no", name="input"), "values of it"),
            DriverRead(ORDERS, READ_BEFORE),
        ),
    )
    sent = messages_for(through)
    (flow,) = (each for each in entities(sent) if each["typeName"] == "spark_process")
    assert flow["customAttributes"]["through_driver"] == "sales.orders: values of it"
    assert json.loads(flow["attributes"]["details"])["through_driver"] == ["sales.orders: values of it"]
    drawn = "".join(text([each.value.encode()]) for each in sent)
    assert "    through the driver: sales.orders: values of it\n" in drawn
    assert "through" not in "".join(text([each.value.encode()]) for each in messages_for(ORDINARY))


DECIDED = dataclasses.replace(ORDINARY, decided_by=(table("control", "since"), table("limits", "most")))
FILTERED = dataclasses.replace(ORDINARY, clauses=(RowClause(dependency=Dependency.FILTER, text="id > ?", sources=()),))


def test_source_of_deciding_values_is_named_and_is_no_input() -> None:
    sent = messages_for(DECIDED)
    (entity,) = (each for each in entities(sent) if each["typeName"] == "spark_process")
    (before,) = (each for each in entities(messages_for(ORDINARY)) if each["typeName"] == "spark_process")
    names = ["sales.control", "sales.limits"]
    assert entity["attributes"]["qualifiedName"] == before["attributes"]["qualifiedName"]
    assert entity["attributes"]["description"] == f"Rows decided by values that were read from {', '.join(names)}."
    assert json.loads(entity["attributes"]["details"])["decided_by"] == names
    assert entity["customAttributes"]["decided_by"].split(", ") == names
    assert not [each for each in entities(sent) if each["attributes"].get("name") in ("control", "limits")]
    (flow,) = flows([each.value.encode() for each in sent])
    assert (flow.inputs, flow.decided_by) == (("sales.orders",), tuple(names))


def test_deciding_values_are_drawn_in_every_column_lineage_mode() -> None:
    for mode in (ColumnLineageMode.FULL, ColumnLineageMode.DIRECT):
        drawn = "".join(text([each.value.encode()]) for each in messages_for(DECIDED, column_lineage=mode))
        assert drawn.count("Rows decided by values that were read from sales.control, sales.limits.\n") == 1


def test_deciding_values_follow_clauses_and_the_reason_for_missing_columns() -> None:
    assert processes.rows_sentence(dataclasses.replace(FILTERED, columns_omitted="too wide"), ["sales.control"]) == (
        "Columns were not followed: too wide. Rows decided by values that were read from sales.control."
    )
    assert processes.rows_sentence(FILTERED, ["sales.control"]) == (
        "Rows filtered by id > ?; decided by values that were read from sales.control."
    )
    many = processes.rows_sentence(ORDINARY, [f"sales.control_{i}" for i in range(100)])
    assert many.endswith(" more.")
    assert len(many) < len("sales.control_1") * 40


def test_rules_exclude_deciding_datasets_of_a_kept_process() -> None:
    counts = FilterCounts()
    (rest,) = filtered((DECIDED,), APPLICATION, selection("table:*.control"), counts)
    assert [each.key for each in rest.decided_by] == [table("limits").key]  # type: ignore[union-attr]
    assert (rest.inputs, rest.inputs_excluded) == (DECIDED.inputs, 0)  # type: ignore[union-attr]
    assert sum(counts.datasets.values()) == 1
