"""docs/matrix.md is made of test results, and knows every case."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.cases import every_case  # noqa: F401 its import registers the cases
from tests.cases.all_cases import CASES
from tests.cases.hive import HIVE_CASES
from tests.cases.matrix import PAGE, SHOWN, differences, page, results
from tests.live.sources.matrix import GROUP

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
    assert "| operation | 4.3.0 |" in made
    assert [line for line in made.splitlines() if line.startswith(("| ctas", "| join"))] == [
        "| ctas of a cte | yes |",
        "| join | no |",
        "| ctas | skipped |",
    ]


def test_streams_are_a_part_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "4.3.0-cases.xml").write_text(JUNIT)
    made = page(results([tmp_path / "4.3.0-cases.xml"]))
    own = made.partition("## Structured Streaming")[2].partition("\n## ")[0]
    assert "As expected: 4.3.0: 1, of 1." in own
    assert "| stream of files | yes |" in own


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
    stale = both.replace("| join | no | no |", "| join | no | yes |").replace("| ctas of a cte | yes | yes |\n", "")
    assert stale.count("| ") == both.count("| ") - 3
    assert differences(stale, newest) == [
        "Session catalog, files, V2 catalogs / ctas of a cte / 4.3.0: the page says 'nothing', the results 'yes'",
        "Session catalog, files, V2 catalogs / join / 4.3.0: the page says 'yes', the results 'no'",
    ]


def test_the_page_itself_can_be_held_to_results(tmp_path: Path) -> None:
    (tmp_path / "4.3.0.xml").write_text(JUNIT.replace("join]", "semi_join]"))
    of_two = differences(PAGE.read_text("utf-8"), results([tmp_path / "4.3.0.xml"]))
    assert "Session catalog, files, V2 catalogs / semi join / 4.3.0: the page says 'yes', the results 'no'" in of_two


def test_page_has_every_case() -> None:
    text = PAGE.read_text().partition(f"## {GROUP}")[0]
    rows = Counter(re.findall(r"^\| (?!operation)([^|]+?) \|.*$", text, re.MULTILINE))
    wanted = Counter(case.replace("_", " ") for case in (*CASES, *HIVE_CASES) if not case.startswith(SHOWN))
    cure = "add its row with what you have seen, nothing where you saw nothing (or run all for hours: make matrix)"
    assert (sorted(wanted - rows), sorted(rows - wanted)) == ([], []), cure
