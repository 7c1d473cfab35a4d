"""docs/matrix.md is made of test results, and knows every case."""

from __future__ import annotations

import re
from pathlib import Path

import every_case  # noqa: F401 its import registers the cases
import pytest
from cases import CASES
from cases_hive import HIVE_CASES
from matrix import page, results

PAGE = Path(__file__).resolve().parents[2] / "docs" / "matrix.md"
JUNIT = """<testsuites><testsuite>
<testcase classname="tests.spark.test_cases_live" name="test_a_case_has_its_lineage[ctas_of_a_cte]" />
<testcase classname="tests.spark.test_cases_live" name="test_a_case_has_its_lineage[join]"><failure>x</failure></testcase>
<testcase classname="tests.spark.test_cases_live" name="test_another" />
<testcase classname="tests.spark.test_hive_cases" name="test_a_case_has_its_lineage[ctas]"><skipped /></testcase>
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


def test_file_without_cases_is_refused(tmp_path: Path) -> None:
    (tmp_path / "4.3.0.xml").write_text("<testsuites />")
    with pytest.raises(ValueError, match=r"4\.3\.0\.xml: no results"):
        results([tmp_path / "4.3.0.xml"])


def test_page_has_every_case() -> None:
    rows = re.findall(r"^\| (?!operation)([^|]+?) \|.*$", PAGE.read_text(), re.MULTILINE)
    wanted = [case.replace("_", " ") for case in (*CASES, *HIVE_CASES)]
    assert sorted(rows) == sorted(wanted), "run: make matrix"
