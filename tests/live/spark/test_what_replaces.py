"""What statements prove to be gone (docs/lineage.md: What replaces), by the lineage that a server holds after their messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sac_kafka.tools.graph.flows import Flow
from tests.helpers.what_replaces import cases, left_of, spark_cases

pytestmark = [pytest.mark.spark, pytest.mark.subset, pytest.mark.oldest]
CASES = cases("spark")


@pytest.fixture(scope="module")
def lineage(work: Path) -> Iterator[tuple[Flow, ...]]:
    with spark_cases(work) as hook:
        yield hook.lineage()


def test_what_is_gone_goes_and_all_else_stays(lineage: tuple[Flow, ...]) -> None:
    found = {name: left_of(case, lineage) for name, case in CASES.items()}
    assert found == {name: case.left for name, case in CASES.items()}
