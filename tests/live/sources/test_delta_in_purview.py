"""Flows between Delta tables in Microsoft Purview; the cases are those of `tests/live/purview`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import version

import pytest

from tests.live.purview import running
from tests.live.purview.checking import assert_right
from tests.live.purview.every_case import CASES, names
from tests.live.purview.running import Ran
from tests.live.sources.delta_cases import DELTA

pytestmark = [pytest.mark.spark, pytest.mark.sources, pytest.mark.exhaustive]
NAMES = sorted(set(names("delta")) - set(names())) if os.environ.get("SAC_KAFKA_TEST_SOURCE") == DELTA.name else []


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Ran]:
    """Run them all in one driver."""
    jars = DELTA.list_of_jars(version("pyspark"))
    return running.run(tmp_path_factory.mktemp("flows"), NAMES, [jars] if jars else [])


@pytest.mark.parametrize("name", NAMES)
def test_a_case_has_its_flows(ran: Mapping[str, Ran], name: str) -> None:
    assert_right(CASES[name], ran[name], ran.values())
