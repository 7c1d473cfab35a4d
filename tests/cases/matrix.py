"""Compare tests/cases/results.md with test results, or write it; write its summary, the first part of docs/matrix.md.

    python -m tests.cases.matrix build/matrix > tests/cases/results.md
    python -m tests.cases.matrix --check build/results
    python -m tests.cases.matrix --summary

A folder holds one JUnit file a Spark version, `<version>*.xml`, of the tests that run every case on a real Spark:
`make matrix` writes one of each Spark, a run of CI of the oldest and the newest.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from tests.live.sources.matrix import GROUP as SOURCES

HEAD = """# Results of the cases by Spark version

`make matrix` writes this file; CI compares it with the cases that it runs on the oldest and the newest Spark.
`yes`: as expected. `no`: not as expected. `skipped`: skipped there.
A version that is missing does not have the operation, or it has not run there yet.
"""
SUMMARY_HEAD = """# Operations and Spark versions

Each operation is a small job (`tests/cases`) whose lineage was worked out by hand.
It ran on each Spark, and datasets, columns and kinds of dependency were compared in both directions.
[All results](../tests/cases/results.md) are listed by operation.
What is missing in a column does not exist in that Spark, or has not run there yet.
"""

RESULTS = Path(__file__).with_name("results.md")
SUMMARY = Path(__file__).resolve().parents[2] / "docs" / "matrix.md"
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
    """Return what the JUnit files say.

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
    """Return the page."""
    versions = sorted({v for cases in found.values() for row in cases.values() for v in row}, key=_number)
    parts = [HEAD]
    for group, cases in found.items():
        total = ", ".join(f"{v}: {sum(row.get(v) == 'yes' for row in cases.values())}" for v in versions)
        alike: dict[str, list[str]] = {}
        for case, row in cases.items():
            alike.setdefault(_row_text(row), []).append(case)
        listed = ["\n".join([f"**{row}**", "", ",\n".join(names)]) for row, names in alike.items()]
        parts.append("\n\n".join([f"## {group}", f"As expected: {total}, of {len(cases)}.", *listed]))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def summary(text: str) -> str:
    """Return the first part of docs/matrix.md: for each group and Spark, the number of operations by result."""
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for group, _, outcomes in rows(text):
        counts.setdefault(group, Counter()).update(outcomes.items())
    versions = sorted({version for count in counts.values() for version, _ in count}, key=_number)
    table = [f"| operations as expected | {' | '.join(versions)} |", f"|---|{'---|' * len(versions)}"]
    table += [
        f"| {group} | {' | '.join(_cell(count, version) for version in versions)} |" for group, count in counts.items()
    ]
    return "\n".join([SUMMARY_HEAD, *table]) + "\n"


def _cell(count: Mapping[tuple[str, str], int], version: str) -> str:
    others = [f"{count[version, outcome]} {outcome}" for outcome in ("no", "skipped") if (version, outcome) in count]
    return "; ".join([str(count.get((version, "yes"), 0)), *others])


def _row_text(row: Mapping[str, str]) -> str:
    """Return the results of a case as the line above its name, such as `yes: 3.5.9, 4.3.0; no: 4.0.5`."""
    by_outcome: dict[str, list[str]] = {}
    for version in sorted(row, key=_number):
        by_outcome.setdefault(row[version], []).append(version)
    return "; ".join(f"{outcome}: {', '.join(versions)}" for outcome, versions in by_outcome.items())


def rows(text: str) -> Iterable[tuple[str, str, dict[str, str]]]:
    """Yield the rows of results.md: group, operation, and the result on each Spark."""
    group, row = "", ""
    for line in text.splitlines():
        if line.startswith("## "):
            group, row = line[3:], ""
        elif line.startswith("**"):
            row = line.strip("*")
        elif line and row:
            of = {
                version: outcome
                for part in row.split("; ")
                for outcome, _, versions in (part.partition(": "),)
                for version in versions.split(", ")
            }
            yield from ((group, name, of) for name in line.rstrip(",").split(", "))


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def differences(text: str, found: Results) -> list[str]:
    """Return where a page differs from results, of the cases and Sparks that they are of."""
    shown = {(group, name, version): what for group, name, of in rows(text) for version, what in of.items()}
    known = {
        (group, case, version): outcome
        for group, cases in found.items()
        for case, row in cases.items()
        for version, outcome in row.items()
    }
    return [
        f"{' / '.join(key)}: the page has {shown.get(key) or 'nothing'!r}, the results {outcome!r}"
        for key, outcome in sorted(known.items())
        if shown.get(key, "") != outcome
    ]


def main(arguments: Sequence[str]) -> int:
    """Write the results or their summary, or check the results; return the exit status."""
    if arguments == ["--summary"]:
        rest = SUMMARY.read_text("utf-8").partition(f"## {SOURCES}")
        SUMMARY.write_text("\n".join([summary(RESULTS.read_text("utf-8")), "".join(rest[1:])]), "utf-8")
        return 0
    files = (
        file for file in Path(arguments[-1]).glob("*.xml") if "-source-" not in file.name
    )  # tests.live.sources.matrix
    found = results(sorted(files, key=lambda p: p.name, reverse=True))
    if arguments[0] != "--check":
        print(page(found), end="")
        return 0
    wrong = differences(RESULTS.read_text("utf-8"), found)
    print("\n".join(wrong) or f"{RESULTS.name} equals the results")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
