"""Pieces of work on wide and long statements, stage by stage: no single call holds the GIL for long.

Each statement has a part that a single call could process, and that exceeds the limit of a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.messages import values
from sac_kafka.model import Application, Engine
from sac_kafka.plan import wire
from sac_kafka.settings.content import Content
from sac_kafka.settings.names import Names
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from tests.helpers.pipelines import Pipeline
from tests.helpers.stalls import LARGEST, Pieces, counted
from tests.helpers.workers import batch
from tests.unit.atlas.flows import copies, process, table
from tests.unit.plan.test_wire import FILTER, LEAF, E, ending

APPLICATION = Application(job="job", application_id="local-1", name="job", user="me", engine=Engine(version="4.3.0"))


def pipeline() -> Pipeline:
    return Pipeline(context_of(APPLICATION, Names(namespace="test"), Content()))


def measure(call: Callable[[], object]) -> Pieces:
    with counted() as pieces:
        call()
    return pieces


@pytest.mark.parametrize(
    "call",
    [
        lambda: json.loads("[" + "1," * LARGEST["read"] + "1]"),
        lambda: json.dumps("x" * LARGEST["written"]),
        lambda: wire._EVENT.sub("", "x" * (LARGEST["searched"] + 1)),
        lambda: list(wire._EVENT.finditer("x" * (LARGEST["searched"] + 1))),
        lambda: re.sub(r"\s+", " ", "x" * (LARGEST["searched"] + 1)),
        lambda: re.search("y", "x" * (LARGEST["searched"] + 1)),
    ],
)
def test_a_call_that_has_too_much_to_do_is_found(call: Callable[[], object]) -> None:
    with pytest.raises(AssertionError, match="one call has"):
        measure(call).assert_small()
    assert isinstance(wire._EVENT, re.Pattern)


def test_work_in_small_pieces_passes() -> None:
    text = "x " * LARGEST["searched"]
    measure(lambda: [json.loads("[1,1]") for _ in range(10)]).assert_small()
    measure(lambda: list(re.finditer("x", text))).assert_small()
    measure(lambda: [re.compile("x").search(text, at) for at in (0, 2)]).assert_small()


def test_an_event_of_many_values_is_read_in_pieces() -> None:
    literals = [["e", 3, []] for _ in range(1_000)]
    children = list(range(1, 1_001))
    text = ending(
        [LEAF, ["c", f"{E}.Literal", []], ["c", f"{E}.In", []], FILTER, ["p", 2, [], [], [[]]]]
        + literals
        + [["e", 4, children] for _ in range(100)]
        + [["p", 5, [0], [], [1_001]]]
    ).replace(", ", ",")
    assert measure(lambda: json.loads(text)).largest["read"][0] > LARGEST["read"]
    with counted() as pieces:
        line = wire.read_line(text)

    assert isinstance(line, wire.Projected)
    pieces.assert_small()


def test_lines_in_pieces_are_read_like_whole_ones() -> None:
    pieces = wire.LONG_LINE
    for name in ("ctas", "join", "union_all"):
        for line in filter(None, batch(name).split("\n")):
            try:
                wire.LONG_LINE = 0
                in_pieces = wire.read_line(line)
            finally:
                wire.LONG_LINE = pieces
            assert repr(in_pieces) == repr(wire.read_line(line))


def _with_text(value: Any, text: str) -> Any:
    """Return the records with this text in place of every SQL text."""
    if isinstance(value, list):
        return [_with_text(each, text) for each in value]
    return text if isinstance(value, str) and value.lower().startswith("create table") else value


def test_a_statement_that_is_longer_than_a_message() -> None:
    text = "create table x as\n" + "-- what a generator writes\n" * 80_000 + "select 1"
    lines = [
        json.dumps(_with_text(json.loads(each), text), separators=(",", ":"))
        for each in batch("ctas").split("\n")
        if each
    ]
    assert len(text) > max(LARGEST.values())
    with counted() as pieces:
        written = _all_values(pipeline(), lines)

    assert b"what a generator writes" in b"".join(written)
    pieces.assert_small()


def test_a_process_of_many_columns() -> None:
    names = [f"column_{i}" for i in range(1_500)]
    source, target = table("orders", *names), table("report", *names)
    to = pipeline()
    with counted() as pieces:
        messages = to.messages(ScheduledOutcome(process([source], [target], copies(source, target))), 0)
        written = [value for message in messages for value in values(message, to.context)]

    assert b"column_1499" in written[-1]
    assert sum(map(len, written)) > LARGEST["written"]
    pieces.assert_small()


def _all_values(to: Pipeline, lines: list[str]) -> list[bytes]:
    written = []
    for each in lines:
        line = wire.read_line(each)
        if isinstance(line, wire.Projected):
            for step in to.steps(line, 0):
                for message in to.messages(step, 0):
                    written += values(message, to.context)
    return written
