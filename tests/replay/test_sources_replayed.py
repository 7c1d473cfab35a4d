"""Recorded cases over sources give the expected lineage. No Java, no jars."""

from __future__ import annotations

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import Process
from sac_kafka.settings.declarations.choices import MessageForm
from tests.cases.expected import expected
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions
from tests.live.sources.case_lines import case_lines
from tests.live.sources.families import FAMILIES
from tests.live.sources.family import WORK, Family
from tests.unit.atlas.flows import DAY, messages_for

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
def test_each_flow_has_a_v1_message_though_a_dataset_may_not_list_its_columns(family: Family) -> None:
    batches = list(family.recordings().values())[-1]
    for batch in batches.values():
        outcomes, remembered = Capture.outcomes_of(batch, Actions(APPLICATION)), Remembered(max_age_ms=DAY)
        for outcome in outcomes:
            sent = messages_for(outcome, remembered, message_form=MessageForm.V1)
            assert sent or not isinstance(outcome, Process)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_every_case_of_a_family_is_recorded_on_each_of_its_sparks(family: Family) -> None:
    recorded = family.recordings()
    assert recorded, f"run: make record-source SOURCE={family.name}"
    wrong = {version: set(family.names(version)) ^ set(batches) for version, batches in recorded.items()}
    assert not any(wrong.values()), f"run: make record-source SOURCE={family.name}: {wrong}"
