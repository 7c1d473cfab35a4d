"""Files of flows: TOML and JSON, one flow or several, and descriptions for all of them."""

from __future__ import annotations

import json

import pytest

from sac_kafka.emitting.documents import read_document
from sac_kafka.emitting.stated_flows import StatingProcess
from sac_kafka.errors import FlowError
from sac_kafka.model import DatasetDescribed, Outcome, Process

FLOW = {"job": "daily", "inputs": ["a.x"], "outputs": ["a.y"]}
TOML = """
[[flows]]
job = "daily"
inputs = ["a.x"]
outputs = ["a.y"]
started = 2026-11-28T05:00:00Z
[flows.columns]
n = ["x.c"]

[[flows]]
job = "weekly"
inputs = { y = "a.y" }
outputs = [["jdbc:postgresql://db1/shop", "sales.weekly"]]

[[datasets]]
dataset = "a.y"
description = "Daily."
columns = { n = "bigint" }
"""


def read(text: str) -> list[Outcome]:
    return [each for outcomes in read_document(text, StatingProcess(), "flows.toml") for each in outcomes]


def test_flows_and_datasets() -> None:
    description, daily, weekly = read(TOML)
    assert isinstance(description, DatasetDescribed)
    assert isinstance(daily, Process)
    assert isinstance(weekly, Process)
    assert daily.outputs[0].columns == weekly.inputs[0].columns == description.dataset.columns
    assert (daily.columns[0].column, daily.run.started_ms) == ("n", 1795842000000)
    assert weekly.outputs[0].key == "rdbms:postgresql://db1:5432/shop/sales.weekly"


@pytest.mark.parametrize(
    "text", [json.dumps(FLOW), json.dumps([FLOW]), json.dumps({"flows": [FLOW]}), "\ufeff" + json.dumps(FLOW)]
)
def test_json(text: str) -> None:
    (process,) = read(text)
    assert isinstance(process, Process)


def test_only_datasets() -> None:
    (description,) = read('[[datasets]]\ndataset = "a.y"\nowner = "sales"')
    assert isinstance(description, DatasetDescribed)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "flows.toml: empty; state a flow"),
        ("[]", "flows.toml: empty; state a flow"),
        ("{", "flows.toml: not valid JSON"),
        ('{"job": 1, "job": 2}', "the key 'job' occurs twice"),
        ("job = 'a'\njob = 'b'", "flows.toml: not valid TOML"),
        ("job = 'daily'", "flows.toml: outputs: empty"),
        ("flows = 3", "flows.toml: flows: a int; write [[flows]]"),
        ("[[flow]]\njob='a'", "flows.toml: unknown key 'flow' (did you mean flows?); known are job,"),
        ("flows = [3]", "flows.toml: flow 1: a int"),
        ("flows = []", "flows.toml: empty"),
        ('flows = []\nflow = "x"', "flows.toml: unknown key 'flow' (did you mean flows?)"),
        ("[[flows]]\njob='a'\noutputs='a.b'\n[[flows]]\njob='b'", "flows.toml: flow 2: outputs: empty"),
        (
            "[[flows]]\njob='a'\noutputs='a.b'\ndatasets='c'",
            "flows.toml: flow 1: datasets: 'c': a table needs its database",
        ),
        ("[[datasets]]\nowner='a'", "flows.toml: datasets[0]: state dataset"),
        ("[" * 100_000 + "{", "flows.toml: not valid TOML"),
        ('{"job":' + "[" * 100_000, "flows.toml: nested too deeply"),
    ],
)
def test_every_error_has_the_file_and_the_flow(text: str, error: str) -> None:
    with pytest.raises(FlowError) as raised:
        read(text)
    assert error in str(raised.value)
