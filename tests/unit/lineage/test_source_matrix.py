"""The part of docs/matrix.md about sources is generated from test results."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.live.sources import matrix
from tests.live.sources.families import FAMILIES, runs
from tests.live.sources.operations import has_columns, operations

MERGE = ["table:lake.t <= path:file:{work}/in/s, table:lake.t", "  id <- path:file:{work}/in/s id identity"]
READ = ["path:file:{work}/out/r <= table:lake.t", "  (rows) <- table:lake.t id filter", "counted: x"]


@pytest.mark.parametrize(
    ("name", "lines", "shown"),
    [
        ("merge_by_api", MERGE, {"row-level", "read"}),
        ("created", MERGE, {"write", "read"}),
        ("read_back", READ, {"read"}),
        ("stream_of_rows", READ, {"read", "stream"}),
        ("constants", ["table:lake.t <= -", "  id <- -"], {"write"}),
        ("files", ["path:file:{work}/out/r <= path:file:{work}/in/s"], set()),
        ("history", [], set()),
    ],
)
def test_cell_of_a_case(name: str, lines: list[str], shown: set[str]) -> None:
    assert operations(name, lines) == shown


def test_reads_and_constants_have_no_columns() -> None:
    assert has_columns(MERGE)
    assert not has_columns(READ)
    assert not has_columns(["table:lake.t <= -", "  id <- -"])


JUNIT = """<testsuites><testsuite>
<testcase classname="tests.live.sources.test_cases_live" name="test_a_case_has_its_lineage[merged]" />
<testcase classname="tests.live.sources.test_cases_live" name="test_a_case_has_its_lineage[history]" />
<testcase classname="tests.live.sources.test_cases_live" name="test_a_case_has_its_lineage[read_back]">{failure}</testcase>
<testcase classname="tests.live.sources.test_round_trip" name="test_a_round_trip_has_its_flows" />
</testsuite></testsuites>"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    known = {"delta_merged": MERGE, "delta_read_back": READ, "delta_history": []}
    monkeypatch.setattr(matrix, "expected", known.__getitem__)
    of_all = SimpleNamespace(names=lambda _: ["merged", "history", "read_back"])
    monkeypatch.setattr(matrix, "FAMILIES", {"delta": of_all})
    (tmp_path / "3.5.9-source-delta.xml").write_text(JUNIT.format(failure=""))
    (tmp_path / "4.2.1-source-delta.xml").write_text(JUNIT.format(failure="<failure>x</failure>"))
    (tmp_path / "4.2.1.xml").write_text("<testsuites />")
    return tmp_path


def test_results_become_cells_and_a_page_is_held_to_them(folder: Path) -> None:
    found = matrix.results(folder)
    page = matrix.renewed("# Page\n\n| operation |\n\n## " + matrix.GROUP + "\n\n| source | old |\n", found)
    assert "| delta | read | 2 | 1 of 2 not |" in page
    assert "| delta | row-level | 1 | 1 |" in page
    assert "old" not in page
    assert matrix.differences(page, found) == []
    row = "| delta | row-level | 1 | 1 |"
    stale = page.replace(row, "| delta | row-level | 2 | 1 |\n| delta | write | 1 | |")
    assert matrix.differences(stale, found) == [
        "delta / row-level / 3.5.9: the page has '2', the results '1'",
        "delta / write / 3.5.9: the page has '1', the results 'nothing'",
    ]
    of_one = {"delta": {"4.2.1": found["delta"]["4.2.1"]}}
    assert matrix.differences(stale, of_one) == []


def test_partial_results_report_only_failures(folder: Path) -> None:
    found = matrix.results(folder)
    page = matrix.renewed(f"# Page\n\n## {matrix.GROUP}\n", found)
    part = {"delta": {version: {**cases} for version, cases in found["delta"].items()}}
    for cases in part["delta"].values():
        del cases["merged"]
    assert matrix.differences(page, part) == ["delta / read_back / 4.2.1: failed"]


def test_every_family_runs_on_the_oldest_spark_and_the_newest_that_it_can() -> None:
    pairs = list(runs(["3.5.9", "4.1.4", "4.2.1", "4.3.0"]))
    assert {name for name, _ in pairs} == set(FAMILIES)
    assert all(FAMILIES[name].list_of_jars(spark) or not FAMILIES[name].jars for name, spark in pairs)
    assert len(set(pairs)) == len(pairs)
