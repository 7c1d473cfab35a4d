"""Features of the Spark Atlas Connector, row by row of docs/from-sac.md: each has a test that exists, or a reason."""

from __future__ import annotations

import re
from pathlib import Path

from tests.helpers.every_row import every_row

ROOT = Path(__file__).resolve().parents[3]
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in (ROOT / "docs" / "from-sac.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| what the connector")
]
CASES = {
    line.removeprefix("== ").strip()
    for file in (ROOT / "tests" / "fixtures" / "lineage").glob("*.txt")
    for line in file.read_text("utf-8").splitlines()
    if line.startswith("== ")
}


def lost(cell: str) -> list[str]:
    """Return the names in a cell that do not exist."""
    return [
        name
        for is_case, name in re.findall(r"(case )?`([^`]+)`", cell)
        if not (name in CASES if is_case else _is_test(name))
    ]


def _is_test(name: str) -> bool:
    path, _, test = name.partition("::")
    file = ROOT / path
    return (
        file.is_file() and re.search(rf"^(?:    )?def {re.escape(test)}\(", file.read_text("utf-8"), re.M) is not None
    )


def test_the_page_has_rows() -> None:
    assert len(ROWS) > 25


@every_row("row", ROWS, label=lambda row: row[0])
def test_row_names_an_existing_test_or_a_reason(row: list[str]) -> None:
    _, here, *shown = row
    if here.startswith("no:"):
        assert len(here) > 30
    else:
        assert shown
        assert "`" in shown[0]
        assert lost(shown[0]) == []


def test_missing_names_are_found() -> None:
    assert lost(
        "case `no_such_case`, `tests/unit/lineage/test_sac_list.py::test_nothing`, `tests/none.py::test_a`"
    ) == [
        "no_such_case",
        "tests/unit/lineage/test_sac_list.py::test_nothing",
        "tests/none.py::test_a",
    ]
