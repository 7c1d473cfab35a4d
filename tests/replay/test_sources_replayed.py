"""Recorded cases over sources give the expected lineage. No Java, no jars."""

from __future__ import annotations

import pytest

from tests.cases.expected import expected
from tests.live.sources.case_lines import case_lines
from tests.live.sources.families import FAMILIES
from tests.live.sources.family import WORK, Family

RECORDED = [
    pytest.param(family, name, batch, id=f"{family.name}-{version}-{name}")
    for family in FAMILIES.values()
    for version, batches in family.recordings().items()
    for name, batch in batches.items()
]


@pytest.mark.parametrize(("family", "name", "batch"), RECORDED)
def test_a_recorded_batch_has_the_lineage_of_its_case(family: Family, name: str, batch: str) -> None:
    assert case_lines(family, name, batch, WORK) == expected(f"{family.name}_{name}")


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_every_case_of_a_family_is_recorded_on_each_of_its_sparks(family: Family) -> None:
    recorded = family.recordings()
    assert recorded, f"run: make record-source SOURCE={family.name}"
    wrong = {version: set(family.names(version)) ^ set(batches) for version, batches in recorded.items()}
    assert not any(wrong.values()), f"run: make record-source SOURCE={family.name}: {wrong}"
