"""Queries whose rows end in the driver, as a server is told of them: processes without outputs, said once a day."""

from __future__ import annotations

import dataclasses
import json

from sac_kafka.atlas.memory import Remembered
from sac_kafka.lineage.leaving_out.outcomes import LeftOutCounts, kept
from sac_kafka.readable.drawing import text
from tests.atlas.flows import APPLICATION, DAY, NOW, ORDERS, ORDINARY, TOTALS, entities, process, say
from tests.lineage.leaving_out.datasets import selection

READ = process([ORDERS])


def test_it_has_inputs_and_no_outputs() -> None:
    (said,) = (each for each in entities(say(READ)) if each["typeName"] == "spark_process")
    assert said["attributes"]["name"] == "daily load: sales.orders -> the driver"
    ends = {**said["attributes"], **said["relationshipAttributes"]}
    assert len(ends["inputs"]) == 1
    assert "outputs" not in ends


def test_it_is_drawn_as_one() -> None:
    drawn = [line for each in say(READ) for line in text([each.value.encode()]).splitlines()]
    assert any(line.endswith("──▶ (read by the driver)") for line in drawn)


def test_it_is_said_when_it_is_another_and_once_a_day() -> None:
    remembered = Remembered(max_age_ms=DAY)
    other = process([ORDERS, TOTALS])
    said = []
    for each, now_ms in ((READ, NOW), (READ, NOW + 1), (other, NOW + 2), (other, NOW + 3), (READ, NOW + 2 * DAY)):
        told = say(each, remembered, now_ms=now_ms)
        for message in told:
            remembered.confirm(message.tokens, now_ms, remembered.epoch)
        said.append(bool(told))
    assert said == [True, False, True, False, True]


def test_it_is_left_out_with_the_last_of_its_inputs() -> None:
    counts = LeftOutCounts()
    without = selection("table:*.orders")
    assert tuple(kept((READ,), APPLICATION, without, counts)) == ()
    assert sum(counts.processes.values()) == 1
    (rest,) = kept((process([ORDERS, TOTALS]),), APPLICATION, without, counts)
    assert [each.key for each in rest.inputs] == [TOTALS.key]  # type: ignore[union-attr]


def test_what_went_through_the_driver_is_said_and_drawn() -> None:
    through = dataclasses.replace(
        ORDINARY, through_driver=((ORDERS.key, "values of it"), ("table:no.input", "values of it"))
    )
    said = say(through)
    (told,) = (each for each in entities(said) if each["typeName"] == "spark_process")
    assert told["customAttributes"]["through_driver"] == "sales.orders: values of it"
    assert json.loads(told["attributes"]["details"])["through_driver"] == ["sales.orders: values of it"]
    drawn = "".join(text([each.value.encode()]) for each in said)
    assert "    through the driver: sales.orders: values of it\n" in drawn
    assert "through" not in "".join(text([each.value.encode()]) for each in say(ORDINARY))
