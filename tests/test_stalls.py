"""What the worker does with wide and long statements, stage by stage: no call holds the GIL for long."""

from __future__ import annotations

import gc
import json
import time
from typing import Any

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.messages import values
from sac_kafka.atlas.steps import Step
from sac_kafka.lineage.model import Application
from sac_kafka.pipeline import Pipeline
from sac_kafka.plan import wire
from sac_kafka.settings.content import Content
from sac_kafka.settings.names import Names
from tests.atlas.flows import copies, process, table
from tests.plan.test_wire import FILTER, LEAF, E, ending
from tests.stalls import measured
from tests.workers import batch

APPLICATION = Application(job="job", application_id="local-1", name="job", user="me", spark_version="4.3.0")


def pipeline() -> Pipeline:
    return Pipeline(context_of(APPLICATION, Names(namespace="test"), Content()), "ATLAS_HOOK")


def test_an_event_of_megabytes_is_read_in_pieces() -> None:
    literals = [["e", 3, []] for _ in range(1_000)]
    children = list(range(1, 1_001))
    text = ending(
        [LEAF, ["c", f"{E}.Literal", []], ["c", f"{E}.In", []], FILTER, ["p", 2, [], [], [[]]]]
        + literals
        + [["e", 4, children] for _ in range(600)]
        + [["p", 5, [0], [], [1_001]]]
    ).replace(", ", ",")
    assert len(text) > 2_000_000
    gc.disable()
    since = time.thread_time()
    json.loads(text)
    in_one_call = time.thread_time() - since
    gc.enable()
    with measured() as stalls:
        line = wire.read_line(text)

    assert isinstance(line, wire.Projected)
    assert all(seconds < in_one_call / 2 for seconds, _ in stalls.longer), (in_one_call, stalls.worst())
    stalls.assert_short()


def test_lines_are_read_alike_in_pieces_and_whole() -> None:
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
    """The records, with this text instead of every SQL text."""
    if isinstance(value, list):
        return [_with_text(each, text) for each in value]
    return text if isinstance(value, str) and value.lower().startswith("create table") else value


def test_a_statement_of_five_megabytes() -> None:
    text = "create table x as\n" + "-- what a generator writes\n" * 200_000 + "select 1"
    lines = [
        json.dumps(_with_text(json.loads(each), text), separators=(",", ":"))
        for each in batch("ctas").split("\n")
        if each
    ]
    assert max(map(len, lines)) > 5_000_000
    with measured() as stalls:
        said = _all_said(pipeline(), lines)

    assert b"what a generator writes" in b"".join(said)
    stalls.assert_short()


def test_a_process_of_two_thousand_columns() -> None:
    names = [f"column_{i}" for i in range(2_000)]
    source, target = table("orders", *names), table("report", *names)
    to = pipeline()
    with measured() as stalls:
        messages = to.messages(Step(process([source], [target], copies(source, target))), 0)
        said = [value for message in messages for value in values(message, to.context)]

    assert b"column_1999" in said[-1]
    stalls.assert_short()


def _all_said(to: Pipeline, lines: list[str]) -> list[bytes]:
    said = []
    for each in lines:
        line = wire.read_line(each)
        if isinstance(line, wire.Projected):
            for step in to.steps(line, 0):
                for message in to.messages(step, 0):
                    said += values(message, to.context)
    return said
