"""Files of messages as other tools write them: over several lines, as one list, with the key before the message."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sac_kafka.tools.messages.json_lines import parse_lines
from tests.helpers.work import assert_linear

MESSAGE = {"version": {"version": "1.0.0"}, "message": {"type": "ENTITY_DELETE_V2", "entities": [{"typeName": "x [{"}]}}
OTHER = {"version": {"version": "1.0.0"}, "message": {"type": "ENTITY_DELETE_V2", "entities": []}}
LINE, OTHER_LINE = json.dumps(MESSAGE), json.dumps(OTHER)
PRETTY = json.dumps(MESSAGE, indent=2)
KCAT = {"topic": "ATLAS_HOOK", "partition": 0, "offset": 1, "key": "k", "payload": LINE}


def read(text: str) -> list[tuple[str, Any, str]]:
    return [(each.place, json.loads(each.value), each.key) for each in parse_lines(text.split("\n"))]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (f"{LINE}\n\n{OTHER_LINE}\n", ("line 1", "line 3")),
        (f"{PRETTY}\n{json.dumps(OTHER, indent=4)}", ("line 1", "line 14")),
        (f"{PRETTY}\n{OTHER_LINE}", ("line 1", "line 14")),
        (json.dumps([MESSAGE, OTHER]), ("line 1, message 1", "line 1, message 2")),
        (json.dumps([MESSAGE, OTHER], indent=1), ("line 1, message 1", "line 1, message 2")),
        (f"[{LINE},\n{OTHER_LINE}]", ("line 1, message 1", "line 1, message 2")),
        (f"[\n{LINE},\n{OTHER_LINE}\n]", ("line 1, message 1", "line 1, message 2")),
        (json.dumps([LINE, OTHER_LINE]), ("line 1, message 1", "line 1, message 2")),
        (f"{json.dumps(KCAT)}\n{json.dumps({**KCAT, 'payload': OTHER_LINE})}", ("line 1", "line 2")),
        (json.dumps([{"key": "k", "value": MESSAGE}, {"value": OTHER_LINE}]), ("line 1, message 1", "line 1, message 2")),
    ],
)  # fmt: skip
def test_messages_are_read_as_tools_export_them(text: str, places: tuple[str, ...]) -> None:
    assert read(text) == [(places[0], MESSAGE, ""), (places[1], OTHER, "")]


@pytest.mark.parametrize(
    ("before", "key"),
    [
        ("app-1\t", "app-1"),
        ("null\t", ""),
        ("CreateTime:1795165902386\tapp-1\t", "app-1"),
        ("Partition:0\tOffset:7\tnull\t", ""),
        ("\t", ""),
    ],
)
def test_text_before_a_message_is_its_key(before: str, key: str) -> None:
    assert read(f"{before}{LINE}") == [("line 1", MESSAGE, key)]


@pytest.mark.parametrize("broken", ["{", "[", '{"message": {', "{,", LINE[:-1], "no JSON at all", "[1]", "5"])
def test_a_broken_line_costs_itself(broken: str) -> None:
    found = list(parse_lines([LINE, broken, OTHER_LINE]))
    if broken.startswith("[") and not broken.endswith("]"):  # a list that does not end: its lines are read one by one
        found = [each for each in found if each.value.strip() != b"["]
    values = [each.value.decode() for each in found]
    assert values[0] == LINE
    assert values[-1] == OTHER_LINE
    assert len(values) <= 3


def test_reading_is_linear_in_the_lines() -> None:
    def lines_of(number: int) -> list[str]:
        return ["{", *['  "a": {', '  "b": "x"', "  },"] * number]

    def prepared(number: int) -> Callable[[], object]:
        lines = lines_of(number)
        return lambda: list(parse_lines(lines))

    assert_linear(prepared, 200)
