"""Holds docs/matrix.md to test results, or writes it out of them.

    python -m tests.cases.matrix build/matrix > docs/matrix.md
    python -m tests.cases.matrix --check build/results

A folder holds one JUnit file a Spark version, `<version>*.xml`, of the tests that run every case on a real Spark:
`make matrix` writes one of each Spark, a run of CI of the oldest and the newest.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from tests.live.sources.matrix import GROUP as SOURCES

HEAD = """# Operations and Spark versions

Every row is a small job whose lineage was worked out by hand; every cell is the result of running it on that Spark and comparing
datasets, columns and kinds of dependency, in both directions. Every run of CI compares this page with the cases that it has
just run on the oldest Spark and on the newest; `make matrix` runs all cases on all five and writes the page. What a job
does is in `tests/cases`, what it must mean in `tests/fixtures/lineage/`.

`yes`: as expected. `no`: not. `skipped`: skipped there. Empty: that Spark does not have the operation, or it has not
run there yet.
"""

PAGE = Path(__file__).resolve().parents[2] / "docs" / "matrix.md"
_CASE = re.compile(r"test_a_case_has_its_lineage\[(.+)\]")
SHOWN = "shown_"
"""How the cases begin that are no operations, but texts of expressions: they are not on the page."""

_GROUPS = {"test_cases_live": "Session catalog, files, V2 catalogs", "test_hive_cases": "Hive tables"}
_STREAMS = "Structured Streaming"
_STREAM = "stream_"
"""How the cases begin whose queries are streams: a group of the page by themselves."""

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
        if m and group and not m[1].startswith(SHOWN):
            tags = {child.tag for child in element}
            yield (
                _STREAMS if m[1].startswith(_STREAM) else group,
                m[1],
                "no" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "yes",
            )


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


def differences(text: str, found: Results) -> list[str]:
    """Return where a page differs from results, of the cases and Sparks that they are of."""
    said: dict[tuple[str, str, str], str] = {}
    group, versions = "", []
    for line in text.partition(f"## {SOURCES}")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("## "):
            group = line[3:]
        elif line.startswith("| operation"):
            versions = cells[1:]
        elif line.startswith("| "):
            said.update(((group, cells[0], version), cell) for version, cell in zip(versions, cells[1:], strict=True))
    known = {
        (group, case.replace("_", " "), version): outcome
        for group, cases in found.items()
        for case, row in cases.items()
        for version, outcome in row.items()
    }
    return [
        f"{' / '.join(key)}: the page says {said.get(key) or 'nothing'!r}, the results {outcome!r}"
        for key, outcome in sorted(known.items())
        if said.get(key, "") != outcome
    ]


def main(arguments: Sequence[str]) -> int:
    """Write the page, or check it; the answer is the exit code."""
    files = (
        file for file in Path(arguments[-1]).glob("*.xml") if "-source-" not in file.name
    )  # tests.live.sources.matrix
    found = results(sorted(files, key=lambda p: p.name, reverse=True))
    if arguments[0] != "--check":
        print(page(found), end="")
        return 0
    wrong = differences(PAGE.read_text("utf-8"), found)
    print("\n".join(wrong) or f"{PAGE.name} says what the results say")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
