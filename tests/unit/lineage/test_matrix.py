"""tests/cases/results.md is generated from test results and has every case; docs/matrix.md sums it up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.cases import every_case  # noqa: F401 its import registers the cases
from tests.cases.all_cases import CASES
from tests.cases.hive import HIVE_CASES
from tests.cases.matrix import RESULTS, SHOWN, SUMMARY, differences, page, results, rows, summary

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.live.spark.test_cases_live" name="test_a_case_has_its_lineage[ctas_of_a_cte]" />
<testcase classname="tests.live.spark.test_cases_live" name="test_a_case_has_its_lineage[join]"><failure>x</failure></testcase>
<testcase classname="tests.live.spark.test_cases_live" name="test_a_case_has_its_lineage[stream_of_files]" />
<testcase classname="tests.live.spark.test_cases_live" name="test_another" />
<testcase classname="tests.live.spark.test_hive_cases" name="test_a_case_has_its_lineage[ctas]"><skipped /></testcase>
</testsuite></testsuites>"""


def test_results_become_rows(tmp_path: Path) -> None:
    (tmp_path / "4.3.0-cases.xml").write_text(JUNIT)
    made = page(results([tmp_path / "4.3.0-cases.xml"]))
    assert "**yes: 4.3.0**\n\nctas_of_a_cte" in made
    assert [(name, of) for _, name, of in rows(made)] == [
        ("ctas_of_a_cte", {"4.3.0": "yes"}),
        ("join", {"4.3.0": "no"}),
        ("stream_of_files", {"4.3.0": "yes"}),
        ("ctas", {"4.3.0": "skipped"}),
    ]


def test_streams_are_a_part_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "4.3.0-cases.xml").write_text(JUNIT)
    made = page(results([tmp_path / "4.3.0-cases.xml"]))
    own = made.partition("## Structured Streaming")[2].partition("\n## ")[0]
    assert "As expected: 4.3.0: 1, of 1." in own
    assert "stream_of_files" in own


def test_file_without_cases_is_refused(tmp_path: Path) -> None:
    (tmp_path / "4.3.0.xml").write_text("<testsuites />")
    with pytest.raises(ValueError, match=r"4\.3\.0\.xml: no results"):
        results([tmp_path / "4.3.0.xml"])


def test_a_page_is_held_to_results_of_the_sparks_that_were_run(tmp_path: Path) -> None:
    (tmp_path / "4.3.0-cases.xml").write_text(JUNIT)
    (tmp_path / "4.0.5-cases.xml").write_text(JUNIT)
    both = page(results(tmp_path.glob("*.xml")))
    newest = results([tmp_path / "4.3.0-cases.xml"])
    assert differences(both, newest) == []
    stale = both.replace("**no: 4.0.5, 4.3.0**", "**no: 4.0.5; yes: 4.3.0**").replace("ctas_of_a_cte", "")
    assert stale != both
    assert differences(stale, newest) == [
        "Session catalog, files, V2 catalogs / ctas_of_a_cte / 4.3.0: the page has 'nothing', the results 'yes'",
        "Session catalog, files, V2 catalogs / join / 4.3.0: the page has 'yes', the results 'no'",
    ]


def test_the_page_itself_can_be_held_to_results(tmp_path: Path) -> None:
    (tmp_path / "4.3.0.xml").write_text(JUNIT.replace("join]", "semi_join]"))
    of_two = differences(RESULTS.read_text("utf-8"), results([tmp_path / "4.3.0.xml"]))
    assert "Session catalog, files, V2 catalogs / semi_join / 4.3.0: the page has 'yes', the results 'no'" in of_two


def test_page_has_every_case() -> None:
    found = Counter(name for _, name, _ in rows(RESULTS.read_text()))
    wanted = Counter(case for case in (*CASES, *HIVE_CASES) if not case.startswith(SHOWN))
    fix = "list it below the versions on which you ran it (or run all for hours: make matrix)"
    assert (sorted(wanted - found), sorted(found - wanted)) == ([], []), fix


def test_page_counts_its_cases() -> None:
    text = RESULTS.read_text("utf-8")
    found: dict[str, dict[str, dict[str, str]]] = {}
    for group, name, of in rows(text):
        found.setdefault(group, {})[name] = of
    assert text.strip().splitlines() == page(found).splitlines(), "correct the number below the group's heading"


def test_page_of_the_docs_sums_up_the_results() -> None:
    fix = "run `python -m tests.cases.matrix --summary`"
    assert SUMMARY.read_text("utf-8").startswith(summary(RESULTS.read_text("utf-8"))), fix


def test_summary_counts_each_result(tmp_path: Path) -> None:
    (tmp_path / "4.3.0-cases.xml").write_text(JUNIT)
    text = summary(page(results([tmp_path / "4.3.0-cases.xml"])))
    assert "| Session catalog, files, V2 catalogs | 1; 1 no |" in text
    assert "| Hive tables | 0; 1 skipped |" in text
