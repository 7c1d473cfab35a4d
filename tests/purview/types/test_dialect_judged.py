"""Every kind of dataset, in each way to say it: the judge of Purview's messages finds nothing wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sac_kafka.lineage.model import Dataset
from tests.purview.account import DATABRICKS, Account
from tests.purview.judge import problems
from tests.purview.types.everything import DATASETS, SINK, flow_of

PATHS = {"purview__resource__sets": "false"}
WAYS = ({}, {"purview__process__types": "own"}, PATHS)


@pytest.mark.parametrize(
    ("name", "way"), [(name, way) for name in DATASETS for way in WAYS if (name, way) != ("S3", PATHS)]
)
@pytest.mark.parametrize("is_databricks", [False, True], ids=["anywhere", "databricks"])
def test_a_flow_of_it_is_taken(name: str, way: dict[str, str], is_databricks: bool) -> None:
    dataset: Dataset = DATASETS[name]
    for flow in (flow_of(dataset, SINK), flow_of(SINK, dataset)):
        account = Account(DATABRICKS, **way) if is_databricks else Account(**way)
        told = replace(flow, application=DATABRICKS) if is_databricks else flow
        sent = [each.value for each in account.made(told)]
        assert sent
        assert [found for each in sent for found in problems(each, sent)] == []


@pytest.mark.bad_messages(
    "of a directory of S3 a server of Atlas' rules wants to know the bucket, which a scan knows better"
)
def test_a_directory_of_s3_must_have_been_scanned() -> None:
    (sent,) = Account(**PATHS).made(flow_of(DATASETS["S3"], SINK))
    name = "aws_s3_v2_directory s3://bucket/raw/orders/"
    assert problems(sent.value) == [
        f"{name}: the mandatory relationship container (aws_s3_v2_container_contained) is missing",
    ]
