"""Every recorded batch, of every Spark version, gives the expected lineage of its case. No Java."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sac_kafka.lineage import extract
from sac_kafka.lineage.columns.output_columns import Columns
from sac_kafka.lineage.datasets.writes import Write
from sac_kafka.model import ColumnLineage, Process
from tests.cases.all_cases import CASES, CHANGING
from tests.cases.batches import BATCHES, adds_nothing, events, keep, owed, versions
from tests.cases.every_case import names
from tests.cases.expected import FOLDER, expect, expected, file_of, sections, text
from tests.cases.hive import HIVE_CASES
from tests.cases.kafka_cases import KAFKA_CASES
from tests.cases.record import WORK
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import Capture
from tests.live.sources.families import FAMILIES


class Watched:
    """Columns whose lineage was requested, and those whose id the plan does not resolve to a source."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.columns = 0
        self.by_position: list[str] = []
        self._lineage_of = extract._column_lineage
        monkeypatch.setattr(extract, "_column_lineage", self._watched)

    def _watched(self, write: Write, to_parent: Columns, counts: Counter[str]) -> tuple[ColumnLineage, ...]:
        uses = Counter(each.expr_id for each in to_parent.outputs)
        self.columns += len(write.output)
        self.by_position += [each.name for each in write.output if uses[each.expr_id] != 1]
        return self._lineage_of(write, to_parent, counts)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


@pytest.mark.parametrize("batch", [pytest.param(p, id=f"{p.parent.name}-{p.stem}") for p in BATCHES.glob("*/*.txt")])
def test_a_recorded_batch_has_the_lineage_of_its_case(batch: Path, watched: Watched) -> None:
    """And columns are followed by exprId, and each that decides rows stands in a clause of its kind."""
    meant = Capture.outcomes_of(batch.read_text("utf-8"))
    processes = [each for each in meant if isinstance(each, Process)]
    assert lineage_lines(meant if batch.stem in CHANGING else processes, WORK) == expected(batch.stem)
    assert watched.by_position == []
    assert watched.columns or not any(each.columns for each in processes)
    for process in processes:
        assert {source for clause in process.clauses for source in clause.sources} == set(process.row_level)
        assert all(s.dependency is clause.dependency for clause in process.clauses for s in clause.sources)
        assert all(clause.text and len(clause.text) <= 1000 for clause in process.clauses)


def test_every_expectation_belongs_to_a_case_and_its_module() -> None:
    hive, kafka = (
        {f"{kind}_{n}": c for n, c in of.items()} for kind, of in (("hive", HIVE_CASES), ("kafka", KAFKA_CASES))
    )
    sources = {f"{family.name}_{n}": c for family in FAMILIES.values() for n, c in family.cases.items()}
    owned = {name: file_of(case) for name, case in {**CASES, **hive, **kafka, **sources}.items()}
    assert {name: file for file in FOLDER.iterdir() for name in sections(file)} == owned, (
        "run: python -m tests.cases.record"
    )
    assert [file.name for file in FOLDER.iterdir() if file.read_text("utf-8") != text(sections(file))] == []


def test_an_expectation_is_written_in_sorted_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.cases.expected.FOLDER", tmp_path)
    with pytest.raises(LookupError, match=r"python -m tests\.cases\.record b"):
        expected("b")
    for name, lines in (("b", ["two"]), ("a", ["one", "  more"]), ("c", [])):
        expect(name, names, lines)
    assert (expected("a"), expected("b"), expected("c")) == (["one", "  more"], ["two"], [])
    expect("b", names, ["other"])
    assert (tmp_path / "every_case.txt").read_text() == "== a\none\n  more\n\n== b\nother\n\n== c\n"


@pytest.mark.parametrize("version", owed())
def test_every_case_is_recorded_on_the_oldest_spark_and_the_newest(version: str) -> None:
    assert {p.stem for p in (BATCHES / version).glob("*.txt")} == set(names(version)), (
        "run: python -m tests.cases.record"
    )


@pytest.mark.parametrize("version", versions()[1:-1])
def test_on_sparks_between_only_new_events_are_recorded(version: str) -> None:
    recorded = {p.stem: p.read_text("utf-8") for p in (BATCHES / version).glob("*.txt")}
    assert set(recorded) <= set(names(version))
    old = {name for name, text in recorded.items() if adds_nothing(text, map(Path.read_text, at_the_ends(name)))}
    assert old == set(), "run: python -m tests.cases.record"


def at_the_ends(name: str) -> list[Path]:
    return [file for of in owed() if (file := BATCHES / of / f"{name}.txt").exists()]


EVENT = (
    '["event",{time},[["c","Alias",["name"]],["c","Literal",["text"]],["e",1,[],["{id}"]],["e",0,[0,{column}],["x"]]]]'
)
ELSEWHERE = '["event",9,[["c","Literal",["text"]],["e",0,[],["0"]],["c","Alias",["name"]],["e",1,[0,-8],["x"]]]]'


def test_events_equal_but_for_numbers_ids_and_order_are_the_same() -> None:
    def event(time: int = 12, id: str = "fc8cb575-d3b2-4eea-be43-d727eae88b82", column: int = -12) -> str:
        return EVENT.format(time=time, id=id, column=column)

    assert events(event()) == events(event(7, "00000000-d3b2-4eea-be43-d727eae88b82", -5)) == events(ELSEWHERE)
    assert adds_nothing(event(), ["", event(column=0), ELSEWHERE])
    assert not adds_nothing(f"{event()}\n{event(id='a')}", [event()])
    assert not adds_nothing(event(column=0), [event()])


def test_a_batch_is_kept_between_others_only_if_it_adds_events(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.cases.batches.BATCHES", tmp_path)
    monkeypatch.setattr("tests.cases.batches.versions", lambda: ["3.5.9", "4.0.5", "4.3.0"])
    for version in ("3.5.9", "4.0.5", "4.3.0"):
        (tmp_path / version).mkdir()
    assert keep("join", "3.5.9", ELSEWHERE)
    assert keep("join", "4.3.0", ELSEWHERE.replace("x", "y"))
    assert keep("join", "4.0.5", ELSEWHERE.replace("x", "z"))
    assert not keep("join", "4.0.5", ELSEWHERE)
    assert [path.parent.name for path in sorted(tmp_path.glob("*/join.txt"))] == ["3.5.9", "4.3.0"]
