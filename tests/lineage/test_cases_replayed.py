"""Every recorded batch, of every Spark version, means what the expectation of its case says. No Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.batches import BATCHES, owed, says_the_same, versions
from tests.cases import CHANGING, expectation
from tests.every_case import names
from tests.live import Capture
from tests.record import WORK
from tests.telling import tell


@pytest.mark.parametrize("batch", [pytest.param(p, id=f"{p.parent.name}-{p.stem}") for p in BATCHES.glob("*/*.txt")])
def test_a_recorded_batch_has_the_lineage_of_its_case(batch: Path) -> None:
    text = batch.read_text("utf-8")
    meant = Capture.outcomes_of(text) if batch.stem in CHANGING else Capture.processes_of(text)
    assert tell(meant, WORK) == expectation(batch.stem).read_text("utf-8").splitlines()


@pytest.mark.parametrize("version", owed())
def test_every_case_is_recorded_on_the_oldest_spark_and_the_newest(version: str) -> None:
    assert {p.stem for p in (BATCHES / version).glob("*.txt")} == set(names(version)), "run: python -m tests.record"


@pytest.mark.parametrize("version", versions()[1:-1])
def test_on_sparks_between_only_what_differs_is_recorded(version: str) -> None:
    recorded = {p.stem: p.read_text("utf-8") for p in (BATCHES / version).glob("*.txt")}
    newest = BATCHES / versions()[-1]
    assert set(recorded) <= set(names(version))
    same = {name for name, text in recorded.items() if says_the_same(text, (newest / f"{name}.txt").read_text("utf-8"))}
    assert same == set(), "run: python -m tests.record"


def test_batches_that_differ_in_numbers_and_ids_only_say_the_same() -> None:
    line = '["event",{},[["o","{}"]]]'
    ids = ("fc8cb575-d3b2-4eea-be43-d727eae88b82", "00000000-d3b2-4eea-be43-d727eae88b82")
    assert says_the_same(line.format(12, ids[0]), line.format(7, ids[1]))
    assert not says_the_same(line.format(12, "a"), line.format(12, "b"))
