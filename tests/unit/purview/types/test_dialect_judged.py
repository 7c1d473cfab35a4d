"""Flows of every kind of dataset, in every form: the judges of messages find no defect."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sac_kafka.model import Dataset
from tests.helpers.every_row import every_row
from tests.unit.purview.account import DATABRICKS, Account
from tests.unit.purview.judge import problems
from tests.unit.purview.types.everything import DATASETS, SINK, flow_of

PATHS = {"purview__resource__sets": "false"}
WAYS = ({}, {"purview__process__types": "own"}, PATHS)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=["built-in types", "own types", "paths"])
@every_row("name", DATASETS)
def test_flow_of_each_dataset_is_accepted(name: str, way: dict[str, str]) -> None:
    if (name, way) != ("S3", PATHS):
        _check(DATASETS[name], way, is_databricks=False)


@pytest.mark.parametrize("way", WAYS, ids=["built-in types", "own types", "paths"])
@every_row("name", ["ADLS Gen2", "a table of a catalog", "a view", "Azure SQL", "a topic of Event Hubs", "Kusto"])
def test_flow_of_each_sort_of_dataset_is_accepted_on_databricks(name: str, way: dict[str, str]) -> None:
    """Attach the flow to its task, whatever the dataset."""
    _check(DATASETS[name], way, is_databricks=True)


def _check(dataset: Dataset, way: dict[str, str], *, is_databricks: bool) -> None:
    for flow in (flow_of(dataset, SINK), flow_of(SINK, dataset)):
        account = Account(DATABRICKS, **way) if is_databricks else Account(**way)
        located = replace(flow, application=DATABRICKS) if is_databricks else flow
        sent = [each.value for each in account.made(located)]
        assert sent
        assert [found for each in sent for found in problems(each, sent)] == []


@pytest.mark.bad_messages(
    "of a directory of S3 a server of Atlas' rules wants to know the bucket, which a scan knows better"
)
def test_a_directory_of_s3_must_have_been_scanned() -> None:
    (sent,) = Account(**PATHS).made(flow_of(DATASETS["S3"], SINK))
    name = "aws_s3_v2_directory s3://bucket/raw/orders/"
    (problem,) = problems(sent.value)
    assert problem.startswith(f"{name} container: the entity must reference its owner (R6)")
