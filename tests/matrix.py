"""Writes docs/matrix.md out of test results: `python tests/matrix.py build/matrix > docs/matrix.md`.

The folder holds one JUnit file a Spark version, `<version>*.xml`, of the tests that run every case on a real Spark
(`make matrix` writes them).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree import ElementTree

HEAD = """# Operations and Spark versions

Every row is a small job whose lineage was worked out by hand; every cell is the result of running it on that Spark and comparing
datasets, columns and kinds of dependency, in both directions. `make matrix` runs them and writes this page. What a job does is in
`tests/cases*.py`, what it must mean in `tests/fixtures/lineage/`.

`yes`: as expected. `no`: not. `skipped`: not run there. Empty: that Spark does not have the operation.
"""

_CASE = re.compile(r"test_a_case_has_its_lineage\[(.+)\]")
_GROUPS = {"test_cases_live": "Session catalog, files, V2 catalogs", "test_hive_cases": "Hive tables"}

Results = dict[str, dict[str, dict[str, str]]]
"""Group → case → Spark version → what came out."""


def results(files: Iterable[Path]) -> Results:
    """What the JUnit files say.

    Raises:
        ValueError: a file has no case.
    """
    found: Results = {}
    for file in files:
        version = re.match(r"[\d.]*\d", file.name)
        cases = list(_cases(file))
        if version is None or not cases:
            raise ValueError(f"{file}: no results of cases; `make matrix` writes <Spark version>-*.xml")
        for group, case, outcome in cases:
            found.setdefault(group, {}).setdefault(case, {})[version[0]] = outcome
    return found


def _cases(file: Path) -> Iterable[tuple[str, str, str]]:
    for element in ElementTree.parse(file).iter("testcase"):
        m = _CASE.fullmatch(element.get("name", ""))
        group = _GROUPS.get(element.get("classname", "").rpartition(".")[2])
        if m and group:
            tags = {child.tag for child in element}
            yield group, m[1], "no" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "yes"


def page(found: Mapping[str, Mapping[str, Mapping[str, str]]]) -> str:
    """The page."""
    versions = sorted({v for cases in found.values() for row in cases.values() for v in row}, key=_number)
    parts = [HEAD]
    for group, cases in found.items():
        total = ", ".join(f"{v}: {sum(row.get(v) == 'yes' for row in cases.values())}" for v in versions)
        rows = [
            f"| {case.replace('_', ' ')} | {' | '.join(row.get(v, '') for v in versions)} |"
            for case, row in cases.items()
        ]
        table = [f"| operation | {' | '.join(versions)} |", f"|---|{'---|' * len(versions)}", *rows]
        parts.append("\n".join([f"## {group}", "", f"As expected: {total}, of {len(cases)}.", "", *table]))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


if __name__ == "__main__":
    print(page(results(sorted(Path(sys.argv[1]).glob("*.xml"), key=lambda p: p.name, reverse=True))), end="")
