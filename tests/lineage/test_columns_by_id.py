"""Columns are followed by exprId: no case may rest on the position where the plan says the id."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sac_kafka.lineage import extract
from sac_kafka.lineage.actions import Actions
from sac_kafka.lineage.columns.handed_up import Columns
from sac_kafka.lineage.datasets.writes import Write
from sac_kafka.lineage.model import ColumnLineage
from sac_kafka.plan import wire
from tests.batches import BATCHES, owed
from tests.live import APPLICATION


@pytest.mark.parametrize("version", owed())
def test_every_output_column_is_known_by_its_id(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_position: dict[str, list[str]] = {}
    lineage_of = extract._column_lineage
    batch = Path()
    seen = 0

    def watched(write: Write, handed_up: Columns, counts: Counter[str]) -> tuple[ColumnLineage, ...]:
        nonlocal seen
        seen += len(write.output)
        uses = Counter(c.expr_id for c in handed_up.outputs)
        missing = [a.name for a in write.output if uses[a.expr_id] != 1]
        if missing:
            by_position[batch.stem] = missing
        return lineage_of(write, handed_up, counts)

    monkeypatch.setattr(extract, "_column_lineage", watched)
    for batch in (BATCHES / version).glob("*.txt"):
        actions = Actions(APPLICATION, ())
        for line in wire.read(batch.read_text("utf-8")):
            if isinstance(line, wire.Projected):
                list(actions.add(line.event))
    assert seen > 100
    assert by_position == {}
