"""Every recorded batch, of every Spark version, means what the expectation of its case says. No Java."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import CHANGING, expectation
from every_case import names
from live import Capture
from record import WORK
from telling import tell

BATCHES = Path(__file__).resolve().parents[1] / "fixtures" / "batches"


@pytest.mark.parametrize("batch", [pytest.param(p, id=f"{p.parent.name}-{p.stem}") for p in BATCHES.glob("*/*.txt")])
def test_a_recorded_batch_has_the_lineage_of_its_case(batch: Path) -> None:
    text = batch.read_text("utf-8")
    meant = Capture.outcomes_of(text) if batch.stem in CHANGING else Capture.processes_of(text)
    assert tell(meant, WORK) == expectation(batch.stem).read_text("utf-8").splitlines()


@pytest.mark.parametrize("version", sorted(p.name for p in BATCHES.iterdir()))
def test_every_case_is_recorded(version: str) -> None:
    assert {p.stem for p in (BATCHES / version).glob("*.txt")} == set(names(version)), "run: python tests/record.py"
